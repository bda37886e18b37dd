//! `ramp_size`: the bytes of the ramp are counted, and the measured window has those of the job.

use crate::support::{Heard, run};
use fathom_job::direction::Direction::{Read, Write};
use fathom_results::{EndedBy, Phase};

/// Bytes that a job moved in its ramp.
fn in_ramp(heard: &Heard, job: u32) -> u64 {
    let windows = heard.windows.iter().filter(|w| w.job == job && w.phase == Phase::Ramp);
    windows.flat_map(|w| w.directions.iter().map(|(_, d)| d.bytes)).sum()
}

#[test]
fn a_ramp_of_bytes_ends_with_the_io_that_reaches_them() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    for (engine, depth) in [("psync", 1), ("sync", 1), ("libaio", 16), ("io_uring", 16), ("posixaio", 4)] {
        for rw in ["write", "randread", "randrw"] {
            let heard = run(&format!(
                "[j]\nioengine={engine}\nfilename={}\nrw={rw}\nbs=4k\nsize=1m\niodepth={depth}\nramp_size=250k\n",
                path.display()
            ));
            let ramp = in_ramp(&heard, 0);
            // What completes in one look counts in one phase.
            let most = (252 << 10) + (depth - 1) * 4096;
            assert!((252 << 10..=most).contains(&ramp), "{engine} {rw}: {ramp}");
            let moved = heard.moved(0, Read).1 + heard.moved(0, Write).1;
            assert_eq!(moved, 1 << 20, "{engine} {rw}: all of size= is measured");
            assert_eq!(heard.outcome(0).ended_by, EndedBy::Size);
        }
    }
}

#[test]
fn the_first_of_time_and_bytes_ends_the_ramp() {
    let job = |options: &str| run(&format!("[j]\nioengine=null\nrw=read\nbs=4k\nsize=1m\n{options}"));
    let by_size = job("ramp_time=1h\nramp_size=64k\n");
    assert_eq!((in_ramp(&by_size, 0), by_size.moved(0, Read).1), (64 << 10, 1 << 20));
    let by_time = job("ramp_time=20ms\nramp_size=1000t\n");
    assert!(in_ramp(&by_time, 0) > 0);
    assert_eq!(by_time.moved(0, Read).1, 1 << 20);
}

#[test]
fn the_jobs_of_a_group_have_one_ramp() {
    let text = |group: &str| {
        format!(
            "[global]\nioengine=null\nrw=read\nbs=4k\nsize=1m\nrate_iops=2000\nramp_size=1m\n{group}\n\
             [a]\nnumjobs=3\n[b]\nrw=write\n"
        )
    };
    let heard = run(&text("group_reporting"));
    let all: u64 = (0..4).map(|job| in_ramp(&heard, job)).sum();
    // Each job ends its ramp with the next I/O after the group has moved them.
    assert!((1 << 20..=(1 << 20) + 4 * 4096).contains(&all), "{all}");
    for job in 0..4 {
        let share = in_ramp(&heard, job);
        assert!((200 << 10..=320 << 10).contains(&share), "{job}: {share}");
        assert_eq!(heard.moved(job, Read).1 + heard.moved(job, Write).1, 1 << 20);
    }
    let each = run(&text(""));
    assert!((0..4).all(|job| in_ramp(&each, job) == 1 << 20));
}
