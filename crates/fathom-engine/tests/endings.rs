//! Every job ends: when its time is over, by its own count, with an error, or
//! when it is asked to stop. With odd settings, a loop may find nothing to do; it
//! must still check its time and the request to stop.
//!
//! Jobs are combined from lists of settings. A job that does not end cannot be
//! stopped from outside, so each runs on a thread of its own. If it does not end,
//! the test fails with the text of the job.

use crate::support::{Files, Heard, try_planned};
use fathom_engine::clock::Clock;
use fathom_engine::runner::{LocalThreads, Patience, Runner};
use fathom_engine::sink::{Stop, StopReason};
use fathom_job::plan::Plan;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A job of a few milliseconds that has not ended after this has hung.
const LIMIT: Duration = Duration::from_secs(30);

/// What an I/O does and where it goes.
const PATTERNS: &[&str] = &[
    "rw=read",
    "rw=write",
    "rw=trim",
    "rw=rw",
    "rw=randread",
    "rw=randrw",
    "rw=randtrim",
    "rw=trimwrite",
    "rw=randtrimwrite",
    "rw=read:-2k",
    "rw=write:-4k",
    "rw=read:-6k",
    "rw=rw:-2k",
    "rw=rw:-512",
    "rw=trimwrite:-3k",
    "rw=read:-1g",
    "rw=write:1g",
    "rw=rw:8388607t",
    "rw=read:-8388607t",
    "rw=randread:4294967295",
    "rw=randwrite:3\nrw_sequencer=identical",
];

/// Block sizes, and the region that the blocks must fit into.
const SIZES: &[&str] = &[
    "bs=4k\nsize=64k",
    "bs=4k\nsize=4k",
    "bs=4k\nsize=10001",
    "bs=4k,8k,16k\nsize=40k",
    "bs=512\nsize=1536",
    "bs=1\nsize=3",
    "bsrange=1k-16k\nsize=20k",
    "bsrange=512-5k\nbs_unaligned\nsize=6001",
    "bssplit=512/10:4k/90,8k/100\nsize=8k",
    "bssplit=4k/60:12k/40\nsize=12k",
];

/// Everything else.
const EXTRAS: &[&str] = &[
    "",
    "norandommap",
    "softrandommap",
    "percentage_random=0",
    "percentage_random=50",
    "percentage_random=100",
    "random_distribution=zipf:1.2",
    "random_distribution=zoned:90/50:10/50",
    "blockalign=64k",
    "ba=512\nnorandommap",
    "offset=1k\noffset_increment=3k\nnumjobs=3",
    "nrfiles=3",
    "nrfiles=7\nfile_service_type=random",
    "nrfiles=2\nfile_service_type=sequential",
    "nrfiles=3\nopenfiles=1",
    "nrfiles=7\nopenfiles=2\nfile_service_type=random",
    "io_size=1",
    "io_size=1g",
    "number_ios=1",
    "loops=1000000",
    "fsync=1",
    "fdatasync=1\nfsync=2\nsync_file_range=write:3",
    "ramp_time=3ms",
    "thinktime=1h",
    "thinktime=1h\nthinktime_spin=1h\nthinktime_blocks=3\nthinktime_blocks_type=issue",
    "thinktime=1\nthinktime_iotime=1",
    "rate_iops=1",
    "rate=1",
    "rate=1,0",
    "rate_iops=0,1\nrate_process=poisson",
    "rate=1\nthinktime=1h\nrate_ignore_thinktime",
    "flow=1\nflow_sleep=1000000000",
    "flow=1\nnumjobs=2\nflow_id=3",
    "rwmixread=0",
    "rwmixread=100",
    "iodepth=16",
    "iodepth=16\niodepth_low=1",
    "iodepth=16\niodepth_batch=4\niodepth_batch_complete_min=16",
    "iodepth=16\niodepth_batch_complete_min=0",
    "compat=fio",
    "compat=fio\niodepth=16\niodepth_batch=7\niodepth_low=3\nfsync=2",
    "compat=fio\niodepth=8\niodepth_batch_complete_min=0",
];

