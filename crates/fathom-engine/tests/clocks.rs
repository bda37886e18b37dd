//! The clock of a run: `clock_speed`, and `clocksource`, which changes nothing.

use crate::support::run;
use fathom_job::direction::Direction::Read;
use std::time::{Duration, Instant};

/// 20 seconds of the job take a tenth of a second, and less than 20 seconds on a machine that is a hundred times too slow.
#[test]
fn a_rehearsal_has_the_time_of_the_job_in_less_than_real_time() {
    let begun = Instant::now();
    let heard =
        run("[j]\nioengine=null\nrw=randread\nbs=4k\nsize=1m\nrate_iops=10\ntime_based\nruntime=20s\n\
                     clock_speed=200\n");
    let real = begun.elapsed();
    let (from, to) = heard.outcome(0).measured_ns.unwrap();
    let measured = Duration::from_nanos(to - from);
    assert!(measured > Duration::from_secs(19) && real < measured, "{measured:?} in {real:?}");
    assert!(heard.moved(0, Read).0 > 0);
}

/// The clock is always the best one of the machine, and the result names it.
#[test]
fn the_clock_is_the_same_whatever_source_a_job_names() {
    let clock = |options: &str| {
        let heard = run(&format!("[j]\nioengine=null\nrw=read\nbs=4k\nsize=64k\n{options}\n"));
        assert_eq!((&heard.outcome(0).failure, heard.moved(0, Read).0), (&None, 16), "{options}");
        let notes = &heard.outcome(0).notes;
        notes.iter().find(|(name, _)| name == "clock").map(|(_, clock)| clock.clone()).expect("it is named")
    };
    let own = clock("");
    assert!(["tsc", "monotonic-raw"].contains(&&*own), "{own}");
    for source in ["cpu", "clock_gettime", "gettimeofday"] {
        assert_eq!(clock(&format!("clocksource={source}")), own, "{source}");
    }
}
