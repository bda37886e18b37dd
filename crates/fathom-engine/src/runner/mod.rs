//! Runs a plan on this machine: layout, start, collect, end.
//!
//! One thread a clone; the calling thread is the collector, which alone owns
//! the [`Sink`]. A worker that ends frees those that wait for it; nothing here
//! is shared with the loops but the byte that asks them to stop.

mod collector;
mod gate;
mod thread;

use crate::clock::Clock;
use crate::layout::Layout;
use crate::sink::{Sink, Stop};
use crate::target::TargetSource;
use collector::{Collector, LaidOut};
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{Event, Frame, Phase};
use std::sync::mpsc::sync_channel;

/// What a run needs besides its plan.
pub struct Setting<'a> {
    /// Where targets come from.
    pub targets: &'a dyn TargetSource,
    /// The clock.
    pub clock: Clock,
    /// Asked to stop from outside (a signal).
    pub interrupt: &'a Stop,
}

/// Messages that may wait for the collector: 16 windows of 1,024 workers would
/// be a collector seconds behind; then workers go on in their open window.
const QUEUE: usize = 4096;

/// Runs every job of the plan; returns when all have ended. How each ended
/// goes to the sink as [`Frame::Ended`].
pub fn run(plan: &Plan, setting: &Setting<'_>, sink: &mut dyn Sink) {
    let stops: Vec<Stop> = plan.jobs.iter().map(|_| Stop::default()).collect();
    let laid_out = lay_out(plan, setting, sink);
    std::thread::scope(|scope| {
        // The channel lives inside: when the collector unwinds, it closes, and
        // no worker is stuck at it.
        let (out, inbox) = sync_channel(QUEUE);
        Collector::new(plan, setting, sink, &stops, laid_out).collect(scope, &out, &inbox);
    });
    for job in plan.jobs.iter().filter(|j| j.job.get(&opt::UNLINK)) {
        remove_files(job, setting, sink);
    }
}

fn lay_out(plan: &Plan, setting: &Setting<'_>, sink: &mut dyn Sink) -> LaidOut {
    let mut layout = Layout::default();
    let mut one = |job: &PlannedJob| {
        let at_ns = setting.clock.since_origin(setting.clock.now());
        sink.frame(&Frame::Phase { job: job.id, phase: Phase::Prepare, at_ns });
        layout.prepare(job, setting.targets, setting.interrupt)
    };
    plan.jobs.iter().map(&mut one).collect()
}

fn remove_files(job: &PlannedJob, setting: &Setting<'_>, sink: &mut dyn Sink) {
    for file in &job.files {
        if let Err(e) = setting.targets.unlink(&file.path) {
            let text = format!("{}: not removed: {e}", file.path);
            sink.frame(&Frame::Event(Event { at_ns: 0, job: Some(job.id), kind: "unlink".into(), text }));
        }
    }
}
