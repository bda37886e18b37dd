//! A worker: one thread, one clone of one job, everything it touches its own.
//!
//! [`Worker::prepare`] does all that costs time or memory before the start
//! barrier; the loops ([`sync_loop`], [`async_loop`]) then only generate,
//! submit, reap and record.

pub mod async_loop;
pub mod errors;
pub mod recorder;
pub mod sync_loop;

use crate::clock::Clock;
use crate::cpu;
use crate::desc::{Block, Desc};
use crate::engine::{Context, EngineEntry};
use crate::log::LogBuffer;
use crate::memory::{Layout, Region};
use crate::payload::Payload;
use crate::sink::Stop;
use crate::source::Source;
use crate::source::seed::fresh_seed;
use crate::tally::{Detail, Tally};
use crate::target::{OpenHow, OpenTarget, TargetSource};
use errors::Tolerance;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, JobFailure};
use recorder::{Message, Recorder, RecorderParts};
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
    /// What it measures.
    pub recorder: Recorder,
    /// Which errors it survives.
    pub tolerance: Tolerance,
    /// Who may stop it.
    pub stop: &'a Stop,
    /// Slots: most I/Os in flight.
    pub depth: u32,
    /// Called when everything is ready; returns at the common start.
    pub at_start: Box<dyn FnOnce() + Send + 'a>,
}

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
}

/// Tallies in circulation: one being filled, one on its way, one spare.
const TALLIES: usize = 3;

impl<'a> Worker<'a> {
    /// Opens, maps, fills and places everything, on the thread that will use
    /// it. Errors say what could not be done.
    pub fn prepare(
        plan: &'a PlannedJob,
        entry: &EngineEntry,
        shared: &Shared<'a>,
        at_start: Box<dyn FnOnce() + Send + 'a>,
    ) -> Result<Self, JobFailure> {
        cpu::place(plan).map_err(failed)?;
        let files = open_files(plan, shared.targets)?;
        let seed = seed(plan);
        let source = Source::new(plan, seed).map_err(|e| failure(0, e.to_string()))?;
        let depth = plan.depth.reachable.max(1);
        let mut buffers = map_buffers(plan, depth).map_err(failed)?;
        let payload = Payload::new(&plan.job, seed ^ BUFFER_SEED, &mut buffers);
        Ok(Worker {
            plan,
            files,
            buffers,
            payload,
            source,
            block: Block::new(),
            recorder: recorder(plan, entry, shared, depth),
            tolerance: Tolerance::of(&plan.job),
            stop: shared.stop,
            depth,
            at_start,
        })
    }

    /// What an engine is opened with.
    pub fn context(&self) -> Context<'_> {
        Context { plan: self.plan, files: &self.files, buffers: &self.buffers, depth: self.depth }
    }

    /// The next descriptor; `None` when there is nothing more to do.
    #[inline(always)]
    pub fn next_desc(&mut self) -> Option<Desc> {
        if let Some(desc) = self.block.take() {
            return Some(desc);
        }
        let source = &mut self.source;
        if self.block.refill(|out| source.fill(out)) { self.block.take() } else { None }
    }

    /// The ramp is over: the job begins anew, with all of its limits.
    pub fn restart(&mut self) {
        self.block.clear();
        self.source.restart();
    }

    /// Waits for the common start, then starts the clock.
    pub fn start(&mut self) {
        let at_start = std::mem::replace(&mut self.at_start, Box::new(|| {}));
        at_start();
        self.recorder.begin();
    }

    /// The rule behind a source that ran dry.
    pub fn ran_dry(&self) -> EndedBy {
        if self.source.ended_by_ios() { EndedBy::Ios } else { EndedBy::Size }
    }
}

/// Keeps buffer contents independent of the offsets drawn from the same seed.
const BUFFER_SEED: u64 = 0x6675_6c6c_2062_7566;

fn open_files(plan: &PlannedJob, targets: &dyn TargetSource) -> Result<Vec<OpenTarget>, JobFailure> {
    let job = &plan.job;
    let sync = job.get(&opt::SYNC);
    let how = OpenHow {
        write: plan.writes(),
        direct: plan.direct && plan.engine != "mmap",
        sync: sync == "sync",
        dsync: sync == "dsync",
    };
    let named = plan.files.iter().filter(|f| !f.path.is_empty());
    named.map(|f| targets.open(&f.path, how).map_err(failed)).collect()
}

/// `randrepeat` gives every run the same numbers; each clone has its own.
fn seed(plan: &PlannedJob) -> u64 {
    let job = &plan.job;
    if job.is_given(&opt::RANDSEED) || job.get(&opt::RANDREPEAT) {
        let seed = job.get(&opt::RANDSEED);
        return seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(plan.id));
    }
    fresh_seed()
}

fn map_buffers(plan: &PlannedJob, depth: u32) -> std::io::Result<Region> {
    let job = &plan.job;
    let huge = matches!(job.get(&opt::MEM), "shmhuge" | "mmaphuge");
    Region::map(Layout {
        slots: depth as usize,
        slot_bytes: plan.block_max().0 as usize,
        align: job.get(&opt::IOMEM_ALIGN).0 as usize,
        huge,
    })
}

fn recorder(plan: &PlannedJob, entry: &EngineEntry, shared: &Shared<'_>, depth: u32) -> Recorder {
    let used = PerDirection::from_fn(|d: Direction| plan.uses(d));
    let detail = Detail::of(&plan.job, entry.is_sync);
    let tally = || Box::new(Tally::new(detail, used, depth as usize, plan.writes()));
    Recorder::new(RecorderParts {
        clock: shared.clock,
        job: plan.id,
        tallies: (0..TALLIES).map(|_| tally()).collect(),
        out: shared.out.clone(),
        ramp_ns: plan.ramp.0,
        runtime_ns: plan.end.time.map(|t| t.0),
        log: LogBuffer::of(&plan.job, used, entry.is_sync),
    })
}

/// A failure with its errno and one sentence.
pub fn failure(errno: i32, message: String) -> JobFailure {
    JobFailure { errno, message, direction: None, offset: None }
}

fn failed(e: std::io::Error) -> JobFailure {
    failure(e.raw_os_error().unwrap_or(0), e.to_string())
}
