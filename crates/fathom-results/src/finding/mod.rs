//! What a rule found in a run, as data.
//!
//! A finding is a value with named numbers; the crate `fathom-words` makes its sentences when something is printed. So a
//! narrow screen, a page and a document show the same value, a program reads numbers, and a redaction replaces fields.
//! Numbers have their units in their names; shares are from 0 to 1. Names of jobs are those of the plan; of one worker, `job.clone`.
//! To add a rule: a variant of [`Evidence`], its code, the check in `fathom-judge/src/taint/`, and its words.

/// Derives what every part of a finding has.
macro_rules! evidence {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $body:tt)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub $kind $name $body
    )*};
}

mod count;
mod generator;
mod machine;
mod of_job;
mod rate;
mod target;

pub use count::*;
pub use generator::*;
pub use machine::*;
pub use rate::*;
pub use target::*;

use crate::TrustLevel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a rule found: a reason for which figures of a run need care.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The rule, and what it saw.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// What it means for the trust in the figures.
    pub weight: Weight,
    /// The jobs that it is about; absent where it is about all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<JobsPart>,
}

/// Some of the jobs of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobsPart {
    /// Their names, in the order of the run.
    pub names: Vec<String>,
    /// How many jobs the run has.
    pub of: u64,
}

/// What a finding means for the trust in the figures of a run, the most serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// No figure is the disk's: something else was measured.
    Instead,
    /// Some figures are not the device's, or are wrong.
    Low,
    /// The figures are true for the conditions of this run, which may change.
    Medium,
    /// It concerns a detail, such as one percentile; trust in the other figures is the same.
    Aside,
}

