//! Every engine does exactly the I/O that its job asks for.

use crate::support::run;
use fathom_job::direction::Direction::{Read, Trim, Write};
use fathom_results::{EndedBy, Phase};
use std::collections::{BTreeSet, HashSet};

const ENGINES: [&str; 9] =
    ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "io_uring", "mmap"];

fn file() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("target").to_string_lossy().into_owned();
    (dir, path)
}

#[test]
fn bytes_written_by_each_engine_are_read_back_by_size() {
    for engine in ENGINES {
        for rw in ["write", "randwrite", "read", "randread"] {
            let (_dir, path) = file();
            let heard = run(&format!(
                "[j]\nioengine={engine}\nfilename={path}\nrw={rw}\nbs=4k\nsize=1m\niodepth=8\ndirect=0\n"
            ));
            let direction = if rw.ends_with("write") { Write } else { Read };
            assert_eq!(heard.outcome(0).failure, None, "{engine} {rw}");
            assert_eq!(heard.moved(0, direction), (256, 1 << 20), "{engine} {rw}");
            assert_eq!(heard.outcome(0).ended_by, EndedBy::Size, "{engine} {rw}");
        }
    }
}

#[test]
fn sequential_writes_put_every_block_where_it_belongs() {
    for engine in ENGINES {
        let (_dir, path) = file();
        run(&format!(
            "[j]\nioengine={engine}\nfilename={path}\nrw=write\nbs=4k\nsize=64k\nbuffer_pattern=0xabcd\nend_fsync=1\n"
        ));
        let data = std::fs::read(&path).unwrap();
        assert_eq!(data.len(), 65536, "{engine}");
        assert!(data.chunks(2).all(|c| c == [0xab, 0xcd]), "{engine}: {:x?}", &data[..8]);
    }
}

#[test]
fn random_writes_with_the_map_touch_every_block_once() {
    let (_dir, path) = file();
    std::fs::write(&path, vec![0u8; 1 << 20]).unwrap();
    let heard = run(&format!(
        "[j]\nioengine=io_uring\nfilename={path}\nrw=randwrite\nbs=4k\niodepth=16\nrefill_buffers=1\n"
    ));
    assert_eq!(heard.moved(0, Write), (256, 1 << 20));
    let data = std::fs::read(&path).unwrap();
    assert!(data.chunks(4096).all(|block| block.iter().any(|&b| b != 0)));
}

#[test]
fn reads_and_writes_share_the_work_as_asked() {
    let heard =
        run("[j]\nioengine=null\nrw=randrw\nrwmixread=70\nbs=4k\nsize=400m\niodepth=32\nnorandommap\n");
    let (reads, writes) = (heard.moved(0, Read).0, heard.moved(0, Write).0);
    assert_eq!(reads + writes, 102_400);
    let (low, high) = fathom_stats::binomial_bounds(102_400, 0.7, 0.999_9).unwrap();
    assert!((low..=high).contains(&reads), "{reads} reads, expected {low} to {high}");
}

#[test]
fn sizes_follow_a_split() {
    let heard = run("[j]\nioengine=null\nrw=randread\nbssplit=1k/10:4k/80:16k/10\nsize=400m\nnorandommap\n");
    let sizes = &heard.outcome(0).sizes.read;
    assert_eq!(sizes.iter().map(|s| s.0).collect::<Vec<_>>(), [1024, 4096, 16384]);
    let counts: Vec<u64> = sizes.iter().map(|s| s.1).collect();
    let all = counts.iter().sum::<u64>() as f64;
    let expected = [0.1, 0.8, 0.1].map(|share| share * all);
    let statistic = counts.iter().zip(expected).map(|(n, e)| (*n as f64 - e).powi(2) / e).sum();
    let p = fathom_stats::chi_square_p_value(statistic, 2);
    assert!(p > 0.0001, "p = {p}, {sizes:?}");
    let bytes: u64 = sizes.iter().map(|s| s.0 * s.1).sum();
    assert_eq!(heard.moved(0, Read), (counts.iter().sum(), bytes));
}

