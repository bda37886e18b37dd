//! What goes wrong: failed preparation, failing targets, a sink that panics.
//! In each case the run ends, and says why.

use crate::support::{planned, run, run_plan, run_until};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::{Sink, Stop, StopReason};
use fathom_job::direction::Direction::{Read, Write};
use fathom_results::{EndedBy, Frame};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ENDLESS: &str = "ioengine=null\nrw=read\nsize=1g\ntime_based\nruntime=60s\n";

#[test]
fn a_worker_that_cannot_be_prepared_holds_up_no_other() {
    let text = format!(
        "[global]\n{SHORT}[good]\n[bad]\n[good2]\n",
        SHORT = "ioengine=null\nrw=read\nsize=1g\ntime_based\nruntime=100ms\n"
    );
    let mut plan = planned(&text);
    plan.jobs[1].cpus = Some(vec![1000]);
    let mut heard = crate::support::Heard::default();
    run_plan(plan, &Arc::default(), &mut heard);
    let why = heard.outcome(1).failure.clone().expect("the bad one fails");
    assert!(why.message.contains("cpus_allowed cannot be applied"), "{}", why.message);
    for good in [0, 2] {
        assert_eq!(heard.outcome(good).ended_by, EndedBy::Time);
        assert!(heard.moved(good, Read).0 > 0);
    }
    assert!(heard.windows.iter().all(|w| w.job != 1), "what never began has no window");
}

#[test]
fn a_layout_that_fails_ends_the_others_when_asked_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("on-full-disk");
    std::fs::write(&path, vec![0; 1 << 20]).unwrap();
    let heard = run(&format!(
        "[a]\n{ENDLESS}[b]\nioengine=psync\nfilename={}\nrw=read\nsize=2m\nfallocate=none\nexitall_on_error\n",
        path.display()
    ));
    assert_eq!(heard.outcome(1).ended_by, EndedBy::Error);
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Exitall);
}

#[test]
fn a_run_interrupted_before_its_start_does_no_io() {
    let stop = Arc::new(Stop::default());
    stop.request(StopReason::Interrupt);
    let heard = run_until(&format!("[global]\n{ENDLESS}[a]\n[b]\nstonewall\n"), &stop);
    for job in [0, 1] {
        assert_eq!(heard.outcome(job).ended_by, EndedBy::Interrupt);
        assert_eq!(heard.outcome(job).measured_ns, None);
    }
    assert!(heard.windows.is_empty());
}

#[test]
fn errors_in_a_deep_queue_are_told_once_and_drained() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("on-full-disk");
    std::fs::write(&path, vec![0; 1 << 20]).unwrap();
    // This target has no asynchronous write: io_submit(2) refuses each I/O.
    for (engine, errno) in [("io_uring", libc::ENOSPC), ("libaio", libc::EINVAL)] {
        let heard = run(&format!(
            "[j]\nioengine={engine}\nfilename={}\nrw=randwrite\nbs=4k\niodepth=16\n",
            path.display()
        ));
        let failure = heard.outcome(0).failure.clone().unwrap_or_else(|| panic!("{engine} fails"));
        assert_eq!(failure.errno, errno, "{engine}: {failure:?}");
        assert!(failure.message.contains("on-full-disk: write of 4096 bytes"), "{}", failure.message);
    }
}

#[test]
fn an_ignored_error_lets_the_job_run_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("on-full-disk");
    std::fs::write(&path, vec![0; 1 << 20]).unwrap();
    for engine in ["psync", "io_uring", "libaio"] {
        let heard = run(&format!(
            "[j]\nioengine={engine}\nfilename={}\nrw=randwrite\nbs=4k\niodepth=16\nignore_error=,ENOSPC:EINVAL\n",
            path.display()
        ));
        assert_eq!(heard.outcome(0).ended_by, EndedBy::Size, "{engine}");
        assert_eq!(heard.moved(0, Write), (0, 0), "{engine}");
    }
}

#[test]
fn every_io_on_a_page_that_is_gone_is_an_error_of_mmap() {
    for (rw, direction) in [("randread", Read), ("randwrite", Write)] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cut");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        // The file is mapped before the job waits for its start.
        let cut = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            file.set_len(1 << 19).unwrap();
        });
        let heard = run(&format!(
            "[j]\nioengine=mmap\nfilename={}\nrw={rw}\nbs=4k\nsize=1m\nnorandommap\ntime_based\n\
             startdelay=1s\nruntime=200ms\ncontinue_on_error=all\n",
            path.display()
        ));
        cut.join().unwrap();
        assert_eq!(heard.outcome(0).ended_by, EndedBy::Time, "{rw}");
        // The file has 128 pages that do not exist any more; I/O reaches each many times.
        let errors = heard.totals(0).directions[direction].errors;
        assert!(errors > 1000, "{rw}: {errors}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 1 << 19, "{rw}: nothing grew it again");
    }
}

#[test]
fn polling_a_target_that_cannot_poll_fails_and_does_not_spin() {
    // Memory-backed files refuse polled I/O with EOPNOTSUPP.
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let start = Instant::now();
    let heard = run(&format!(
        "[j]\nioengine=io_uring\nhipri\ndirect=1\nfilename={}\nrw=randread\nbs=4k\nsize=1m\niodepth=4\n",
        dir.path().join("f").display()
    ));
    let failure = heard.outcome(0).failure.clone().expect("it fails");
    assert_eq!(failure.errno, libc::EOPNOTSUPP, "{failure:?}");
    assert!(failure.message.contains("does not support this operation"), "{}", failure.message);
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Panics at the first window.
struct Fragile;

impl Sink for Fragile {
    fn frame(&mut self, frame: &Frame) {
        assert!(!matches!(frame, Frame::Window(_)), "the disk of the spool is gone");
    }
    fn log(&mut self, _chunk: LogChunk) {}
}

#[test]
fn a_sink_that_panics_leaves_no_worker_behind() {
    let plan = planned(&format!("[global]\n{ENDLESS}[a]\n[b]\nwrite_lat_log=x\nlog_avg_msec=0\n"));
    let start = Instant::now();
    let ended = catch_unwind(AssertUnwindSafe(|| run_plan(plan, &Arc::default(), &mut Fragile)));
    assert!(ended.is_err(), "the panic is not swallowed");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn many_workers_start_together_and_all_end() {
    let start = Instant::now();
    let heard = run("[j]\nioengine=null\nrw=randread\nsize=1m\nbs=4k\nnumjobs=64\n");
    assert_eq!(heard.outcomes.len(), 64);
    assert!((0..64).all(|job| heard.moved(job, Read) == (256, 1 << 20)));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
