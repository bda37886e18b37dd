//! The runner of this machine: one thread per clone.
//!
//! The calling thread is the collector, and only the collector uses the [`Sink`].
//! When a worker ends, the jobs that wait for it can start. The loops share only
//! the byte that asks them to stop.
//!
//! A target that stops answering does not hang the run. A watchdog reports it, and
//! after a while the run ends without that worker. Nothing that the worker has
//! measured is lost, because it lends the counts of its open window for the time of
//! each call (`worker::Loan`). Its thread stays in the kernel, which cannot
//! be changed. The thread that lays files out is watched in the same way.

use super::collector::Collector;
use super::crew::Crew;
use super::watchdog::Patience;
use super::{RunContext, Runner, RunnerEnd, open_files};
use crate::clock::Clock;
use crate::sink::{Sink, Stop};
use crate::target::TargetSource;
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{Event, EventKind, Frame};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Messages that may wait for the collector: 4 of each of 1,024 workers. A collector
/// with more is seconds late, and the workers then go on in their open window.
const QUEUE: usize = 4096;

/// Runs a plan on this machine, in real time.
#[derive(Clone)]
pub struct LocalThreads {
    /// Where targets come from.
    pub targets: Arc<dyn TargetSource + Send + Sync>,
    /// The clock.
    pub clock: Clock,
    /// How long a target may be silent.
    pub patience: Patience,
}

impl Runner for LocalThreads {
    fn run(&self, plan: &Arc<Plan>, interrupt: &Arc<Stop>, sink: &mut dyn Sink) -> RunnerEnd {
        let LocalThreads { targets, clock, patience } = self.clone();
        let setting = RunContext { targets, clock, interrupt: interrupt.clone(), patience };
        let open_files_max = open_files::make_room(plan);
        // Dropped after the channel, so that no worker is stuck at the channel when the
        // collector unwinds, and all workers are waited for.
        let mut crew = Crew::of(plan.jobs.len());
        let (out, inbox) = sync_channel(QUEUE);
        let given_up = Collector::new(plan, &setting, sink, &mut crew, open_files_max).collect(&out, &inbox);
        for job in plan.jobs.iter().filter(|j| j.job.get(&opt::UNLINK)) {
            remove_files(job, &setting, sink, &given_up);
        }
        RunnerEnd { given_up }
    }
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