#[test]
fn sizes_are_those_that_were_sent() {
    // Within a random map an I/O is shorter than drawn where less is free.
    let heard = run("[j]\nioengine=null\nrw=randread\nbssplit=4k/60:64k/30:1m/10\nsize=64m\nloops=2\n");
    let sizes = &heard.outcome(0).sizes.read;
    let sums = sizes.iter().fold((0, 0), |(ios, sum), (bytes, n)| (ios + n, sum + bytes * n));
    assert_eq!(sums, heard.moved(0, Read));
    assert!(sizes.len() > 3, "{sizes:?}");
}

#[test]
fn the_depth_asked_for_is_reached() {
    for (engine, depth) in [("null", 32), ("io_uring", 32), ("libaio", 16)] {
        let (_dir, path) = file();
        let heard = run(&format!(
            "[j]\nioengine={engine}\nfilename={path}\nrw=randread\nbs=4k\nsize=16m\niodepth={depth}\ndirect=1\n"
        ));
        let maps = heard.totals(0).maps.depth;
        let class = u32::ilog2(depth) as usize;
        let all: u64 = maps.iter().sum();
        assert!(maps[class] * 100 >= all * 98, "{engine}: {maps:?}");
    }
}

#[test]
fn explicit_batches_are_kept() {
    let (_dir, path) = file();
    let heard = run(&format!(
        "[j]\nioengine=libaio\nfilename={path}\nrw=randread\nbs=4k\nsize=16m\ndirect=1\niodepth=32\niodepth_batch=16\niodepth_batch_complete=16\n"
    ));
    let maps = heard.totals(0).maps;
    assert_eq!(maps.submit, [0, 0, 0, 256, 0, 0, 0]);
    // The last reaps may be smaller.
    assert!(maps.complete[3] >= 250, "{:?}", maps.complete);
}

#[test]
fn a_low_mark_makes_the_queue_drain_before_it_is_filled() {
    let heard = run(
        "[j]\nioengine=null\nrw=read\nbs=4k\nsize=64m\niodepth=32\niodepth_low=8\niodepth_batch_complete_max=4\n",
    );
    let maps = heard.totals(0).maps;
    assert_eq!(heard.moved(0, Read).0, 16384);
    // 32 once, then 24 at a time, from 8 to 32: all in the class 17 to 32.
    assert!(maps.submit[4] >= 682 && maps.submit[1..4].iter().sum::<u64>() <= 1, "{:?}", maps.submit);
    assert_eq!(maps.complete[1], 4096, "reaped by four: {:?}", maps.complete);
}

#[test]
fn synchronous_engines_have_one_io_in_flight() {
    let (_dir, path) = file();
    let heard = run(&format!("[j]\nioengine=psync\nfilename={path}\nrw=randrw\nbs=4k\nsize=1m\n"));
    let maps = heard.totals(0).maps;
    assert_eq!(maps.depth, [256, 0, 0, 0, 0, 0, 0]);
    assert_eq!((maps.submit, maps.complete), ([0, 256, 0, 0, 0, 0, 0], [0, 256, 0, 0, 0, 0, 0]));
}

#[test]
fn loops_and_io_size_repeat_the_region() {
    for options in ["loops=3", "io_size=3m"] {
        for rw in ["read", "randread"] {
            let heard = run(&format!("[j]\nioengine=null\nrw={rw}\nbs=4k\nsize=1m\n{options}\n"));
            assert_eq!(heard.moved(0, Read), (768, 3 << 20), "{options} {rw}");
        }
    }
}

#[test]
fn number_ios_ends_the_job() {
    let heard = run("[j]\nioengine=null\nrw=read\nbs=4k\nsize=1g\nnumber_ios=1000\n");
    assert_eq!(heard.moved(0, Read).0, 1000);
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Ios);
}

#[test]
fn time_ends_the_job_and_the_ramp_counts_apart() {
    let heard = run("[j]\nioengine=null\nrw=randread\nsize=1g\ntime_based\nruntime=1s\nramp_time=500ms\n");
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Time);
    let (from, to) = heard.outcome(0).measured_ns.unwrap();
    assert!((990_000_000..1_500_000_000).contains(&(to - from)), "{}", to - from);
    let ramp: Vec<_> = heard.windows.iter().filter(|w| w.phase == Phase::Ramp).collect();
    assert!(!ramp.is_empty());
    assert!(ramp.iter().all(|w| w.end_ns <= from + 1_000_000));
}

