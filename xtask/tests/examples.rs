//! The example jobs say what their contract rows ask, no more and no less.
//!
//! The rows describe most jobs by their difference from another job, and so does this table, so that
//! a mistake in one file is not repeated in the table.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A job of the vendor guides that measures; what all of them share is in [`Measurement::options`].
#[derive(Clone, Copy)]
struct Measurement {
    device: &'static str,
    readwrite: &'static str,
    rwmixread: &'static str,
    blocksize: &'static str,
    ioengine: &'static str,
    numjobs: &'static str,
    iodepth: &'static str,
    batch: &'static str,
    description: &'static str,
}

const VSL_01: Measurement = Measurement {
    device: "/dev/fioa",
    readwrite: "randrw",
    rwmixread: "0",
    blocksize: "512",
    ioengine: "sync",
    numjobs: "1",
    iodepth: "1",
    batch: "1",
    description: "fio random 512 write LATENCY",
};
const VSL_02: Measurement = Measurement {
    ioengine: "libaio",
    numjobs: "4",
    iodepth: "32",
    batch: "16",
    description: "fio random 512 write peak IOPS",
    ..VSL_01
};
const VSL_03: Measurement =
    Measurement { readwrite: "rw", description: "fio sequential 512 write peak IOPS", ..VSL_02 };
const VSL_04: Measurement =
    Measurement { blocksize: "1M", description: "fio random 1M write peak BW", ..VSL_02 };
const VSL_06: Measurement =
    Measurement { rwmixread: "100", description: "fio random 512 read LATENCY", ..VSL_01 };
const VSL_07: Measurement =
    Measurement { rwmixread: "100", description: "fio random 512 read peak IOPS", ..VSL_02 };
const VSL_08: Measurement =
    Measurement { rwmixread: "100", description: "fio sequential 512 read peak IOPS", ..VSL_03 };
const VSL_09: Measurement =
    Measurement { rwmixread: "100", description: "fio random 1M read peak BW", ..VSL_04 };
const FLASH_01: Measurement = Measurement {
    device: "/dev/vs_fio_test",
    blocksize: "4k",
    description: "fio random 4k write LATENCY",
    ..VSL_01
};
const FLASH_02: Measurement = Measurement {
    ioengine: "libaio",
    numjobs: "4",
    iodepth: "128",
    batch: "4",
    description: "fio random 4k write peak IOPS",
    ..FLASH_01
};
const FLASH_03: Measurement =
    Measurement { blocksize: "1M", description: "fio random 1M write peak BW", ..FLASH_02 };
const FLASH_05: Measurement =
    Measurement { rwmixread: "100", description: "fio random 4k read LATENCY", ..FLASH_01 };
const FLASH_06: Measurement =
    Measurement { rwmixread: "100", description: "fio random 4k read peak IOPS", ..FLASH_02 };
const FLASH_07: Measurement =
    Measurement { rwmixread: "100", description: "fio random 1M read peak BW", ..FLASH_03 };
const BLOG_010: Measurement =
    Measurement { blocksize: "4k", description: "fio random 4k read peak IOPS", ..VSL_07 };
const BLOG_011: Measurement =
    Measurement { blocksize: "4k", description: "fio random 4k write peak IOPS", ..VSL_02 };

const MEASUREMENTS: &[(&str, &str, Measurement)] = &[
    ("V-34", "vsl/01-random-512-write-latency.fio", VSL_01),
    ("V-35", "vsl/02-random-512-write-iops.fio", VSL_02),
    ("V-36", "vsl/03-sequential-512-write-iops.fio", VSL_03),
    ("V-37", "vsl/04-random-1m-write-bandwidth.fio", VSL_04),
    ("V-39", "vsl/06-random-512-read-latency.fio", VSL_06),
    ("V-40", "vsl/07-random-512-read-iops.fio", VSL_07),
    ("V-41", "vsl/08-sequential-512-read-iops.fio", VSL_08),
    ("V-42", "vsl/09-random-1m-read-bandwidth.fio", VSL_09),
    ("H-24", "flash/01-random-4k-write-latency.fio", FLASH_01),
    ("H-25", "flash/02-random-4k-write-iops.fio", FLASH_02),
    ("H-26", "flash/03-random-1m-write-bandwidth.fio", FLASH_03),
    ("H-28", "flash/05-random-4k-read-latency.fio", FLASH_05),
    ("H-29", "flash/06-random-4k-read-iops.fio", FLASH_06),
    ("H-30", "flash/07-random-1m-read-bandwidth.fio", FLASH_07),
    ("T-17", "blog/010-random-4k-read-iops.fio", BLOG_010),
    ("T-17", "blog/011-random-4k-write-iops.fio", BLOG_011),
];

/// The two jobs that fill a device: buffered and without a time limit, as the guides have them.
const FILLS: &[(&str, &str, &str)] = &[
    ("V-38", "vsl/05-precondition-sequential-1m-write.fio", "/dev/fioa"),
    ("H-27", "flash/04-precondition-sequential-1m-write.fio", "/dev/vs_fio_test"),
];

