//! A step that ended, as the history keeps it.

use super::content::ContentSamples;
use super::figures::RoundFigures;
use crate::VerifiedJob;
use crate::answer::{Answer, Reason};
use crate::finding::Finding;
use crate::run_end::{RoundFailure, RunEnd};
use serde::{Deserialize, Serialize};

/// One step of a procedure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepRecord {
    /// Its place in the history, from 0.
    pub number: u32,
    /// Which start of fathom did it: 0 for the first, 1 after the first resume, ….
    pub sitting: u32,
    /// Wall clock when it began, nanoseconds since 1970 UTC.
    pub began_unix_ns: u64,
    /// Wall clock at its end.
    pub ended_unix_ns: u64,
    /// What was done.
    #[serde(flatten)]
    pub did: StepDone,
}

impl StepRecord {
    /// The round, if the step is one.
    pub fn round(&self) -> Option<&RoundDone> {
        match &self.did {
            StepDone::Round(round) => Some(round),
            _ => None,
        }
    }
}

/// What a step waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum WaitedFor {
    /// A time.
    Time {
        /// How long, s.
        seconds: u64,
    },
    /// The disks below the targets do no I/O.
    Idle,
    /// Every array below the targets is built.
    Built,
    /// Something that only another version of fathom knows.
    #[serde(other)]
    Unknown,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum StepDone {
    /// It ran jobs.
    Round(RoundDone),
    /// It prepared the target or the host.
    Prepared {
        /// What was asked for.
        preparation: Preparation,
        /// What was found afterwards, one sentence.
        evidence: String,
        /// Of a purge, the id of its method.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<String>,
    },
    /// It waited.
    Waited {
        /// For what.
        until: WaitedFor,
        /// Whether that came true in the time allowed.
        reached: bool,
    },
    /// It read samples of a range.
    Sampled(ContentSamples),
    /// A kind of step that only another version of fathom knows.
    #[serde(other)]
    Unknown,
}

/// Wrong blocks of a job that the history keeps of a round.
pub const WRONG_BLOCKS_KEPT: usize = 10;

/// A round that ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundDone {
    /// The cell that was measured: rounds of one cell have the same name.
    pub cell: String,
    /// Name of the directory in `rounds`.
    pub directory: String,
    /// The checksum in the seal of its `run.json`.
    pub record_crc32: String,
    /// How it ended.
    pub ended: RunEnd,
    /// The first failure of a job, one sentence.
    pub failure: Option<String>,
    /// What its jobs do, and by which engine, in the words of job files: `4k randread QD32; io_uring, direct=1`.
    pub workload: String,
    /// I/Os that failed; the jobs may have gone on after them.
    pub errors: u64,
    /// Bytes that it wrote in all, in ramps and to lay out files too.
    pub written_bytes: u64,
    /// Of these, bytes that were written into files before the jobs began.
    pub laid_out_bytes: u64,
    /// Figures of each job, in plan order.
    pub figures: Vec<RoundFigures>,
    /// Figures of all jobs together, without a name and a percentile. Jobs may have run one after
    /// the other (`stonewall`), so their rates are not the sum of those of the jobs.
    pub whole: Box<RoundFigures>,
    /// What its jobs verified, with at most [`WRONG_BLOCKS_KEPT`] wrong blocks of each; the run of the round has the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<VerifiedJob>,
    /// Its answer; absent where it was not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Box<Answer>>,
}

impl RoundDone {
    /// What the rules found in the round.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.answer.iter().flat_map(|answer| &answer.trust.reasons).filter_map(Reason::finding)
    }
}

/// What a procedure can ask to have prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Preparation {
    /// Empties the device by the strongest method that it offers.
    Purge {
        /// Path of the device.
        target: String,
    },
    /// Formats the device to logical blocks of another size. What it holds is lost.
    Format {
        /// Path of the device.
        target: String,
        /// Size of a logical block, bytes.
        block_bytes: u32,
    },
    /// Writes every block of the target once, in order, with data that nothing compresses.
    Fill {
        /// Path of the device or file.
        target: String,
    },
    /// Makes a file system on the device. What it holds is lost.
    FileSystem {
        /// Path of the device.
        device: String,
        /// `ext4`, `xfs` or `btrfs`.
        kind: String,
    },
    /// Mounts the device, or unmounts it.
    Mount {
        /// Path of the device.
        device: String,
        /// Kind of its file system.
        kind: String,
        /// The directory.
        at: String,
        /// Mounted, or unmounted.
        mounted: bool,
    },
    /// Has the kernel drop its clean page cache, dentries and inodes.
    DropCaches,
    /// Puts the tuning of the procedure in force or takes it back.
    Tuning {
        /// In force, or taken back.
        in_force: bool,
    },
    /// A preparation that only another version of fathom knows.
    #[serde(other)]
    Unknown,
}

impl RoundDone {
    /// Why the round cannot count as a measurement; `None` if it can.
    pub fn failed(&self) -> Option<RoundFailure> {
        match (&self.failure, self.ended) {
            (Some(message), _) => Some(RoundFailure::Failed { message: message.clone() }),
            (None, RunEnd::ByItself) => None,
            (None, by) => Some(RoundFailure::Ended { by }),
        }
    }
}
