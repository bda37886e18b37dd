//! A worker: one thread, one clone of one job, everything it touches its own.
//!
//! [`Worker::prepare`] does all that costs time or memory before the start
//! barrier; the loops ([`sync_loop`], [`async_loop`]) then only generate,
//! submit, reap and record.

pub mod async_loop;
mod drain;
pub mod errors;
mod file_table;
mod fill;
mod fio_order;
mod floor;
mod loan;
mod paced;
mod prepare;
mod queue;
mod reap;
pub mod recorder;
mod stray;
pub mod sync_loop;
mod timetable;

use crate::clock::Clock;
use crate::desc::{Desc, DescBlock};
use crate::engine::Context;
use crate::hook::SharedHook;
use crate::log::{IssueLog, LogChunk};
use crate::memory::SlotMemory;
use crate::pace::{Flows, Pacer, SharedRamps};
use crate::payload::Payload;
use crate::sink::{Stop, StopReason};
use crate::source::Feed;
use crate::tally::Tally;
use crate::target::SharedDrive;
use crate::target::{OpenTarget, TargetSource};
use crate::verify::{Handover, Verifier, WrongBlock};
use crate::zones::{Claims, ZoneTables};
pub use drain::{DRAIN_NS, sync_at_end, syncs};
use errors::Tolerance;
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, JobFailure, JobOutcome, Phase, Window};
pub use file_table::FileTable;
pub use loan::{Lender, Loan};
use paced::Next;
use recorder::{Recorder, Turn};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// Everything that a worker owns, ready to start.
pub struct Worker<'a> {
    pub plan: &'a PlannedJob,
    pub files: Vec<OpenTarget>,
    pub simulated: Vec<SharedDrive>,
    /// Where an engine of names has them from.
    pub targets: &'a dyn TargetSource,
    /// Which files are open, if not all of the job's files are.
    pub file_table: Option<FileTable<'a>>,
    /// Why the worker cannot go on.
    pub broken: Option<JobFailure>,
    pub buffers: SlotMemory,
    pub payload: Payload,
    pub source: Feed,
    /// Descriptors made and not yet issued.
    pub block: DescBlock,
    pub is_plain: bool,
    /// An I/O that overlaps one in flight is held back (`serialize_overlap`).
    pub serializes: bool,
    pub writes: bool,
    pub pacer: Pacer,
    /// Does anything other than its target hold it back?
    pub is_paced: bool,
    pub recorder: Recorder,
    pub tolerance: Tolerance,
    /// The first I/O error after which the job went on.
    pub first_error: Option<JobFailure>,
    /// Lends the recorder while the worker is inside a call.
    pub lender: Lender<'a, Recorder>,
    pub stop: &'a Stop,
    /// Number of slots: the most I/Os in flight.
    pub depth: u32,
    /// Fills what it writes so that it can be verified, and checks what it reads.
    pub verifier: Option<Rc<RefCell<Verifier>>>,
    /// The places that it has in the zones of its files.
    pub zones: Option<Rc<RefCell<Claims>>>,
    /// Takes what is issued (`write_iolog`).
    pub issue_log: Option<Rc<RefCell<IssueLog>>>,
    /// Called when everything is ready.
    pub at_start: AtStart<'a>,
}

/// How long a job waits for one that uses the zones that it needs, before it looks again.
const OTHERS_NS: u64 = 20_000;

/// Waits for the common start, calls its argument, which starts the
/// worker's clock, and returns when the first I/O may be issued.
pub type AtStart<'a> = Box<dyn FnOnce(&mut dyn FnMut()) + Send + 'a>;

/// The I/O of a loop that is not complete when the ramp ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried {
    /// Taken from the block, and waiting to be issued.
    pub held: Option<Desc>,
    /// Reads, writes and trims in flight, which complete in the measured window.
    pub ios: u64,
    /// Bytes that they move.
    pub bytes: u64,
}

#[derive(Debug)]
pub struct WorkerEnd {
    pub ended_by: EndedBy,
    pub failure: Option<JobFailure>,
    pub notes: Vec<(String, String)>,
}

pub struct Shared<'a> {
    pub targets: &'a dyn TargetSource,
    pub open_files_max: usize,
    pub clock: Clock,
    pub out: SyncSender<RunnerMessage>,
    pub stop: &'a Stop,
    /// Where the worker lends what it measures.
    pub loan: &'a Loan<Recorder>,
    /// All jobs of the plan.
    pub jobs: &'a [PlannedJob],
    pub among_jobs: &'a SharedByJobs,
}

