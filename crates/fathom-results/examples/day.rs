//! A day of eight jobs: 691,200 windows, to measure how long they take to load.
//!
//! `day write DIR` saves such a run, and `day load DIR` loads it. `cargo xtask bench --load` does both.
//! Each window has 700 I/Os with a latency of about 5 ms, which fill some 300 buckets.
#![allow(clippy::print_stdout, reason = "this is a program")]

use fathom_job::direction::Direction;
use fathom_results::{
    DirectionWindow, EndedBy, Frame, JobOutcome, LatencyWindow, Phase, RunRecord, SpoolWriter, Window, load,
};
use fathom_stats::{Histogram, SplitMix64, normal_quantile};
use fixture::RunBuilder;
use std::io;
use std::path::Path;

#[path = "../../fathom-figures/src/fixture/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of other crates use the rest of it")]
mod fixture;

const JOBS: u32 = 8;
const SECOND_NS: u64 = 1_000_000_000;
const SECONDS: u64 = 24 * 3600;
const IOS: u64 = 700;

/// Windows that differ; they repeat.
const DIFFERENT: u64 = 500;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", dir] => write(Path::new(dir)).expect("the directory is empty and can be written"),
        ["load", dir] => read(Path::new(dir)),
        _ => panic!("usage: day write|load DIR"),
    }
}

fn read(dir: &Path) {
    let run = load(dir).expect("`day write` wrote the run");
    assert_eq!(run.incomplete, None);
    let ios: u64 = run.jobs.iter().map(|job| job.totals.directions.read.ios).sum();
    assert_eq!(ios, u64::from(JOBS) * SECONDS * IOS);
    println!("{ios} I/Os");
}

fn write(dir: &Path) -> io::Result<()> {
    let mut record = record();
    let mut spool = SpoolWriter::create(dir, &record.id)?;
    let mut random = SplitMix64::new(1);
    let different: Vec<_> = (0..DIFFERENT).map(|_| counts(&mut random)).collect();
    for second in 0..SECONDS {
        for job in 0..JOBS {
            let mut window = Window::quiet(job, Phase::Measure, second * SECOND_NS, (second + 1) * SECOND_NS);
            let number = second * u64::from(JOBS) + u64::from(job);
            window.directions = vec![(Direction::Read, different[(number % DIFFERENT) as usize].clone())];
            [window.depth[2], window.submit[1], window.complete[1]] = [IOS; 3];
            spool.append(&Frame::Window(Box::new(window)))?;
        }
    }
    for job in 0..JOBS {
        spool.append(&Frame::Ended(Box::new(outcome(job))))?;
    }
    record.save_sealed(dir, spool.extent())
}

fn record() -> RunRecord {
    RunBuilder::of(&format!("rw=randread bs=4k filename=/dev/vda runtime=86400 time_based numjobs={JOBS}"))
        .run()
        .record
}

fn counts(random: &mut SplitMix64) -> DirectionWindow {
    let mut histogram = Histogram::new();
    for _ in 0..IOS {
        let share = (random.next_bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let deviation = normal_quantile(share).unwrap_or(0.0);
        histogram.record((5e6 * (0.5 * deviation).exp()) as u64);
    }
    let latency = LatencyWindow { moments: *histogram.totals(), histogram: Some(histogram.sparse()) };
    let (total, completion) = (latency.clone(), latency);
    DirectionWindow { ios: IOS, bytes: IOS * 4096, total, completion, ..DirectionWindow::default() }
}

fn outcome(job: u32) -> JobOutcome {
    let at_ns = SECONDS * SECOND_NS;
    JobOutcome {
        job,
        at_ns,
        ended_by: EndedBy::Time,
        failure: None,
        first_error: None,
        measured_ns: Some((0, at_ns)),
        usage: Default::default(),
        layout_bytes: 0,
        sizes: Default::default(),
        notes: Vec::new(),
    }
}
