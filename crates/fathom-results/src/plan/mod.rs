//! What was planned, as a run keeps it.
//!
//! These types are the saved form of a plan and nothing else: the planner's own types may change
//! without a saved run becoming unreadable. Added fields have a default; a field never changes its
//! meaning. Format 1 is read by the same types.

mod file;
mod finding;
mod of_plan;
mod pace;
mod section;

pub use file::{FileRecord, SCRATCH};
pub use finding::FindingRecord;
pub use pace::{FlowRecord, GoalRecord, PaceRecord, RateRecord, ThinkRecord};
pub use section::{OptionRecord, SectionRecord};

use fathom_job::direction::{Direction, PerDirection};
use fathom_job::engine::{self, EngineDef};
use fathom_job::job::Job;
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::Rw;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that will run, in start order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// One entry per clone.
    pub jobs: Vec<JobRecord>,
    /// Warnings and notes; never an error.
    pub findings: Vec<FindingRecord>,
}

/// One clone of one job, resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobRecord {
    /// Number over the whole plan, from 0 (fio's thread number less one).
    pub id: u32,
    /// Job name; clones share it.
    pub name: String,
    /// Clone number, from 0.
    pub subjob: u32,
    /// fio's `groupid`: the reporting group.
    pub group: u32,
    /// Barrier stage: a job starts when every job of an earlier stage ended.
    pub stage: u32,
    /// Starts when all clones of this job ended (`wait_for`).
    pub wait_for: Option<String>,
    /// Engine name.
    pub engine: String,
    /// CPUs it may run on, ascending, all of them present; `None` inherits.
    pub cpus: Option<Vec<usize>>,
    /// Bypasses the page cache (`direct=1`, or `buffered=0`).
    pub direct: bool,
    /// Access pattern.
    pub rw: Rw,
    /// Percent of I/Os that are reads, for mixed patterns.
    pub read_percent: u8,
    /// Block sizes by direction.
    pub block: PerDirection<BlockRecord>,
    /// Offsets of random I/O are multiples of this (`blockalign`).
    pub align: PerDirection<Bytes>,
    /// Queue depth, asked and reachable, and batching.
    pub depth: DepthRecord,
    /// Submits and reaps exactly as fio does (`compat=fio`).
    #[serde(default)]
    pub compat_fio: bool,
    /// How fast it may go, when it pauses, and which rate and latency it must keep.
    #[serde(default)]
    pub pace: PaceRecord,
    /// Files and the region of each that this clone touches.
    pub files: Vec<FileRecord>,
    /// What ends it.
    pub end: EndRecord,
    /// Warm-up before the measured window.
    pub ramp: Nanos,
    /// It does not start before this time of the run (`startdelay`).
    pub start_delay: Nanos,
    /// Wait between the end of what it waits for and its start (`idle_before`).
    #[serde(default)]
    pub idle_before: Nanos,
    /// What it will probably move and take; `None` where that depends on the
    /// target's speed.
    pub expected: ForecastRecord,
    /// Buffers, maps and statistics of this worker.
    pub memory: Bytes,
    /// The job behind it: everything the plan does not repeat.
    #[serde(with = "section")]
    #[schemars(with = "SectionRecord")]
    pub job: Arc<Job>,
}

/// The block sizes of one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum BlockRecord {
    /// Always this.
    Fixed(Bytes),
    /// Uniform over the multiples of `low` up to `high`.
    Range {
        /// Smallest and step.
        low: Bytes,
        /// Largest.
        high: Bytes,
    },
    /// Weighted by number of I/Os; percents sum to 100.
    Split(Vec<(Bytes, u8)>),
}

/// Queue depth and batching. `None` means the engine's natural batching:
/// submit all that is ready, wait for one, take all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DepthRecord {
    /// `iodepth=` as asked.
    pub asked: u32,
    /// What this engine can reach with this job; with `compat=fio`, what fio
    /// counts as reached.
    pub reachable: u32,
    /// Refill only after draining to this many in flight (`iodepth_low`).
    pub low: Option<u32>,
    /// Most I/Os per submit call, when the job says so.
    pub submit_batch: Option<u32>,
    /// Completions to wait for per reap, when the job says so.
    pub complete_min: Option<u32>,
    /// Most completions taken per reap, when the job says so.
    pub complete_max: Option<u32>,
}