impl Measurement {
    fn options(self) -> Vec<String> {
        let own = |name: &str, value: &str| format!("{name}={value}");
        vec![
            "[global]".to_owned(),
            own("readwrite", self.readwrite),
            own("rwmixread", self.rwmixread),
            own("blocksize", self.blocksize),
            own("ioengine", self.ioengine),
            own("numjobs", self.numjobs),
            own("thread", "0"),
            own("direct", "1"),
            own("iodepth", self.iodepth),
            own("iodepth_batch", self.batch),
            own("iodepth_batch_complete", self.batch),
            own("group_reporting", "1"),
            own("ramp_time", "5"),
            own("norandommap", "1"),
            own("description", self.description),
            own("time_based", "1"),
            own("runtime", "30"),
            own("randrepeat", "0"),
            format!("[{}]", self.device),
            own("filename", self.device),
            own("cpus_allowed", "1-4"),
        ]
    }
}

fn fill_options(device: &str) -> Vec<String> {
    let text = format!(
        "[global] readwrite=write rwmixread=0 blocksize=1M ioengine=libaio thread=0 size=100% \
         iodepth=16 group_reporting=1 [{device}] filename={device} cpus_allowed=1-4"
    );
    let mut lines: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
    lines.insert(9, "description=fio PRECONDITION sequential 1M complete write".to_owned());
    lines
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn text(file: &str) -> String {
    let path = examples().join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What fio would read: no comments, no blank lines.
fn lines(file: &str) -> Vec<String> {
    let text = text(file);
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// Every job file, as `directory/name`.
fn job_files() -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for directory in ["vsl", "flash", "blog"] {
        let entries = examples().join(directory).read_dir().expect("is there");
        for entry in entries {
            let name = entry.expect("readable").file_name();
            files.insert(format!("{directory}/{}", name.to_string_lossy()));
        }
    }
    files
}

#[test]
fn guide_jobs_hold_exactly_the_options_of_their_guide() {
    for (_, file, job) in MEASUREMENTS {
        assert_eq!(lines(file), job.options(), "{file}");
    }
    for (_, file, device) in FILLS {
        assert_eq!(lines(file), fill_options(device), "{file}");
    }
}

#[test]
fn blog_jobs_hold_what_their_post_describes() {
    for (file, option) in [
        ("blog/read-4k-write-64k.fio", "rw=rw"),
        ("blog/read-4k-write-64k.fio", "rwmixread=50"),
        ("blog/read-4k-write-64k.fio", "bs=4k,64k"),
        ("blog/read-1k-to-16k.fio", "bsrange=1K:16K"),
        ("blog/read-1k-4k-16k-weighted.fio", "bssplit=1K/10:4K/80:16K/10"),
        ("blog/read-one-thread-per-cpu.fio", "numjobs=$ncpus"),
        ("blog/read-one-thread-per-cpu.fio", "io_size=$pagesize*$mb_memory"),
    ] {
        assert!(lines(file).iter().any(|line| line == option), "{file}: {option}");
    }
    for rw in ["read", "write", "randread", "randwrite"] {
        let expected = [
            format!("[{rw}-4k]"),
            format!("rw={rw}"),
            "bs=4k".to_owned(),
            "ioengine=sync".to_owned(),
            "iodepth=1".to_owned(),
            "numjobs=1".to_owned(),
            "size=${SIZE}".to_owned(),
        ];
        let file = format!("blog/{rw}-size-from-environment.fio");
        assert_eq!(lines(&file), expected, "{file}");
    }
}

#[test]
fn each_example_names_its_contract_row_first() {
    for file in job_files() {
        let text = text(&file);
        let first = text.lines().next().unwrap_or_default();
        let id = first.strip_prefix("# ").and_then(|line| line.split_once(": "));
        let id = id.map_or("", |(id, _)| id);
        let stated = MEASUREMENTS.iter().map(|(id, file, _)| (*id, *file));
        let stated = stated.chain(FILLS.iter().map(|(id, file, _)| (*id, *file)));
        match stated.into_iter().find(|(_, of)| *of == file) {
            Some((expected, _)) => assert_eq!(id, expected, "{file}"),
            None => assert!(["T-56", "T-57", "T-58", "T-59", "T-61"].contains(&id), "{file}: {id}"),
        }
    }
}

/// fio cuts a line at every `;` and `#`.
#[test]
fn no_value_holds_a_comment_character() {
    for file in job_files() {
        for line in lines(&file) {
            assert!(!line.contains([';', '#']), "{file}: {line}");
        }
    }
}

#[test]
fn the_table_of_examples_and_the_directory_agree() {
    let table = text("README.md");
    let listed: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| [`"))
        .filter_map(|line| line.split_once('`'))
        .map(|(file, _)| file.to_owned())
        .collect();
    assert_eq!(listed, job_files());
}