/// What the jobs of a run have together while they run.
#[derive(Debug)]
pub struct SharedByJobs {
    /// The counts of flows.
    pub flows: Flows,
    /// The bytes of the ramps of groups.
    pub ramps: SharedRamps,
    /// What jobs wrote that others read back.
    pub handover: Handover,
    /// The zones of the targets.
    pub zones: ZoneTables,
}

impl SharedByJobs {
    /// Nothing yet; `seed` is that of what is written.
    pub fn new(seed: u64) -> SharedByJobs {
        let (flows, ramps, zones) = Default::default();
        SharedByJobs { flows, ramps, handover: Handover::new(seed), zones }
    }
}

impl Worker<'_> {
    pub fn context(&self) -> Context<'_> {
        Context {
            plan: self.plan,
            files: &self.files,
            simulated: &self.simulated,
            targets: self.targets,
            replaces_files: self.file_table.is_some(),
            buffers: &self.buffers,
            depth: self.depth,
            clock: self.recorder.clock,
            hook: self.hook(),
        }
    }

    /// What is called for each I/O; the recording calls the verifier within it.
    pub fn hook(&self) -> Option<SharedHook> {
        let verifier = || self.verifier.clone().map(|verifier| -> SharedHook { verifier });
        let zones = || self.zones.clone().map(|zones| -> SharedHook { zones });
        self.issue_log.clone().map(|log| -> SharedHook { log }).or_else(verifier).or_else(zones)
    }

    /// Makes a call that may not return, and lends what was measured during the call.
    #[inline(always)]
    pub fn lend<R>(&mut self, call: impl FnOnce() -> R) -> R {
        self.lend_and(call, || ()).0
    }

    /// The same, with a closure that is called as soon as the call returns, for a stamp
    /// that does not include the end of lending. There are two closures, because a single
    /// one is too long to be compiled into the loop.
    #[inline(always)]
    pub fn lend_and<R, S>(&mut self, call: impl FnOnce() -> R, then: impl FnOnce() -> S) -> (R, S) {
        self.lender.during(&mut self.recorder, call, then)
    }

    /// Counts an I/O that failed while the job goes on.
    #[cold]
    pub fn count_error(&mut self, desc: &Desc, result: i32, reaped_at: u64) {
        self.recorder.add_error(desc.op(), reaped_at);
        if self.first_error.is_none() {
            self.first_error = Some(self.describe(desc, result));
        }
    }

    /// The message about one failed I/O, with all that is needed to find it.
    #[cold]
    pub fn describe(&self, desc: &Desc, result: i32) -> JobFailure {
        errors::describe(self.plan, &desc.in_file(self.file_of(desc.file())), result)
    }

    /// The ramp is over: the job's limits start from zero, and its offsets go on.
    fn restart(&mut self, carried: &Carried) {
        let Worker { source, block, file_table, .. } = self;
        let taken = std::iter::from_fn(|| block.take().map(|(desc, _)| desc));
        let file_of = |entry| file_table.as_ref().map_or(entry, |table| table.file_of(entry));
        let unissued = carried.held.into_iter().chain(taken).map(|desc| desc.in_file(file_of(desc.file())));
        source.restart(unissued, carried.ios, carried.bytes);
        source.take_back(block.take_held());
    }

    /// Waits for the common start, then starts the clock.
    pub fn start(&mut self) {
        if self.plan.replays.is_some() && self.file_table.is_none() {
            // The first I/Os of a trace are read before its first one is due: measured, that takes 0.3 to 0.6 ms.
            self.refill::<true>(0);
        }
        let at_start = std::mem::replace(&mut self.at_start, Box::new(|begin| begin()));
        let recorder = &mut self.recorder;
        at_start(&mut || {
            recorder.begin();
        });
        // The schedule of a rate begins when the first I/O may be issued.
        self.pacer.begin(self.recorder.clock.now());
    }

    /// Waits until something may have changed that the source waits for; returns the time. With I/Os of its own in flight it need not be
    /// called.
    #[cold]
    pub fn await_others(&mut self) -> u64 {
        let clock = self.recorder.clock;
        if self.source.is_blocked() {
            let until = clock.now() + clock.ticks(OTHERS_NS);
            if !clock.advance_to(until) {
                std::thread::sleep(Duration::from_nanos(OTHERS_NS));
            }
        }
        clock.now()
    }

    /// The rule that ended the job when its source has no more I/Os. A job of which no
    /// I/O fits has failed; otherwise it would seem to have done its work.
    pub fn ran_dry(&mut self) -> Result<EndedBy, JobFailure> {
        if let Some(why) = self.broken.take() {
            return Err(why);
        }
        if let Some(why) = self.source.failure() {
            return Err(failure(0, why.to_owned()));
        }
        if self.source.is_stuck() {
            return Err(errors::no_place(self.plan));
        }
        Ok(if self.source.ended_by_ios() { EndedBy::Ios } else { EndedBy::Size })
    }

    /// The note about the order of its calls, if that is fio's.
    pub fn habits(&self) -> Option<(String, String)> {
        let (name, habit) = fio_order::LABEL;
        self.plan.compat_fio.then(|| (name.into(), habit.into()))
    }

    /// The rule that ended the job when its measured time is over.
    pub fn time_over(&self) -> EndedBy {
        if self.pacer.is_settled() { EndedBy::Goal } else { EndedBy::Time }
    }

    /// The rule that ends the job after a request to stop.
    #[inline(always)]
    pub fn asked_to_stop(&self) -> Option<EndedBy> {
        self.stop.requested().map(StopReason::ended_by)
    }

    /// The clock passed the recorder's next stamp. When the ramp is over the
    /// limits of the job start from zero; `carried` returns the I/O that is not complete.
    #[cold]
    pub fn turn(&mut self, now: u64, carried: impl FnOnce() -> Carried) -> Result<Turn, JobFailure> {
        let turn = self.recorder.turn(now)?;
        if turn == Turn::RampOver {
            self.restart(&carried());
            self.payload.begin_measured();
            self.pacer.begin_measured(self.recorder.measured_from().unwrap_or(now));
        }
        Ok(turn)
    }

    /// The loop was ended by `ended`. A job that ends by its own count measures all
    /// of its I/O; for any other job the measured window ends here.
    pub fn end_measure(&mut self, ended: &Result<EndedBy, JobFailure>) {
        let rule = ended.as_ref().map_or(EndedBy::Error, |rule| *rule);
        if !matches!(rule, EndedBy::Size | EndedBy::Ios | EndedBy::Error) {
            self.recorder.end_measure(self.recorder.clock.now());
        }
    }
}

