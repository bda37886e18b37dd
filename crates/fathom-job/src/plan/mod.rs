//! The plan: every job resolved, one entry per clone, before anything runs.
//!
//! A plan is what `--plan` prints and what the engine executes; both see the
//! same numbers. It is made from jobs plus what is known of the machine, which
//! the caller looks up ([`Machine`], [`TargetLookup`]): this crate does no I/O.

mod atomic;
mod batching;
mod blocks;
mod build;
mod cpu_load;
mod cpus;
mod duration;
mod ends;
mod files;
#[cfg(test)]
pub(crate) mod fixture;
mod layout;
mod listed;
mod memory;
mod names;
mod notes;
mod overlap;
mod pace;
pub mod passthrough;
mod print;
mod print_words;
mod quiet;
mod read_back;
mod region;
mod replay;
pub mod section;
mod steady;
mod strides;
mod target;
mod terms;
#[cfg(test)]
mod tests;
mod verify;
mod verify_headers;
mod written_data;
mod zones;

pub use batching::WaitedSync;
pub(crate) use blocks::sizes as block_sizes;
pub(crate) use blocks::{covers_once, read_percent};
pub use build::{FILES_ALL_MAX, TRIM_BITS, TRIM_MAX, plan};
pub use cpus::{MissingCpus, ranges};
pub use duration::JobTime;
pub use files::{FileList, TARGET_MISSING, file_names};
pub use layout::{NO_SPACE, is_until_full};
pub use memory::NO_MEMORY;
pub(crate) use notes::{at, at_name};
pub use pace::{Arrivals, Flow, LatencyGoal, Pace, Rate, Think, ThinkCounts};
pub use quiet::reads_cold;
pub use replay::ReplayPlan;
pub use strides::{StridePlan, strides};
pub use target::{
    AtomicLimits, Machine, TargetFacts, TargetKind, TargetLookup, engine_of, simulated_facts,
    simulated_instead, simulated_model,
};
pub use verify::{Backlog, LOST, VerifyPlan, VerifyPolicy, VerifyTrim};
pub use written_data::{StoredShare, stored_share};
pub use zones::{TargetZones, ZONES_EMPTY, ZonePlan, most_open, zones};

use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
use crate::engine::{self, EngineDef};
use crate::job::Job;
use crate::units::{Bytes, Nanos};
use crate::value::{FileOrder, Rw};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that will run, in start order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One entry per clone.
    pub jobs: Vec<PlannedJob>,
    /// Warnings and notes; never an error.
    pub findings: Vec<Diagnostic>,
}

/// One clone of one job, resolved.
pub type PlannedJob = ResolvedJob<FileList>;

/// One clone of one job, resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobRecord"))]
pub struct ResolvedJob<Files> {
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
    /// CPUs that it names and the machine does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_cpus: Option<MissingCpus>,
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
    /// How what it writes or reads is verified; `None` where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifyPlan>,
    /// Plan id of the job whose writes it reads back and checks; it starts when that job has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_back: Option<u32>,
    /// The trace whose I/Os it issues (`read_iolog`); `None` where it makes its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replays: Option<ReplayPlan>,
    /// How fast it may go, when it pauses, and which rate and latency it must keep.
    pub pace: Pace,
    /// Files and the region of each that this clone touches.
    pub files: Files,
    /// What ends it.
    pub end: EndRule,
    /// Warm-up before the measured window.
    pub ramp: Nanos,
    /// It does not start before this time of the run, in which stage it may be (`startdelay`).
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
    #[cfg_attr(feature = "schema", schemars(with = "section::SectionRecord"))]
    pub job: Arc<Job>,
}

/// The block sizes of one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum BlockSizes {
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

impl BlockSizes {
    /// Smallest size it can produce.
    pub fn min(&self) -> Bytes {
        match self {
            BlockSizes::Fixed(b) => *b,
            BlockSizes::Range { low, .. } => *low,
            BlockSizes::Split(s) => s.iter().map(|(b, _)| *b).min().unwrap_or_default(),
        }
    }

    /// The mean over many I/Os, bytes.
    pub fn mean(&self) -> f64 {
        match self {
            BlockSizes::Fixed(size) => size.0 as f64,
            BlockSizes::Range { low, high } => low.0 as f64 * (1 + high.0 / low.0) as f64 / 2.0,
            BlockSizes::Split(parts) => {
                parts.iter().map(|(size, percent)| size.0 as f64 * f64::from(*percent) / 100.0).sum()
            }
        }
    }

