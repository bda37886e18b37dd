//! What was planned, as a run keeps it.
//!
//! The parts of a job are saved as the planner has them: added fields there have a default, and a field never changes its
//! meaning. Files and the plan as a whole have types of their own, because a hundred thousand files in a row are one entry.

mod file;
mod of_plan;
mod section;

pub use file::{FileRecord, SCRATCH};
pub use section::{OptionRecord, SectionRecord};

use fathom_job::diagnostic::Diagnostic;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::engine::{self, EngineDef};
use fathom_job::job::Job;
use fathom_job::plan::{BlockSizes, Depth, EndRule, Expected, Pace};
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
    pub findings: Vec<Diagnostic>,
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
    pub block: PerDirection<BlockSizes>,
    /// Offsets of random I/O are multiples of this (`blockalign`).
    pub align: PerDirection<Bytes>,
    /// Queue depth, asked and reachable, and batching.
    pub depth: Depth,
    /// Submits and reaps exactly as fio does (`compat=fio`).
    pub compat_fio: bool,
    /// How fast it may go, when it pauses, and which rate and latency it must keep.
    pub pace: Pace,
    /// Files and the region of each that this clone touches.
    pub files: Vec<FileRecord>,
    /// What ends it.
    pub end: EndRule,
    /// Warm-up before the measured window.
    pub ramp: Nanos,
    /// It does not start before this time of the run (`startdelay`).
    pub start_delay: Nanos,
    /// Wait between the end of what it waits for and its start (`idle_before`).
    pub idle_before: Nanos,
    /// What it will probably move and take; `None` where that depends on the
    /// target's speed.
    pub expected: Expected,
    /// Buffers, maps and statistics of this worker.
    pub memory: Bytes,
    /// The job behind it: everything the plan does not repeat.
    #[serde(with = "section")]
    #[schemars(with = "SectionRecord")]
    pub job: Arc<Job>,
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
