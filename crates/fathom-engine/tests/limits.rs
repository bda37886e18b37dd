//! Limits that a job breaks with its last I/O, and the end of what is measured.

use crate::support::{Heard, run};
use fathom_job::direction::Direction::{Read, Write};
use fathom_results::EndedBy;

const SECOND: u64 = 1_000_000_000;

fn virtually(options: &str) -> Heard {
    run(&format!(
        "[j]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nsize=1g\nnorandommap\nbs=4k\n{options}\n"
    ))
}

#[test]
fn the_last_io_may_break_a_limit() {
    for options in [
        "oracle_latency=constant:2ms\nmax_latency=1ms\nnumber_ios=1",
        "oracle_latency=constant:100us\noracle_stall=900ms:3s\nmax_latency=50ms\ntime_based\nruntime=1",
    ] {
        let heard = virtually(options);
        let failure = heard.outcome(0).failure.clone().unwrap_or_else(|| panic!("{options}: it fails"));
        assert_eq!(failure.errno, libc::ETIMEDOUT, "{}", failure.message);
    }
    let dir = tempfile::tempdir().unwrap();
    let one = format!(
        "[j]\nioengine=psync\nfilename={}\nrw=write\nbs=64k\nsize=64k\nsync=dsync\nmax_latency=1us\n",
        dir.path().join("t").display()
    );
    assert!(run(&one).outcome(0).failure.is_some(), "nothing is written durably within 1 µs");
}

#[test]
fn seconds_of_a_stall_across_the_end_are_below_a_floor() {
    let heard = virtually(
        "oracle_latency=constant:100us\noracle_stall=3500ms:60s\nrate_iops_min=1000\ntime_based\nruntime=6",
    );
    let failure = heard.outcome(0).failure.clone().expect("it stood still");
    assert!(failure.message.contains("below rate_iops_min=1000"), "{}", failure.message);
}

#[test]
fn a_job_that_ends_by_time_was_measured_to_the_end_of_it() {
    let heard = virtually("oracle_latency=constant:1ms\nrate_iops=1\ntime_based\nruntime=4");
    let outcome = heard.outcome(0);
    let (from, to) = outcome.measured_ns.unwrap();
    assert_eq!((outcome.ended_by, heard.moved(0, Read).0, to - from), (EndedBy::Time, 4, 4 * SECOND));
    let counted = virtually("oracle_latency=constant:1ms\nnumber_ios=3");
    let (from, to) = counted.outcome(0).measured_ns.unwrap();
    assert_eq!(to - from, 3_000_000, "to its last completion");
}

#[test]
fn a_search_finds_the_same_depth_with_a_log() {
    for log in ["", "write_lat_log=x\n"] {
        let heard = virtually(&format!(
            "oracle_latency=queue:100us\niodepth=16\nlatency_target=450us\nlatency_window=100ms\n{log}runtime=60"
        ));
        let notes = &heard.outcome(0).notes;
        let depth =
            notes.iter().find(|(name, _)| name == "latency_target.depth").map(|(_, value)| value.as_str());
        assert_eq!(depth, Some("4"), "{log}");
    }
}

/// 16,384 I/Os in flight on a device that does 150 of them a second.
const SLOW: &str = "oracle_latency=queue:6670us\niodepth=16384\ntime_based\nruntime=1";

#[test]
fn a_deep_queue_on_a_slow_device_is_waited_for() {
    for order in ["", "compat=fio\niodepth_batch=16384\n"] {
        let heard = virtually(&format!("{order}{SLOW}"));
        let outcome = heard.outcome(0);
        assert_eq!((outcome.ended_by, &outcome.failure), (EndedBy::Time, &None), "{order}");
        let (from, to) = outcome.measured_ns.unwrap();
        assert_eq!(to - from, SECOND, "{order}: the wait is not part of the measured time");
        let reads = &heard.totals(0).directions[Read];
        assert_eq!(reads.ios, 149, "{order}: one every 6.67 ms");
        assert!(reads.ios + reads.drained.ios >= 16_384, "{order}");
        // Windows go on during the drain, so that a kill loses no more than usual, and
        // the run knows that the target answers.
        let longest = heard.windows.iter().map(|w| w.end_ns - w.start_ns).max();
        assert_eq!(longest, Some(SECOND), "{order}");
    }
}

#[test]
fn patience_at_the_end_counts_from_the_last_completion() {
    // One completion per second, and none from second 6 to second 50. The floor belongs
    // to the job, which is over: it is not judged during the drain.
    let heard = virtually(
        "oracle_latency=queue:1s\niodepth=16\noracle_stall=5500ms:44s\nrate_iops_min=1000\ntime_based\nruntime=1",
    );
    let failure = heard.outcome(0).failure.clone().expect("nothing completes for 44 s");
    assert_eq!(failure.errno, libc::ETIMEDOUT);
    let message = "11 I/Os did not complete within 30 s of the last completion after the end of the job";
    let reads = &heard.totals(0).directions[Read];
    assert_eq!((failure.message.as_str(), reads.ios + reads.drained.ios), (message, 5));
}

#[test]
fn syncs_are_no_ios_of_a_pause() {
    let dir = tempfile::tempdir().unwrap();
    for engine in ["psync", "io_uring"] {
        let heard = run(&format!(
            "[j]\nioengine={engine}\nfilename={}\nrw=write\nbs=4k\nsize=160k\nfsync=1\nthinktime=100ms\n\
             thinktime_blocks=10\n",
            dir.path().join(engine).display()
        ));
        // Forty writes: a pause after each ten of them.
        let (from, to) = heard.outcome(0).measured_ns.unwrap();
        assert_eq!(heard.moved(0, Write).0, 40);
        let pauses = (to - from) / 100_000_000;
        assert!((3..7).contains(&pauses), "{engine}: {pauses} pauses");
    }
}
