//! A worker: one thread, one clone of one job, everything it touches its own.
//!
//! [`Worker::prepare`] does all that costs time or memory before the start
//! barrier; the loops ([`sync_loop`], [`async_loop`]) then only generate,
//! submit, reap and record.

mod abandon;
pub mod async_loop;
mod batch;
mod batching;
mod drain;
pub mod errors;
mod fill;
mod fio_order;
mod floor;
mod free;
pub mod message;
mod paced;
mod prepare;
mod queue;
mod reap;
pub mod recorder;
mod row;
mod stray;
pub mod sync_loop;
#[cfg(test)]
mod tests;
mod timetable;

pub use drain::DRAIN_NS;
use paced::Next;

use crate::clock::Clock;
use crate::desc::{Block, Desc};
use crate::engine::Context;
use crate::memory::Region;
use crate::pace::{Flows, Pacer};
use crate::payload::Payload;
use crate::sink::{Stop, StopReason};
use crate::source::Source;
use crate::target::{OpenTarget, TargetSource};
use errors::Tolerance;
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, JobFailure};
use message::Message;
use recorder::{Recorder, Turn};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// Everything a worker owns, ready to start.
pub struct Worker<'a> {
    /// Its plan.
    pub plan: &'a PlannedJob,
    /// Its open files.
    pub files: Vec<OpenTarget>,
    /// Its buffers.
    pub buffers: Region,
    /// What it writes.
    pub payload: Payload,
    /// What it does.
    pub source: Source,
    /// Descriptors made and not yet issued.
    pub block: Block,
    /// Nothing but reads and writes.
    pub is_plain: bool,
    /// Does it write?
    pub writes: bool,
    /// When the next I/O may start.
    pub pacer: Pacer,
    /// Does anything hold it back but its target?
    pub is_paced: bool,
    /// What it measures.
    pub recorder: Recorder,
    /// Which errors it survives.
    pub tolerance: Tolerance,
    /// The first that it did.
    pub first_error: Option<JobFailure>,
    /// Who may stop it.
    pub stop: &'a Stop,
    /// Slots: most I/Os in flight.
    pub depth: u32,
    /// Called when everything is ready.
    pub at_start: AtStart<'a>,
}

/// Waits for the common start, calls what it is given, which starts the
/// worker's clock, and returns when the first I/O may be issued.
pub type AtStart<'a> = Box<dyn FnOnce(&mut dyn FnMut()) + Send + 'a>;

/// How a worker's loop ended.
#[derive(Debug)]
pub struct WorkerEnd {
    /// By which rule.
    pub ended_by: EndedBy,
    /// Why it failed, if it did.
    pub failure: Option<JobFailure>,
    /// What the engine found.
    pub notes: Vec<(String, String)>,
}

/// What a worker shares with its run.
pub struct Shared<'a> {
    /// Where targets come from.
    pub targets: &'a dyn TargetSource,
    /// The run's clock.
    pub clock: Clock,
    /// To the collector.
    pub out: SyncSender<Message>,
    /// Who may stop it.
    pub stop: &'a Stop,
    /// Flows of the run.
    pub flows: Arc<Flows>,
}

impl Worker<'_> {
    /// What an engine is opened with.
    pub fn context(&self) -> Context<'_> {
        Context {
            plan: self.plan,
            files: &self.files,
            buffers: &self.buffers,
            depth: self.depth,
            clock: self.recorder.clock,
        }
    }

    /// An I/O failed, and the job goes on.
    #[cold]
    pub fn count_error(&mut self, desc: &Desc, result: i32, seen: u64) {
        self.recorder.add_error(desc.op(), seen);
        let plan = self.plan;
        self.first_error.get_or_insert_with(|| errors::describe(plan, desc, result));
    }

    /// The ramp is over: the job begins anew, with all of its limits.
    pub fn restart(&mut self) {
        self.block.clear();
        self.source.restart();
    }

    /// Waits for the common start, then starts the clock.
    pub fn start(&mut self) {
        let at_start = std::mem::replace(&mut self.at_start, Box::new(|begin| begin()));
        let recorder = &mut self.recorder;
        at_start(&mut || {
            recorder.begin();
        });
        // The schedule of a rate begins when the first I/O may be issued.
        self.pacer.begin(self.recorder.clock.now());
    }

    /// The rule behind a source that ran dry. Where nothing fits, a job has
    /// failed: it would else seem to have done its work.
    pub fn ran_dry(&self) -> Result<EndedBy, JobFailure> {
        if self.source.is_stuck() {
            return Err(errors::no_place(self.plan));
        }
        Ok(if self.source.ended_by_ios() { EndedBy::Ios } else { EndedBy::Size })
    }

    /// Whose habits its calls follow, where they are not our own.
    pub fn habits(&self) -> Option<(String, String)> {
        let (name, habit) = fio_order::LABEL;
        self.plan.compat_fio.then(|| (name.into(), habit.into()))
    }

    /// The rule behind the end of the measured time.
    pub fn time_over(&self) -> EndedBy {
        if self.pacer.is_settled() { EndedBy::Goal } else { EndedBy::Time }
    }

    /// The rule by which somebody asks it to stop.
    #[inline(always)]
    pub fn asked_to_stop(&self) -> Option<EndedBy> {
        self.stop.requested().map(|reason| match reason {
            StopReason::Exitall => EndedBy::Exitall,
            StopReason::Interrupt => EndedBy::Interrupt,
        })
    }

    /// The clock passed the recorder's next stamp. When the ramp is over the job
    /// begins anew; what is under way in the loop is the loop's to forget.
    #[cold]
    pub fn turn(&mut self, now: u64) -> Result<Turn, JobFailure> {
        let turn = self.recorder.turn(now)?;
        if turn == Turn::RampOver {
            self.restart();
            self.pacer.begin_measured(now);
        }
        Ok(turn)
    }
}

impl WorkerEnd {
    /// The end of a worker whose engine cannot be used here; the others start
    /// without it.
    pub fn unusable(e: crate::engine::EngineError) -> WorkerEnd {
        let errno = e.source.raw_os_error().unwrap_or(0);
        let failure = Some(failure(errno, e.to_string()));
        WorkerEnd { ended_by: EndedBy::Error, failure, notes: Vec::new() }
    }
}

/// A failure with its errno and one sentence.
pub fn failure(errno: i32, message: String) -> JobFailure {
    JobFailure { errno, message, direction: None, offset: None }
}