impl WorkerEnd {
    /// The end of a worker whose engine cannot be used here. The other workers start
    /// without it.
    pub fn unusable(e: crate::engine::EngineError) -> WorkerEnd {
        let errno = e.source.raw_os_error().unwrap_or(0);
        let failure = Some(failure(errno, e.to_string()));
        WorkerEnd { ended_by: EndedBy::Error, failure, notes: Vec::new() }
    }
}

pub fn failure(errno: i32, message: String) -> JobFailure {
    JobFailure { errno, message, direction: None, offset: None }
}

/// One message on the channel that all threads of a run share.
#[derive(Debug)]
pub enum RunnerMessage {
    Window {
        job: u32,
        phase: Phase,
        /// First instant, ns since the run began.
        start_ns: u64,
        end_ns: u64,
        /// The counts, to be returned empty.
        tally: Box<Tally>,
        /// Where to return it.
        back: SyncSender<Box<Tally>>,
    },
    /// A window in which nothing ended.
    Quiet {
        job: u32,
        phase: Phase,
        /// First instant, ns since the run began.
        start_ns: u64,
        end_ns: u64,
        in_flight: u32,
    },
    Phase {
        job: u32,
        phase: Phase,
        /// Stamp of its beginning, ns since the run began.
        at_ns: u64,
    },
    /// The files of a clone are laid out: bytes written, or why that failed.
    LaidOut {
        job: u32,
        result: Result<u64, JobFailure>,
    },
    Log(LogChunk),
    /// The content of a wrong block, to be saved.
    WrongBlock(Box<WrongBlock>),
    /// What a job has written so far.
    VerifyState {
        job: u32,
        /// Its state, as the bytes of a file.
        bytes: Vec<u8>,
    },
    Ended(Box<JobOutcome>),
}

/// The window of counts that a worker has sent, from `span_ns.0` to `span_ns.1`. The
/// tally goes back to the worker, empty.
pub fn window_of(
    job: u32,
    phase: Phase,
    span_ns: (u64, u64),
    mut tally: Box<Tally>,
    back: &SyncSender<Box<Tally>>,
) -> Window {
    let window = tally.window(job, phase, span_ns.0, span_ns.1);
    tally.clear();
    let _ = back.try_send(tally);
    window
}