#[test]
fn trims_punch_holes_and_trimwrite_fills_them() {
    let (_dir, path) = file();
    std::fs::write(&path, vec![1u8; 1 << 20]).unwrap();
    let heard = run(&format!("[j]\nioengine=io_uring\nfilename={path}\nrw=randtrim\nbs=4k\n"));
    assert_eq!(heard.moved(0, Trim), (256, 1 << 20));
    assert!(std::fs::read(&path).unwrap().iter().all(|&b| b == 0));
    let heard = run(&format!("[j]\nioengine=psync\nfilename={path}\nrw=trimwrite\nbs=4k\n"));
    assert_eq!((heard.moved(0, Trim).0, heard.moved(0, Write).0), (256, 256));
    assert!(std::fs::read(&path).unwrap().chunks(4096).all(|b| b.iter().any(|&x| x != 0)));
}

#[test]
fn the_fsync_family_comes_as_often_as_asked() {
    for (option, expected) in
        [("fsync=4", 63), ("fdatasync=16", 15), ("sync_file_range=write:8", 31), ("end_fsync=1", 1)]
    {
        for engine in ["psync", "io_uring", "libaio"] {
            let (_dir, path) = file();
            let heard = run(&format!(
                "[j]\nioengine={engine}\nfilename={path}\nrw=write\nbs=4k\nsize=1m\n{option}\n"
            ));
            assert_eq!(heard.totals(0).sync.moments.count(), expected, "{engine} {option}");
        }
    }
}

#[test]
fn several_files_are_served_in_turn() {
    let dir = tempfile::tempdir().unwrap();
    let heard = run(&format!(
        "[j]\nioengine=psync\ndirectory={}\nnrfiles=4\nrw=write\nbs=4k\nsize=4m\n",
        dir.path().display()
    ));
    assert_eq!(heard.moved(0, Write), (1024, 4 << 20));
    let lengths: Vec<u64> =
        std::fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).collect();
    assert_eq!(lengths, [1 << 20; 4]);
}

/// Blocks of 4 KiB of a file.
fn blocks(path: &std::path::Path) -> Vec<Vec<u8>> {
    std::fs::read(path).unwrap().chunks(4096).map(<[u8]>::to_vec).collect()
}

#[test]
fn no_block_of_any_file_is_laid_out_twice() {
    let dir = tempfile::tempdir().unwrap();
    let job = format!(
        "[j]\nioengine=psync\ndirectory={}\nnrfiles=2\nnumjobs=3\nrw=read\nbs=4k\nsize=256k\n",
        dir.path().display()
    );
    assert_eq!(run(&job).outcomes.len(), 3);
    let files: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path()).collect();
    let all: Vec<Vec<u8>> = files.iter().flat_map(|file| blocks(file)).collect();
    assert_eq!((files.len(), all.len()), (6, 192));
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 192);
}

#[test]
fn a_second_run_of_the_same_seed_writes_other_data() {
    let (_dir, path) = file();
    let job = format!("[j]\nioengine=psync\nfilename={path}\nrw=write\nbs=4k\nsize=1m\nrandseed=7\n");
    let written = || {
        run(&job);
        blocks(path.as_ref())
    };
    let (first, second) = (written(), written());
    assert!(first.iter().zip(&second).all(|(one, other)| one != other));
}

#[test]
fn a_mixed_job_does_not_write_back_what_it_has_read() {
    for engine in ["psync", "vsync", "pvsync2", "mmap", "libaio", "posixaio", "io_uring"] {
        let (_dir, path) = file();
        std::fs::write(&path, vec![0xffu8; 1 << 20]).unwrap();
        run(&format!(
            "[j]\nioengine={engine}\nfilename={path}\nrw=randrw\nbs=4k\nsize=1m\niodepth=4\n\
             buffer_pattern=0xdeadbeef\n"
        ));
        let (old, new): (Vec<_>, Vec<_>) =
            blocks(path.as_ref()).into_iter().partition(|block| block.iter().all(|&byte| byte == 0xff));
        assert!(old.len() > 64 && new.len() > 64, "{engine}: {} read, {} written", old.len(), new.len());
        let is_pattern = |block: &Vec<u8>| block.chunks(4).all(|word| word == [0xde, 0xad, 0xbe, 0xef]);
        assert!(new.iter().all(is_pattern), "{engine}");
    }
}