/// What ends a clone: whichever comes first. Limits count from the end of the ramp, whose bytes and
/// I/Os do not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndRecord {
    /// Bytes moved, all directions and loops together; a whole number of I/Os
    /// when there is one block size. A trimwrite job moves each byte twice.
    pub bytes: Option<Bytes>,
    /// I/Os issued, all directions and loops together (`number_ios`).
    pub ios: Option<u64>,
    /// Time.
    pub time: Option<Nanos>,
    /// Passes over the region.
    pub loops: u32,
    /// The region is repeated until the time is over.
    pub time_based: bool,
    /// How the limit in bytes is kept pass by pass; `None` where there is none
    /// (and in results of fathom before passes had limits).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<PassesRecord>,
    /// It also ends, without an error, when no space is left for a write (`fill_device`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub when_full: bool,
}

/// The limits in bytes that decide when a pass ends and whether another one follows. All are
/// checked before an I/O, so the last one may exceed them by less than a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassesRecord {
    /// A pass ends when it has moved this much, if its files do not end it
    /// before.
    pub pass: Bytes,
    /// No pass goes on once the job has moved this much.
    pub job: Bytes,
    /// After `loops` passes another one begins while the job lacks at least one
    /// largest block of this (`io_size`); 0 where no more than `loops` are
    /// asked.
    pub wanted: Bytes,
}

/// A forecast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastRecord {
    /// Bytes moved.
    pub bytes: Option<Bytes>,
    /// Duration with ramp and start delay.
    pub time: Option<Nanos>,
}

impl BlockRecord {
    /// Smallest size it can produce.
    pub fn min(&self) -> Bytes {
        match self {
            BlockRecord::Fixed(b) => *b,
            BlockRecord::Range { low, .. } => *low,
            BlockRecord::Split(s) => s.iter().map(|(b, _)| *b).min().unwrap_or_default(),
        }
    }

    /// Smallest and largest size it can produce.
    pub fn ends(&self) -> [Bytes; 2] {
        let low = match self {
            BlockRecord::Fixed(bytes) => *bytes,
            BlockRecord::Range { low, .. } => *low,
            BlockRecord::Split(parts) => parts.iter().map(|(bytes, _)| *bytes).min().unwrap_or_default(),
        };
        [low, self.max()]
    }

    /// Largest size it can produce.
    pub fn max(&self) -> Bytes {
        match self {
            BlockRecord::Fixed(b) => *b,
            BlockRecord::Range { high, .. } => *high,
            BlockRecord::Split(s) => s.iter().map(|(b, _)| *b).max().unwrap_or_default(),
        }
    }
}

impl JobRecord {
    /// Did the pattern issue I/O in this direction? A mix of 0 % or 100 %
    /// counts only the side that happened.
    pub fn uses(&self, direction: Direction) -> bool {
        self.rw.mix.issues(self.read_percent, direction)
    }

    /// Did it change what the target held?
    pub fn writes(&self) -> bool {
        self.uses(Direction::Write) || self.uses(Direction::Trim)
    }

    /// What is known of its engine; `None` for one of another version.
    pub fn engine_def(&self) -> Option<&'static EngineDef> {
        engine::named(&self.engine)
    }

    /// Largest block of any direction in use.
    pub fn block_max(&self) -> Bytes {
        self.block.iter().filter(|(d, _)| self.uses(*d)).map(|(_, b)| b.max()).max().unwrap_or_default()
    }

    /// Largest block that was read or written: 0 for a job that did nothing but trim.
    pub fn transfer_max(&self) -> Bytes {
        let moves_data = self.uses(Direction::Read) || self.uses(Direction::Write);
        if moves_data { self.block_max() } else { Bytes(0) }
    }
}
