//! `cpuio`: a load on a CPU beside the jobs with I/O.

use crate::support::{Heard, run, try_planned};
use fathom_job::direction::Direction;
use fathom_results::{EndedBy, JobOutcome};

/// The CPU time of a job as a share of the time that it was measured.
fn share(outcome: &JobOutcome) -> f64 {
    let (from, to) = outcome.measured_ns.unwrap();
    (outcome.usage.user_ns + outcome.usage.system_ns) as f64 / (to - from) as f64
}

fn did_nothing(heard: &Heard, job: u32) -> bool {
    Direction::ALL.into_iter().all(|direction| heard.moved(job, direction) == (0, 0))
}

/// On a machine with other work a burn gets less than the CPU; more than its share it never gets. The first burn may begin after the
/// window, and end in it.
#[test]
fn a_load_uses_its_share_of_a_cpu_and_no_file() {
    for (options, most) in [("cpuload=25", 0.30), ("cpuload=50", 0.55), ("cpuload=300\ncpumode=qsort", 1.01)]
    {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("untouched");
        // What [global] says of I/O is meant for other jobs.
        let heard = run(&format!(
            "[global]\nfilename={}\nrw=write\nbs=1m\nsize=1g\nrate=1k\nverify=crc32c\n[cpu]\nioengine=cpuio\n{options}\n\
             cpuchunks=5000\nruntime=1\n",
            file.display()
        ));
        let outcome = heard.outcome(0);
        assert_eq!((&outcome.failure, outcome.ended_by), (&None, EndedBy::Time), "{options}");
        let share = share(outcome);
        assert!(share > most / 20.0 && share < most, "{options}: {share}");
        assert!(did_nothing(&heard, 0) && !file.exists(), "{options}");
    }
}

#[test]
fn a_load_ends_with_the_last_io_where_it_is_told_to() {
    let io = "ioengine=null\nrw=read\nsize=1m\nrate_iops=1000\n";
    let load = "ioengine=cpuio\ncpuload=10\ncpuchunks=1000\n";
    let heard = run(&format!("[cpu]\n{load}exit_on_io_done=1\n[a]\n{io}[b]\nstartdelay=1\n{io}"));
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Exitall);
    assert!(heard.outcome(0).at_ns >= heard.outcome(2).at_ns, "not with the first job, but with the last");
    assert_eq!((heard.moved(1, Direction::Read).0, heard.moved(2, Direction::Read).0), (256, 256));
    let heard = run(&format!("[cpu]\n{load}exit_on_io_done=1\n[a]\n{io}create_only=1\n"));
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Exitall, "what need not start has ended, too");
    let heard = run(&format!("[cpu]\n{load}runtime=1\n[a]\n{io}"));
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Time, "it was not told to");
}

#[test]
fn a_load_needs_a_percentage_and_an_end() {
    let is_planned = |job: &str| try_planned(&format!("[cpu]\nioengine=cpuio\n{job}\n")).is_some();
    assert!(is_planned("cpuload=50\nruntime=5"));
    assert!(!is_planned("runtime=5"), "no percentage, as in fio");
    assert!(!is_planned("cpuload=50"), "no end");
    assert!(!is_planned("cpuload=50\nexit_on_io_done=1"), "there is no I/O that could be done");
    assert!(is_planned("cpuload=50\nexit_on_io_done=1\n[a]\nioengine=null\nrw=read\nsize=1m"));
}
