//! Trims of 2 GiB and more: each trims and counts all of its bytes, and none
//! needs a buffer. Trims of a verification: how many follow one another.

use crate::support::run;
use fathom_engine::log::LogKind;
use fathom_job::direction::Direction::{Trim, Write};
use fathom_results::{EndedBy, Phase};
use std::os::unix::fs::FileExt;

const GIB: u64 = 1 << 30;

/// A file of 16 GiB with a block of data here and there, and its path.
fn sparse() -> (tempfile::TempDir, std::fs::File, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("target");
    let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    file.set_len(16 * GIB).unwrap();
    PLACES.iter().for_each(|&place| file.write_all_at(&[7; 4096], place).unwrap());
    (dir, file, path.to_string_lossy().into_owned())
}

/// The first and the last block of some trims.
const PLACES: [u64; 4] = [0, 4 * GIB - 4096, 4 * GIB, 16 * GIB - 4096];

/// How many of these blocks hold data.
fn places_with_data(file: &std::fs::File) -> usize {
    let mut block = [0; 4096];
    let mut has_data = |&place: &u64| {
        file.read_exact_at(&mut block, place).unwrap();
        block.iter().any(|&byte| byte != 0)
    };
    PLACES.iter().filter(|place| has_data(place)).count()
}

#[test]
fn every_engine_trims_and_counts_all_of_a_large_block() {
    for engine in ["sync", "psync", "pvsync2", "mmap", "libaio", "posixaio", "io_uring"] {
        for options in ["rw=trim\nbs=4g", "rw=randtrim\nbs=2g,2g,4g\niodepth=8", "rw=trim\nbs=4g\nrate=,,1t"]
        {
            let (_dir, file, path) = sparse();
            assert_eq!(places_with_data(&file), PLACES.len());
            let heard = run(&format!("[j]\nioengine={engine}\nfilename={path}\n{options}\n"));
            assert_eq!(heard.outcome(0).failure, None, "{engine} {options}");
            assert_eq!(heard.moved(0, Trim), (4, 16 * GIB), "{engine} {options}");
            assert_eq!(heard.outcome(0).ended_by, EndedBy::Size, "{engine} {options}");
            let trims = &heard.totals(0).directions.trim;
            assert_eq!((trims.short_ios, trims.errors), (0, 0), "{engine} {options}");
            assert_eq!(trims.completion.moments.count(), 4, "{engine} {options}");
            assert_eq!(places_with_data(&file), 0, "{engine} {options}");
        }
    }
}

#[test]
fn sizes_that_vary_are_counted_as_they_are() {
    let (_dir, file, path) = sparse();
    let heard = run(&format!("[j]\nioengine=psync\nfilename={path}\nrw=randtrim\nbssplit=1g/50:5g/50\n"));
    let sizes = &heard.outcome(0).sizes.trim;
    // Where less than 5 GiB of the map was free, a trim was shorter than drawn.
    assert!(sizes.iter().all(|(bytes, _)| bytes.is_multiple_of(GIB) && *bytes <= 5 * GIB), "{sizes:?}");
    let sums = sizes.iter().fold((0, 0), |(ios, sum), (bytes, n)| (ios + n, sum + bytes * n));
    assert_eq!(sums, heard.moved(0, Trim));
    assert_eq!(sums.1, 16 * GIB);
    assert_eq!(places_with_data(&file), 0);
}

/// 64 buffers of a tebibyte would not fit into any machine.
#[test]
fn a_trim_takes_no_buffer() {
    for engine in ["null", "nop"] {
        let heard = run(&format!("[j]\nioengine={engine}\nrw=trim\nbs=1t\nsize=256t\niodepth=64\n"));
        assert_eq!(heard.outcome(0).failure, None, "{engine}");
        assert_eq!(heard.moved(0, Trim), (256, 256 << 40), "{engine}");
    }
}

#[test]
fn a_ramp_leaves_all_of_the_size_to_the_measured_window() {
    let (_dir, _file, path) = sparse();
    for engine in ["psync", "io_uring"] {
        let heard =
            run(&format!("[j]\nioengine={engine}\nfilename={path}\nrw=trim\nbs=4g\nramp_time=100ms\n"));
        assert_eq!(heard.moved(0, Trim), (4, 16 * GIB), "{engine}");
        assert!(heard.windows.iter().any(|w| w.phase == Phase::Ramp), "{engine}");
    }
}

#[test]
fn logs_of_each_io_have_the_size_of_a_trim() {
    let logs = "write_bw_log=x\nwrite_iops_log=x\nwrite_lat_log=x";
    for engine in ["psync", "io_uring"] {
        let (_dir, _file, path) = sparse();
        let job = format!("[j]\nioengine={engine}\nfilename={path}\nrw=trim\nbs=4g\n{logs}\n");
        let heard = run(&job);
        assert!(heard.samples.iter().all(|s| (s.bytes, s.direction) == (4 * GIB, Trim)), "{engine}");
        let of = |kind| heard.samples.iter().filter(move |s| s.kind == kind);
        assert!(of(LogKind::Iops).map(|s| s.offset).eq([0, 4, 8, 12].map(|n| n * GIB)), "{engine}");
        let slowest = of(LogKind::Total).map(|s| s.value).max().unwrap();
        let least = 4 * GIB / 1024 * 1_000_000_000 / slowest;
        assert_eq!(of(LogKind::Bandwidth).map(|s| s.value).min(), Some(least), "{engine}");
        let averaged = run(&format!("{job}log_avg_msec=1000\n"));
        let mut busy = averaged.samples.iter().filter(|s| s.value > 0).peekable();
        assert!(busy.peek().is_some(), "{engine}");
        assert!(busy.all(|s| s.bytes == 0), "a window has no size: {engine}: {:?}", averaged.samples);
    }
}

/// Trims come after each `trim_backlog` writes, however many of these blocks they trim. As in fio.
#[test]
fn blocks_of_a_verification_are_trimmed_in_batches() {
    let runs = |options: &str| {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let heard = run(&format!(
            "[j]\nioengine=psync\ndirectory={}\nrw=write\nbs=4k\nsize=96k\nverify=crc32c\ntrim_percentage=100\n\
             trim_backlog=8\nwrite_lat_log=x\n{options}\n",
            dir.path().display()
        ));
        assert_eq!(heard.outcome(1).failure, None, "{options}");
        let ios = heard.samples.iter().filter(|s| s.kind == LogKind::Total).map(|s| s.direction);
        let ios: Vec<_> = ios.filter(|direction| [Write, Trim].contains(direction)).collect();
        ios.chunk_by(|one, other| one == other).map(|run| (run[0], run.len())).collect::<Vec<_>>()
    };
    assert_eq!(runs("trim_backlog_batch=0"), [(Write, 8), (Trim, 8)].repeat(3));
    assert_eq!(runs(""), runs("trim_backlog_batch=8"));
    assert_eq!(runs("trim_backlog_batch=3"), [(Write, 8), (Trim, 3)].repeat(3));
}
