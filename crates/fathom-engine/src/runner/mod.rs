//! Runs a plan: every job at its time, and what it measures to the sink.
//!
//! A [`Runner`] decides where the workers are and which clock they have. What a
//! job means (its order, its limits, its offsets, its pace) does not depend on the
//! runner, because all runners use the worker's loop.

mod collector;
mod crew;
mod gate;
mod local_threads;
mod open_files;
mod plan_time;
mod silence;
mod stuck;
mod thread;
mod virtual_time;
mod watchdog;

pub use local_threads::LocalThreads;
pub use plan_time::{MixedTime, PlanTime};
pub use virtual_time::VirtualTime;
pub use watchdog::Patience;

use crate::clock::Clock;
use crate::schedule::StartOrder;
use crate::sink::{Sink, Stop};
use crate::target::TargetSource;
use fathom_job::plan::Plan;
use std::sync::Arc;

/// Runs the jobs of a plan.
///
/// Only values cross this trait: the plan, frames with counts and histograms, and
/// one byte that asks to stop. So a runner may have its workers in threads, in other
/// processes or on other hosts. What only one host has (targets, a calibrated clock)
/// belongs to the runner that needs it.
///
/// A runner promises:
///
/// - **Start**: jobs start in the order of the plan's stages, stonewalls and
///   `wait_for`. Jobs that may start together do so at a barrier: none issues
///   I/O before all of them are prepared, except those that wait for their
///   `startdelay`, which counts from the start of the run in every stage. While no job runs, [`Sink::before_start`] names the jobs
///   before they start.
/// - **Frames**: each job gives one [`Frame::Ended`], whether it ran or not, and
///   nothing after it. The frames of one job come in the order of its time. Each
///   second of a job's time is a window, and the windows of a job add up to all
///   that it did. Times in frames count from the start of the run, in ns.
/// - **Sink**: one thread at a time calls it, and not after `run` has returned.
/// - **Stop**: after a request on `interrupt` no further job starts. A job that runs
///   stops when its worker next looks: after its next I/O, and at the latest after
///   a second of its time, if its target answers. It ends with
///   [`EndedBy::Interrupt`]. A runner does not clear the request.
/// - **Failures**: what goes wrong in a job, a panic in its engine included, is the
///   failure of that job and not of the run.
/// - **End**: `run` returns when every job has ended or was given up.
///
/// [`Frame::Ended`]: fathom_results::Frame::Ended
/// [`EndedBy::Interrupt`]: fathom_results::EndedBy::Interrupt
pub trait Runner {
    /// Runs every job of the plan to its end.
    fn run(&self, plan: &Arc<Plan>, interrupt: &Arc<Stop>, sink: &mut dyn Sink) -> RunnerEnd;
}

/// What a runner knows at the end, beside the frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunnerEnd {
    /// Plan ids of the workers that were given up, because their targets did not
    /// answer. They may still be inside the kernel, and keep their targets open.
    pub given_up: Vec<u32>,
}

/// What the threads of a run need besides its plan.
#[derive(Clone)]
struct RunContext {
    targets: Arc<dyn TargetSource + Send + Sync>,
    clock: Clock,
    /// The request to stop the run from outside (a signal).
    interrupt: Arc<Stop>,
    patience: Patience,
}

/// The jobs that may start now, marked as running; `None` when none may. While no job runs, the
/// sink hears of them before they start.
fn startable(schedule: &mut StartOrder<'_>, sink: &mut dyn Sink) -> Option<Vec<usize>> {
    let is_idle = schedule.is_idle();
    let ready = schedule.start();
    if is_idle && !ready.is_empty() {
        sink.before_start(&ready);
    }
    (!ready.is_empty()).then_some(ready)
}