/// These make a job longer than its `runtime`; it must still end when it is asked
/// to stop.
const WAITING: &[&str] = &[
    "startdelay=1h",
    "ramp_time=1h",
    "latency_target=1us\nlatency_window=1h\niodepth=8",
    "latency_target=1h\nlatency_run=1\niodepth=8",
    "latency_target=1h\nlatency_window=1h\nthinktime=1h",
];

/// Some jobs of all combinations: every pattern is combined with every kind of the others
/// now and then. The step has no common divisor with the lengths of the lists.
fn combinations(extras: &[&str], step: usize) -> Vec<String> {
    let all = PATTERNS.len() * SIZES.len() * extras.len();
    let one = |at: usize| {
        let (pattern, rest) = (PATTERNS[at % PATTERNS.len()], at / PATTERNS.len());
        let (size, rest) = (SIZES[rest % SIZES.len()], rest / SIZES.len());
        format!("{pattern}\n{size}\n{}\n", extras[rest % extras.len()])
    };
    (0..all).step_by(step).map(one).collect()
}

/// The plan of a job: on the null engine, or on files in `dir`. Many odd settings
/// may also be refused.
fn plan_of(options: &str, dir: Option<&Path>) -> Option<Plan> {
    let target = match dir {
        None => "ioengine=null".to_owned(),
        Some(dir) => format!("ioengine=psync\ndirectory={}", dir.display()),
    };
    try_planned(&format!("[j]\n{target}\ntime_based\n{options}"))
}

/// Runs the plan on a thread of its own, and asks it to stop after `stop_after`.
fn ends(plan: Plan, stop_after: Option<Duration>, text: &str) {
    let stop = Arc::new(Stop::default());
    let clock = Clock::calibrate(false);
    let interrupt = stop.clone();
    let runner = LocalThreads { targets: Arc::new(Files), clock, patience: Patience::USUAL };
    let (tell, told) = channel();
    std::thread::spawn(move || {
        runner.run(&Arc::new(plan), &interrupt, &mut Heard::default());
        let _ = tell.send(());
    });
    if let Some(after) = stop_after {
        std::thread::sleep(after);
        stop.request(StopReason::Interrupt);
    }
    if told.recv_timeout(LIMIT).is_err() {
        panic!("this job does not end (asked to stop after {stop_after:?}):\n{text}");
    }
}

/// Does this for many jobs, many at a time: most jobs wait most of their time.
fn all_end(jobs: &[String], runtime: &str, stop_after: Option<Duration>, on_files: bool) -> usize {
    let (next, ran) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let one = |job: &String| {
        let dir = on_files.then(|| tempfile::tempdir().unwrap());
        let text = format!("{job}runtime={runtime}\n");
        if let Some(plan) = plan_of(&text, dir.as_ref().map(|dir| dir.path())) {
            ends(plan, stop_after, &text);
            ran.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..48 {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    one(job);
                }
            });
        }
    });
    ran.into_inner()
}

#[test]
fn every_job_ends_when_its_time_is_over() {
    let jobs = combinations(EXTRAS, 131);
    let ran = all_end(&jobs, "4ms", None, false) + all_end(&jobs, "4ms", None, true);
    assert!(ran > jobs.len(), "{ran} of {} jobs could be planned", 2 * jobs.len());
}

#[test]
fn every_job_stops_when_it_is_asked_to() {
    let mut jobs = combinations(EXTRAS, 149);
    jobs.extend(combinations(WAITING, 67));
    let soon = Some(Duration::from_millis(4));
    let ran = all_end(&jobs, "1h", soon, false) + all_end(&jobs, "1h", soon, true);
    assert!(ran > jobs.len(), "{ran} of {} jobs could be planned", 2 * jobs.len());
}