    /// Smallest and largest size it can produce.
    pub fn ends(&self) -> [Bytes; 2] {
        [self.min(), self.max()]
    }

    /// The largest size of which every size is a multiple; with `bs_unaligned`, sizes between the ends are not.
    pub fn divisor(&self) -> Bytes {
        match self {
            BlockSizes::Fixed(bytes) | BlockSizes::Range { low: bytes, .. } => *bytes,
            BlockSizes::Split(parts) => Bytes(parts.iter().fold(0, |all, (bytes, _)| divisor(all, bytes.0))),
        }
    }

    /// Largest size it can produce.
    pub fn max(&self) -> Bytes {
        match self {
            BlockSizes::Fixed(b) => *b,
            BlockSizes::Range { high, .. } => *high,
            BlockSizes::Split(s) => s.iter().map(|(b, _)| *b).max().unwrap_or_default(),
        }
    }
}

/// The greatest common divisor; of 0 and a number, that number.
pub fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Queue depth and batching. `None` means the engine's natural batching:
/// submit all that is ready, wait for one, take all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Depth {
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

/// One file of one clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedFile {
    /// Path, directory applied. Empty for diskless engines.
    pub path: String,
    /// What exists at the path now.
    pub kind: TargetKind,
    /// Its length now; `None` when it has none.
    pub length: Option<Bytes>,
    /// The unit in which LBAs count: the logical block of a device, 512 bytes
    /// (the kernel's sector) elsewhere.
    pub lba: Bytes,
    /// First byte of the region, from the start of the file.
    pub offset: Bytes,
    /// Length of the region.
    pub size: Bytes,
    /// The file must be at least this long: layout writes up to here when it
    /// is shorter (regular files only).
    pub needs: Bytes,
    /// Bytes that layout writes on behalf of this clone before any job starts: what is missing in a
    /// file that will be read, and that no earlier clone has added.
    pub layout: Bytes,
    /// Bytes of the region that nobody has written since the device was purged,
    /// of regions that are read; `None` where nothing is known of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_written: Option<Bytes>,
    /// Bytes of the whole file that hold no data and read as zeros: holes, and extents that were reserved and never
    /// written. Of files that exist and are read; `None` where that is not known.
    #[serde(skip)]
    pub without_data: Option<Bytes>,
    /// Earlier runs had written every byte of the region, of regions that are read, and nothing else had written to the
    /// device since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_written: bool,
    /// Its zones, if it is a host-managed device of the machine.
    #[serde(skip)]
    pub zones: Option<TargetZones>,
}

impl PlannedFile {
    /// Does its region end where no space is left (`fill_device` without `size`)?
    pub fn is_until_full(&self) -> bool {
        layout::is_until_full(self.kind, self.size)
    }

    /// Does it name something of this machine, and not a simulated drive or nothing?
    pub fn is_on_machine(&self) -> bool {
        !self.path.is_empty() && self.kind.is_on_machine()
    }
}

/// What ends a clone: whichever comes first. Limits count from the end of the ramp, whose bytes and
/// I/Os do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EndRule {
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
    /// How the limit in bytes is kept pass by pass; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Passes>,
    /// It also ends, without an error, when no space is left for a write (`fill_device`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub when_full: bool,
}

impl EndRule {
    /// One pass without a limit.
    pub const NONE: EndRule = EndRule {
        bytes: None,
        ios: None,
        time: None,
        loops: 1,
        time_based: false,
        passes: None,
        when_full: false,
    };
}

/// The limits in bytes that decide when a pass ends and whether another one follows. All are
/// checked before an I/O, so the last one may exceed them by less than a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passes {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expected {
    /// Bytes moved, with those of the ramp.
    pub bytes: Option<Bytes>,
    /// Duration with ramp and start delay; without the delay where the job waits for others.
    pub time: Option<Nanos>,
}

impl<Files> ResolvedJob<Files> {
    /// The same with its files in another form.
    pub fn with_files<F>(self, files: F) -> ResolvedJob<F> {
        let ResolvedJob { id, name, subjob, group, stage, wait_for, engine, cpus, missing_cpus, .. } = self;
        let ResolvedJob { direct, rw, .. } = self;
        let ResolvedJob {
            read_percent,
            block,
            align,
            depth,
            compat_fio,
            verify,
            reads_back,
            replays,
            pace,
            end,
            ..
        } = self;
        let ResolvedJob { ramp, start_delay, idle_before, expected, memory, job, .. } = self;
        ResolvedJob {
            id,
            name,
            subjob,
            group,
            stage,
            wait_for,
            engine,
            cpus,
            missing_cpus,
            direct,
            rw,
            read_percent,
            block,
            align,
            depth,
            compat_fio,
            verify,
            reads_back,
            replays,
            pace,
            files,
            end,
            ramp,
            start_delay,
            idle_before,
            expected,
            memory,
            job,
        }
    }

