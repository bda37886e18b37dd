//! fio's engines that fathom does not have: what each does, what to write instead, and the options that only it has.
//!
//! One table for every door: an `ioengine=` of a job file or a command line, an option of such an engine, and
//! `--enghelp=NAME` have the same answer.

use crate::diagnostic::Diagnostic;
use crate::option::OptionDef;

/// An engine of fio that fathom does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignEngine {
    /// fio's name.
    pub name: &'static str,
    /// What it does, behind "which": `reads and writes …`.
    pub does: &'static str,
    /// What to write or to use instead, a sentence without a full stop.
    pub instead: &'static str,
    /// Options that only it has, and that no row of the option table knows.
    pub options: &'static [&'static str],
}

/// The engine of that name, if it is one of fio's that fathom does not have. An engine that fio loads from a file
/// (`external:PATH`) is one of them.
pub fn foreign_engine(name: &str) -> Option<&'static ForeignEngine> {
    let name = if name.starts_with("external:") { "external" } else { name };
    ENGINES.iter().find(|engine| engine.name == name)
}

/// The error for a name that is an option of such engines alone, and that the option table does not have:
/// `pool is an option of ioengine=rbd and ioengine=rados, which fathom does not have`. `asked` is the engine of the job, if that is
/// known.
pub fn option_error(option: &str, asked: Option<&str>) -> Option<Diagnostic> {
    let mut engines: Vec<&ForeignEngine> =
        ENGINES.iter().filter(|engine| engine.options.contains(&option)).collect();
    if engines.iter().any(|engine| Some(engine.name) == asked) {
        engines.retain(|engine| Some(engine.name) == asked);
    }
    let names: Vec<String> = engines.iter().map(|engine| format!("ioengine={}", engine.name)).collect();
    let (last, others) = names.split_last()?;
    let before = if others.is_empty() { String::new() } else { format!("{} and ", others.join(", ")) };
    let message = format!("{option} is an option of {before}{last}, which fathom does not have");
    let error = Diagnostic::error("unknown-option", message);
    Some(with_steps(error, &engines))
}

/// Adds what to write instead of the engines of an option, if only such engines have it.
pub(crate) fn with_steps_of(def: &OptionDef, error: Diagnostic) -> Diagnostic {
    let engines: Option<Vec<_>> = def.engines.iter().map(|name| foreign_engine(name)).collect();
    with_steps(error, &engines.unwrap_or_default())
}

/// Each step once.
fn with_steps(error: Diagnostic, engines: &[&ForeignEngine]) -> Diagnostic {
    let mut steps: Vec<&str> = engines.iter().map(|engine| engine.instead).collect();
    steps.dedup();
    steps.into_iter().fold(error, Diagnostic::hint)
}

impl ForeignEngine {
    /// `fathom does not have ioengine=rbd, which reads and writes …`; `asked` is the name as typed.
    pub fn message(&self, asked: &str) -> String {
        format!("fathom does not have ioengine={asked}, which {}", self.does)
    }
}

const fn engine(name: &'static str, does: &'static str, instead: &'static str) -> ForeignEngine {
    ForeignEngine { name, does, instead, options: &[] }
}

/// Engines of one family do and need the same.
const BLOCK_DEVICE_INSTEAD: &str = "write ioengine=io_uring, and filename= the block device of the drive";
const NETWORK: &str = "measures a network and no storage";
const NETWORK_INSTEAD: &str = "iperf3 measures a network; fathom measures what is attached or mounted here";
const RPMA: &str = "moves data between hosts with RDMA through the library librpma";
const RDMA_INSTEAD: &str = "ib_write_bw and ib_read_bw (perftest) measure RDMA";
const GPU: &str = "moves data between files and the memory of a GPU";
const GPU_INSTEAD: &str =
    "gdsio measures that way; write ioengine=io_uring with direct=1 for the same files without the GPU";
const PERSISTENT: &str = "stores into persistent memory with the library of PMDK";
const PERSISTENT_INSTEAD: &str =
    "write ioengine=mmap, and filename= a file on a file system that is mounted with -o dax";
const GLUSTER: &str = "reads and writes files of GlusterFS through its library, without a mount";
const GLUSTER_INSTEAD: &str =
    "mount -t glusterfs HOST:/VOLUME /mnt, then write ioengine=io_uring and directory=/mnt";
const IME: &str = "reads and writes through the library of DDN's IME";
const IME_INSTEAD: &str = "write ioengine=psync, and directory= where IME is mounted";
const SPDK: &str = "is SPDK's own, which drives an NVMe drive from user space, without the kernel";
const SPDK_INSTEAD: &str = "give the drive back to the kernel (scripts/setup.sh reset of SPDK), then write \
                            ioengine=io_uring, hipri=1 and filename=/dev/nvme0n1";

const SOCKET: &[&str] = &[
    "hostname",
    "port",
    "protocol",
    "proto",
    "nodelay",
    "listen",
    "pingpong",
    "interface",
    "ttl",
    "window_size",
    "mss",
];
const VOLUME: &[&str] = &["volume", "brick", "single-instance"];

