//! Runs a plan on this machine: layout, start, collect, end.
//!
//! There is one thread per clone. The calling thread is the collector, and only
//! the collector uses the [`Sink`]. When a worker ends, the jobs that wait for it
//! can start. The loops share only the byte that asks them to stop.
//!
//! A target that stops answering does not hang the run. A watchdog reports it, and
//! after a while the run ends without that worker. Nothing that the worker has
//! measured is lost, because it lends the counts of its open window for the time of
//! each call (`worker::Loan`). Its thread stays in the kernel, which cannot
//! be changed. The thread that lays files out is watched in the same way.

mod collector;
mod crew;
mod gate;
mod laying;
mod open_files;
mod patience;
mod silence;
mod stuck;
mod thread;
mod watchdog;

pub use patience::Patience;

use crate::clock::Clock;
use crate::sink::{Sink, Stop};
use crate::target::TargetSource;
use collector::Collector;
use crew::Crew;
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{Event, EventKind, Frame};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// What a run needs besides its plan.
#[derive(Clone)]
pub struct RunContext {
    /// Where targets come from.
    pub targets: Arc<dyn TargetSource + Send + Sync>,
    /// The clock.
    pub clock: Clock,
    /// The request to stop the run from outside (a signal).
    pub interrupt: Arc<Stop>,
    /// How long a target may be silent.
    pub patience: Patience,
}

/// Messages that may wait for the collector: 4 of each of 1,024 workers. A collector
/// with more is seconds late, and the workers then go on in their open window.
const QUEUE: usize = 4096;

/// Runs every job of the plan; returns when all have ended. How each ended
/// goes to the sink as [`Frame::Ended`]. Returns how many workers were given up:
/// their threads are still in the kernel, and keep their targets open.
pub fn run(plan: &Arc<Plan>, setting: &RunContext, sink: &mut dyn Sink) -> usize {
    let open_files_max = open_files::make_room(plan);
    // Dropped after the channel, so that no worker is stuck at the channel when the
    // collector unwinds, and all workers are waited for.
    let mut crew = Crew::of(plan.jobs.len());
    let (out, inbox) = sync_channel(QUEUE);
    let given_up = Collector::new(plan, setting, sink, &mut crew, open_files_max).collect(&out, &inbox);
    for job in plan.jobs.iter().filter(|j| j.job.get(&opt::UNLINK)) {
        remove_files(job, setting, sink, &given_up);
    }
    given_up.len()
}

/// Removes the files that a job has made. Skips those of workers that were given
/// up: their targets do not answer, and would hang the end too.
fn remove_files(job: &PlannedJob, setting: &RunContext, sink: &mut dyn Sink, given_up: &[u32]) {
    for file in &job.files {
        let removed = match given_up.contains(&job.id) {
            true => Err(std::io::Error::other("it does not answer")),
            false => setting.targets.unlink(&file.path),
        };
        if let Err(e) = removed {
            let text = format!("{}: not removed: {e}", file.path);
            sink.frame(&Frame::Event(Event { at_ns: 0, job: Some(job.id), kind: EventKind::Unlink, text }));
        }
    }
}