#[test]
fn a_ramp_leaves_the_whole_size_to_the_measured_window() {
    for (rw, direction) in [("read", Read), ("randwrite", Write)] {
        let (_dir, path) = file();
        let heard =
            run(&format!("[j]\nioengine=psync\nfilename={path}\nrw={rw}\nbs=4k\nsize=1m\nramp_time=200ms\n"));
        assert_eq!(heard.moved(0, direction), (256, 1 << 20), "{rw}");
        assert!(heard.windows.iter().any(|w| w.phase == Phase::Ramp), "{rw}: the ramp's windows are kept");
    }
}

#[test]
fn a_sequential_mix_stays_sequential() {
    let heard = run("[j]\nioengine=null\nrw=rw\nrwmixread=50\nbs=4k\nsize=4m\nwrite_iops_log=x\n");
    for direction in [Read, Write] {
        let offsets: Vec<u64> =
            heard.samples.iter().filter(|s| s.direction == direction).map(|s| s.offset).collect();
        assert!(offsets.len() > 400, "{direction:?}: {}", offsets.len());
        assert!(offsets.iter().enumerate().all(|(n, &offset)| offset == n as u64 * 4096), "{direction:?}");
    }
}

#[test]
fn sequential_jobs_with_holes_go_round_until_their_size_is_moved() {
    for (rw, first) in [("read:4k", [0, 8192]), ("read:-8k", [(1 << 20) - 8192, (1 << 20) - 12288])] {
        let heard = run(&format!("[j]\nioengine=null\nrw={rw}\nbs=4k\nsize=1m\nwrite_iops_log=x\n"));
        assert_eq!(heard.moved(0, Read), (256, 1 << 20), "{rw}");
        let offsets: Vec<u64> = heard.samples.iter().take(2).map(|s| s.offset).collect();
        assert_eq!(offsets, first, "{rw}");
    }
}

#[test]
fn sizes_that_differ_by_direction_stay_whole_and_aligned() {
    let heard = run("[j]\nioengine=null\nrw=randrw\nbs=4k,64k\nsize=32m\nwrite_iops_log=x\n");
    assert!(heard.samples.len() > 300);
    for sample in &heard.samples {
        let size = if sample.direction == Read { 4096 } else { 65536 };
        assert_eq!((sample.bytes, sample.offset % size), (size, 0), "{sample:?}");
    }
}

#[test]
fn what_was_in_flight_at_the_end_of_the_ramp_counts_towards_the_limits() {
    let (_dir, path) = file();
    for (options, expected) in [("size=512k", 128), ("size=4m\nnumber_ios=100", 100)] {
        let heard = run(&format!(
            "[j]\nioengine=io_uring\nfilename={path}\nrw=randread\nbs=4k\niodepth=64\ndirect=1\nramp_time=200ms\n{options}\n"
        ));
        assert_eq!(heard.moved(0, Read).0, expected, "{options}");
    }
}

/// Of 3,073 lengths between 1 and 4 KiB four are multiples of the lower one.
#[test]
fn sizes_are_multiples_of_the_smallest_unless_they_need_not_be() {
    let sizes = |option: &str| {
        let heard = run(&format!(
            "[j]\nioengine=null\nrw=read\nbsrange=1k-4k\nsize=4m\nwrite_iops_log=x\n{option}\n"
        ));
        assert_eq!(heard.outcome(0).failure, None, "{option}");
        // The last one may be shorter, because no more is left of the region.
        let whole = heard.samples[..heard.samples.len() - 1].iter().map(|io| io.bytes);
        whole.collect::<BTreeSet<u64>>()
    };
    assert_eq!(sizes(""), BTreeSet::from([1024, 2048, 3072, 4096]));
    let unaligned = sizes("bs_unaligned=1");
    assert!(unaligned.len() > 1000 && unaligned.iter().all(|bytes| (1024..=4096).contains(bytes)));
}