/// Every one of them. Options are those of fio 3.33 (`fio --enghelp=NAME`), and of its sources where Debian's fio lacks the
/// engine.
const ENGINES: &[ForeignEngine] = &[
    ForeignEngine {
        options: &[
            "xnvme_be",
            "xnvme_mem",
            "xnvme_async",
            "xnvme_sync",
            "xnvme_admin",
            "xnvme_dev_nsid",
            "xnvme_dev_subnqn",
            "xnvme_iovec",
        ],
        ..engine("xnvme", "sends commands to a drive through the library xNVMe", BLOCK_DEVICE_INSTEAD)
    },
    ForeignEngine {
        options: &[
            "libblkio_driver",
            "libblkio_path",
            "libblkio_pre_connect_props",
            "libblkio_num_entries",
            "libblkio_queue_size",
            "libblkio_pre_start_props",
            "libblkio_vectored",
            "libblkio_write_zeroes_on_trim",
            "libblkio_wait_mode",
            "libblkio_force_enable_completion_eventfd",
        ],
        ..engine(
            "libblkio",
            "reads and writes block devices through the library libblkio",
            "write ioengine=io_uring and filename= the block device",
        )
    },
    engine("spdk", SPDK, SPDK_INSTEAD),
    engine("spdk_bdev", SPDK, SPDK_INSTEAD),
    engine("libzbc", "sends commands for zones to a drive through the library libzbc", BLOCK_DEVICE_INSTEAD),
    engine(
        "splice",
        "moves data through a pipe with splice(2) and vmsplice(2)",
        "write ioengine=psync: the same I/O without the pipe",
    ),
    ForeignEngine { options: SOCKET, ..engine("net", NETWORK, NETWORK_INSTEAD) },
    ForeignEngine { options: SOCKET, ..engine("netsplice", NETWORK, NETWORK_INSTEAD) },
    ForeignEngine {
        options: &["hostname", "bindname", "port", "verb"],
        ..engine("rdma", NETWORK, RDMA_INSTEAD)
    },
    ForeignEngine {
        options: &["serverip", "port", "direct_write_to_pmem"],
        ..engine("librpma_apm_client", RPMA, RDMA_INSTEAD)
    },
    ForeignEngine {
        options: &["serverip", "port", "direct_write_to_pmem"],
        ..engine("librpma_apm_server", RPMA, RDMA_INSTEAD)
    },
    ForeignEngine { options: &["serverip", "port"], ..engine("librpma_gpspm_client", RPMA, RDMA_INSTEAD) },
    ForeignEngine {
        options: &["serverip", "port", "direct_write_to_pmem", "busy_wait_polling"],
        ..engine("librpma_gpspm_server", RPMA, RDMA_INSTEAD)
    },
    ForeignEngine {
        options: &[
            "https",
            "http_host",
            "http_user",
            "http_pass",
            "http_s3_key",
            "http_s3_keyid",
            "http_s3_region",
            "http_s3_security_token",
            "http_swift_auth_token",
            "http_mode",
            "http_verbose",
            "http_s3_sse_customer_key",
            "http_s3_sse_customer_algorithm",
            "http_s3_storage_class",
        ],
        ..engine(
            "http",
            "reads and writes objects of S3, Swift or WebDAV",
            "warp measures S3; to measure a mount of it: ioengine=psync and directory= where s3fs or rclone has \
             mounted it",
        )
    },
    ForeignEngine {
        options: &["clustername", "rbdname", "clientname", "pool", "busy_poll"],
        ..engine(
            "rbd",
            "reads and writes an image of Ceph through librbd",
            "map the image with `rbd map POOL/IMAGE` (or rbd-nbd map), then write ioengine=io_uring and filename= the \
             device that it prints, such as /dev/rbd0",
        )
    },
    ForeignEngine {
        options: &["clustername", "pool", "clientname", "busy_poll", "conf", "touch_objects"],
        ..engine(
            "rados",
            "reads and writes objects of Ceph through librados",
            "rados bench measures objects; for an image: rbd map POOL/IMAGE, then ioengine=io_uring and \
             filename=/dev/rbd0",
        )
    },
    ForeignEngine {
        options: &["nfs_url"],
        ..engine(
            "nfs",
            "reads and writes files of an NFS server through libnfs, without a mount",
            "mount -t nfs HOST:/EXPORT /mnt, then write ioengine=io_uring and directory=/mnt",
        )
    },
    ForeignEngine {
        options: &["uri"],
        ..engine(
            "nbd",
            "reads and writes a network block device through libnbd",
            "nbd-client HOST /dev/nbd0, then write ioengine=io_uring and filename=/dev/nbd0",
        )
    },
    ForeignEngine {
        options: &["initiator"],
        ..engine(
            "libiscsi",
            "reads and writes an iSCSI target through libiscsi",
            "iscsiadm -m node --login attaches the target; then write ioengine=io_uring and filename= its /dev/sdX",
        )
    },
    ForeignEngine { options: VOLUME, ..engine("gfapi", GLUSTER, GLUSTER_INSTEAD) },
    ForeignEngine { options: VOLUME, ..engine("gfapi_async", GLUSTER, GLUSTER_INSTEAD) },
    ForeignEngine {
        options: &["namenode", "hdfsdirectory", "chunk_size", "single_instance", "hdfs_use_direct"],
        ..engine(
            "libhdfs",
            "reads and writes files of Hadoop's HDFS through its library",
            "TestDFSIO of Hadoop measures HDFS; to measure one disk of a node: ioengine=io_uring and a file on it",
        )
    },
    ForeignEngine {
        options: &["pool", "cont", "object_class", "chunk_size", "svcl"],
        ..engine(
            "dfs",
            "reads and writes files of DAOS through its library",
            "mount the container with dfuse, then write ioengine=psync and directory= that mount",
        )
    },
    engine("ime_psync", IME, IME_INSTEAD),
    engine("ime_psyncv", IME, IME_INSTEAD),
    engine("ime_aio", IME, IME_INSTEAD),
    engine("pmemblk", PERSISTENT, PERSISTENT_INSTEAD),
    engine("libpmem", PERSISTENT, PERSISTENT_INSTEAD),
    engine(
        "dev-dax",
        "stores into persistent memory through a device /dev/daxX.Y",
        "ndctl create-namespace --mode=fsdax makes a block device of the memory; make and mount a file system on it \
         with -o dax, then write ioengine=mmap and filename= a file there",
    ),
    ForeignEngine {
        options: &["skip_bad"],
        ..engine(
            "mtd",
            "writes and erases raw flash, which no translation layer protects",
            "write ioengine=psync and a file on the file system of that flash (UBIFS, JFFS2)",
        )
    },
    ForeignEngine { options: &["gpu_dev_ids", "cuda_io"], ..engine("libcufile", GPU, GPU_INSTEAD) },
    engine("libhipfile", GPU, GPU_INSTEAD),
    ForeignEngine {
        options: &["program", "arguments", "grace_time", "std_redirect"],
        ..engine(
            "exec",
            "runs another program and does no I/O",
            "start that program beside fathom, from the shell: a job file never runs programs",
        )
    },
    ForeignEngine {
        options: &["donorname", "inplace"],
        ..engine(
            "e4defrag",
            "moves extents of ext4 files",
            "run e4defrag beside fathom, which measures what it costs the other jobs",
        )
    },
    engine(
        "windowsaio",
        "is fio's engine on Windows",
        "write ioengine=io_uring; fathom convert JOBFILE --from windows changes the whole file",
    ),
    engine(
        "solarisaio",
        "is fio's engine on Solaris",
        "write ioengine=io_uring; fathom convert JOBFILE --from solaris changes the whole file",
    ),
    engine("guasi", "needs system calls that never came into the kernel", "write ioengine=io_uring"),
    engine("syslet-rw", "needs system calls that never came into the kernel", "write ioengine=io_uring"),
    engine(
        "cpp_null",
        "is fio's example of an engine in C++, which completes every I/O at once",
        "write ioengine=null, which does the same",
    ),
    engine("external", "fio loads from a file", "write ioengine=io_uring: fathom loads no code from files"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{ENGINES as OWN, named};
    use crate::options::find;

    #[test]
    fn every_engine_has_a_next_step_and_stands_once() {
        for (i, engine) in ENGINES.iter().enumerate() {
            let ForeignEngine { name, does, instead, .. } = engine;
            assert!(named(name).is_none(), "{name} is fathom's");
            assert!(ENGINES[i + 1..].iter().all(|other| other.name != *name), "{name} twice");
            assert!(does.len() > 15 && !does.ends_with('.'), "{name}");
            assert!(instead.len() > 20 && !instead.ends_with('.'), "{name}");
            // A hint that names an engine names one that is there.
            for word in instead.split([' ', ',', ':', ';']).filter_map(|word| word.strip_prefix("ioengine="))
            {
                assert!(named(word).is_some(), "{name}: ioengine={word}");
            }
        }
        assert_eq!(foreign_engine("external:/lib/e.so").map(|engine| engine.name), Some("external"));
        assert!(OWN.iter().all(|own| foreign_engine(own.name).is_none()));
    }

    #[test]
    fn an_option_of_such_engines_is_no_option_of_fathom() {
        for option in ENGINES.iter().flat_map(|engine| engine.options) {
            assert!(find(option).is_none(), "{option}");
        }
        let rados = option_error("pool", Some("rados")).unwrap();
        assert_eq!(rados.message, "pool is an option of ioengine=rados, which fathom does not have");
        assert!(rados.hints[0].starts_with("rados bench measures objects"), "{rados:?}");
        let pool = option_error("pool", Some("psync")).unwrap();
        assert_eq!(
            pool.message,
            "pool is an option of ioengine=rbd, ioengine=rados and ioengine=dfs, which fathom does not have"
        );
        assert!(pool.hints[0].starts_with("map the image with `rbd map POOL/IMAGE`"), "{pool:?}");
        assert_eq!(pool.hints.len(), 3);
        assert_eq!(option_error("volume", None).unwrap().hints, [GLUSTER_INSTEAD]);
        assert_eq!(option_error("bs", None), None);
    }
}