/// What was seen: one variant a rule, whose name is the code of the rule.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", content = "evidence", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Evidence {
    /// Other programs used the disk during the run.
    ForeignIo(ForeignIo),
    /// Memory answered a part of the I/O of buffered jobs.
    PageCache(PageCache),
    /// The target is made of memory.
    MemoryBacked(MemoryTarget),
    /// The engine has no target.
    NoTarget {
        /// The engine: `null`.
        engine: String,
    },
    /// A simulated drive, whose times are computed.
    Simulated {
        /// The drive as it was asked for: `sim:consumer/64`.
        drive: String,
        /// It is so many times smaller than the whole drive; absent where it is the whole.
        scale: Option<u32>,
        /// Bytes that were read and that nobody had written.
        unwritten_bytes: u64,
    },
    /// Direct reads that the disk did not do.
    UnwrittenRange {
        /// Bytes that the jobs read.
        read_bytes: u64,
        /// The volume that was read, where disks beneath it were counted; absent where the disk itself was.
        volume: Option<String>,
        /// Kernel names of the disks that were counted.
        disks: Vec<String>,
        /// Bytes that these disks read.
        disk_bytes: u64,
    },
    /// Blocks were read that were perhaps never written.
    UnknownContent {
        /// The job that read them.
        job: String,
        /// The device.
        path: String,
        /// Bytes of the region that was read.
        region_bytes: u64,
        /// What is known of their content.
        content: KnownContent,
    },
    /// The CPU quota of fathom's control group stopped it.
    CpuQuota {
        /// The quota, and how often it stopped fathom.
        quota: crate::CpuQuota,
        /// The jobs that measured meanwhile.
        jobs: Vec<String>,
    },
    /// The generator set the pace, or waited for a CPU.
    GeneratorLimited(GeneratorLimit),
    /// Making new data for each write took time, and the disk waited.
    DataLimited {
        /// The jobs that it slowed down.
        jobs: Vec<DataMade>,
    },
    /// The job's own log held up its I/O.
    LogLimited {
        /// The workers that waited.
        workers: Vec<LogWait>,
    },
    /// Kernel threads did part of the work.
    KernelWorkers {
        /// What they did for each job.
        jobs: Vec<KernelWork>,
    },
    /// io_uring registered something for some clones of a job and not for all.
    RegistrationDiffers {
        /// What, and for how many.
        jobs: Vec<PartlyRegistered>,
    },
    /// A rate fell during the run and stayed low.
    RateFell {
        /// The falls, in the order of the jobs.
        jobs: Vec<RateFallEvidence>,
        /// The run has one job.
        is_only: bool,
    },
    /// The rate differed from second to second.
    Unstable {
        /// The spreads, the widest first.
        jobs: Vec<RateSpreadEvidence>,
        /// The run has one job.
        is_only: bool,
    },
    /// I/Os failed and the run went on.
    ErrorsContinued {
        /// The failures of each job and direction.
        jobs: Vec<FailedIos>,
    },
    /// Jobs were cut short.
    Interrupted(CutShort),
    /// Jobs did not reach the rate that they were to keep.
    RateMissed {
        /// The rates of each job and direction.
        jobs: Vec<MissedRate>,
    },
    /// Blocks were smaller than `bssplit` asks for.
    BlocksCut {
        /// The sizes of each job and direction.
        jobs: Vec<CutBlocks>,
    },
    /// Two counts of the same I/O differ.
    CountsDisagree(CountsDiffer),
    /// Reads were faster than any disk.
    TooFast {
        /// The job.
        job: String,
        /// Its reads.
        reads: u64,
        /// Their smallest size, bytes.
        block_bytes: u64,
        /// Their mean latency, ns.
        latency_ns_mean: f64,
    },
    /// The host changed, or was disturbed, during the measurement.
    HostDisturbed {
        /// What the checks of the host found, the most serious first.
        findings: Vec<Disturbance>,
    },
    /// Busy CPUs ran below their nominal clock.
    ClockLow {
        /// The CPUs.
        cpus: Vec<LowClock>,
    },
    /// A part of the machine, or a simulated drive, was as hot as it may be.
    TooHot(Heat),
    /// fathom itself did not run for a while.
    Stopped {
        /// When it did not run.
        halts: Vec<crate::Halt>,
    },
    /// Seconds passed in which nothing completed.
    Stalls {
        /// The workers that stood still.
        workers: Vec<StallEvidence>,
    },
    /// The hypervisor gave CPU time to others.
    Steal {
        /// Share of the CPU time, percent.
        percent: f64,
        /// The share from which it is a finding, percent.
        percent_max: f64,
    },
    /// The job asked for CPUs that the machine does not have.
    CpusMissing {
        /// The jobs.
        jobs: Vec<JobWithoutCpus>,
    },
    /// fathom was woken late from its sleeps between I/Os.
    WokenLate {
        /// How late, for each job.
        jobs: Vec<LateStart>,
    },
    /// I/Os in flight, rate and latency do not fit together, or the queue was not kept full.
    LittlesLaw {
        /// More were in flight than is possible, and not only fewer than were asked for.
        is_impossible: bool,
        /// The law in numbers.
        law: Law,
    },
    /// I/O was complete when the submitting call returned.
    CompletesInline {
        /// The jobs.
        jobs: Vec<InlineIo>,
    },
    /// Latencies are close to what reading the clock costs.
    ClockResolution {
        /// The job.
        job: String,
        /// Its mean latency, ns.
        latency_ns_mean: f64,
        /// The clock: `tsc`.
        clock: String,
    },
    /// A loop device was measured.
    LoopDevice(LoopTarget),
    /// The disk is virtual.
    VirtualDisk {
        /// How that is known.
        disk: VirtualDisk,
        /// What the machine runs on, if that is known.
        hypervisor: Option<String>,
    },
    /// fathom saved its results on the disk that it measured.
    SameFilesystem {
        /// How often it wrote.
        writes: u64,
    },
    /// Too few I/Os for a reliable p99.9.
    FewSamples {
        /// The I/Os of each job and direction.
        jobs: Vec<FewIos>,
    },
    /// Only a part of the target was filled and measured (`quick`).
    PartMeasured {
        /// The target.
        path: String,
        /// Bytes that were measured.
        part_bytes: u64,
        /// Bytes of the whole.
        whole_bytes: u64,
    },
    /// The measurement was short (`quick`).
    ShortRun {
        /// The job that was measured for the shortest time.
        job: String,
        /// Its windows.
        windows: u64,
        /// The length of each, seconds.
        window_s: u64,
        /// The job whose rate varied most, and its coefficient of variation, a share.
        varied_most: Option<(String, f64)>,
    },
    /// A setting that was changed for the run was not kept.
    TuningDrifted(Drift),
    /// A rule that only a later version of fathom knows.
    #[serde(untagged)]
    Later(LaterFinding),
}

/// A finding of a rule that this version does not know, kept as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaterFinding {
    /// The code of the rule.
    pub code: String,
    /// What it saw.
    #[serde(default)]
    pub evidence: Value,
}

impl Evidence {
    /// The stable short name of the rule: `foreign-io`.
    pub fn code(&self) -> &str {
        match self {
            Evidence::Later(later) => &later.code,
            known => known.into(),
        }
    }
}

impl Weight {
    /// The most trust in the figures that a finding of this weight allows; `None` where it concerns a detail.
    pub const fn level(self) -> Option<TrustLevel> {
        match self {
            Weight::Instead | Weight::Low => Some(TrustLevel::Low),
            Weight::Medium => Some(TrustLevel::Medium),
            Weight::Aside => None,
        }
    }
}

impl Finding {
    /// The stable short name of the rule.
    pub fn code(&self) -> &str {
        self.evidence.code()
    }
}
