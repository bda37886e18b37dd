//! fio's engines that fathom knows and does not have, each with its reason.
//!
//! They are listed so that the error says why, and which engine comes nearest, instead of "unknown
//! engine".

/// Why fathom does not have this engine, and what to use; `None` if the name
/// is not one of fio's.
pub fn refused_engine(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(engine, _)| *engine == name).map(|(_, reason)| *reason)
}

const NETWORK: &str = "it tests a network storage service, not a target of this machine";
const MEMORY: &str = "it needs persistent memory and its library; use ioengine=mmap on a DAX mount";
const METADATA: &str = "it measures metadata operations, not data I/O";
const PASSTHROUGH: &str = "it bypasses the block layer; use ioengine=io_uring on the block device";
const OTHER_SYSTEM: &str = "it belongs to another operating system; on Linux use ioengine=libaio or io_uring";

const REFUSED: &[(&str, &str)] = &[
    (
        "posixaio",
        "glibc implements it with threads that hide the device; use ioengine=io_uring or numjobs \
         with psync",
    ),
    ("io_uring_cmd", PASSTHROUGH),
    ("sg", PASSTHROUGH),
    ("xnvme", PASSTHROUGH),
    ("libblkio", PASSTHROUGH),
    ("splice", "it measures pipes more than storage; use ioengine=psync"),
    ("net", "it is a network benchmark"),
    ("netsplice", "it is a network benchmark"),
    ("rdma", "it is a network benchmark"),
    ("http", NETWORK),
    ("rbd", NETWORK),
    ("rados", NETWORK),
    ("nfs", NETWORK),
    ("nbd", NETWORK),
    ("libiscsi", NETWORK),
    ("gfapi", NETWORK),
    ("gfapi_async", NETWORK),
    ("libhdfs", NETWORK),
    ("dfs", NETWORK),
    ("ime_psync", NETWORK),
    ("ime_psyncv", NETWORK),
    ("ime_aio", NETWORK),
    ("pmemblk", MEMORY),
    ("libpmem", MEMORY),
    ("dev-dax", MEMORY),
    ("mtd", "it erases raw flash; no flash translation layer protects what is there"),
    ("libcufile", "it needs a GPU and its library"),
    ("libhipfile", "it needs a GPU and its library"),
    ("cpuio", "it burns CPU and does no I/O"),
    ("exec", "it runs a program; start that program separately from fathom"),
    ("filecreate", METADATA),
    ("filestat", METADATA),
    ("filedelete", METADATA),
    ("dircreate", METADATA),
    ("dirstat", METADATA),
    ("dirdelete", METADATA),
    ("falloc", "it calls fallocate instead of moving data"),
    ("ftruncate", "it calls ftruncate instead of moving data"),
    ("e4defrag", "it rearranges ext4 files instead of measuring them"),
    ("windowsaio", OTHER_SYSTEM),
    ("solarisaio", OTHER_SYSTEM),
    ("guasi", "its system calls never entered the kernel; use ioengine=io_uring"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_reason_and_stands_once() {
        for (i, (name, reason)) in REFUSED.iter().enumerate() {
            assert!(reason.len() > 15, "{name}");
            assert!(REFUSED[i + 1..].iter().all(|(other, _)| other != name), "{name} twice");
        }
        assert!(refused_engine("rbd").is_some());
        assert!(refused_engine("libaio").is_none());
    }
}