    /// Does the pattern issue I/O in this direction? A mix of 0 % or 100 %
    /// counts only the side that happens.
    pub fn uses(&self, direction: Direction) -> bool {
        match &self.replays {
            Some(replays) => replays.ios[direction] > 0,
            None => self.rw.mix.issues(self.read_percent, direction),
        }
    }

    /// The same with the I/O of its verification: reads of what it wrote (`verify_backlog`, or after a pass), and trims of it
    /// (`trim_percentage`).
    pub fn issues(&self, direction: Direction) -> bool {
        let adds = self.verify.as_ref().is_some_and(|verify| match direction {
            Direction::Read => !verify.only && (verify.backlog.is_some() || self.verifies_passes()),
            Direction::Trim => verify.trim.is_some(),
            Direction::Write => false,
        });
        adds || self.uses(direction)
    }

    /// What is known of its engine; `None` for one of another version.
    pub fn engine_def(&self) -> Option<&'static EngineDef> {
        engine::named(&self.engine)
    }

    /// Does its engine map its files?
    pub fn maps_files(&self) -> bool {
        self.engine_def().is_some_and(|engine| engine.maps_files)
    }

    /// Is each of its I/Os one operation on a name, which moves no data?
    pub fn is_of_names(&self) -> bool {
        self.engine_def().is_some_and(|engine| engine.names.is_some())
    }

    /// Do its I/Os move data?
    pub fn moves_data(&self) -> bool {
        self.engine_def().is_none_or(EngineDef::moves_data)
    }

    /// Is the offset of each of its I/Os drawn? With `percentage_random`, or a number behind `rw`, some I/Os begin where the one before
    /// them ended.
    pub fn draws_each(&self) -> bool {
        let percent = self.job.get(&crate::options::PERCENTAGE_RANDOM);
        let is_drawn = |d: Direction| !self.uses(d) || percent[d] == 100;
        self.rw.random
            && self.rw.postfix.is_none_or(|run| run == 1)
            && Direction::ALL.into_iter().all(is_drawn)
    }

    /// May an I/O be where the one before it ended, and be handed to a disk by its call? The kernel can join the two to one request. It
    /// makes the requests of the page cache itself, and joins no commands.
    pub fn has_neighbours(&self) -> bool {
        let joins =
            |engine: &EngineDef| !engine.diskless && !engine.sends_commands() && engine.name != engine::SIM;
        let can_be_joined = self.direct && self.engine_def().is_none_or(joins);
        can_be_joined && (!self.draws_each() || self.replays.is_some() || zones(&self.job).is_some())
    }

    /// The most files that it keeps open (`openfiles`). A job that draws some files more often than others has no such limit, because
    /// it draws from those that are open.
    pub fn open_files_max(&self) -> Option<u32> {
        let is_skewed =
            matches!(self.job.get(&crate::options::FILE_SERVICE_TYPE).order, FileOrder::Skewed(_));
        self.job.get(&crate::options::OPENFILES).filter(|_| !is_skewed)
    }

    /// Does it change what the target holds? With `verify_only` a pattern of writes changes nothing.
    pub fn writes(&self) -> bool {
        let is_dry = self.verify.as_ref().is_some_and(|verify| verify.only);
        if self.engine_def().is_some_and(|engine| engine.changes_space) {
            return true;
        }
        !is_dry && !self.is_of_names() && (self.uses(Direction::Write) || self.uses(Direction::Trim))
    }

    /// Largest block of any direction in use.
    pub fn block_max(&self) -> Bytes {
        self.block.iter().filter(|(d, _)| self.uses(*d)).map(|(_, b)| b.max()).max().unwrap_or_default()
    }

    /// Largest block that is read or written, which is what a buffer must hold: 0
    /// for a job that does nothing but trim. A trimwrite job writes what it trims.
    pub fn transfer_max(&self) -> Bytes {
        let moves_data = self.uses(Direction::Read) || self.uses(Direction::Write);
        if moves_data { self.block_max() } else { Bytes(0) }
    }

    /// Smallest block of any direction in use.
    pub fn block_min(&self) -> Bytes {
        self.block.iter().filter(|(d, _)| self.uses(*d)).map(|(_, b)| b.min()).min().unwrap_or_default()
    }
}
