//! How far figures can be trusted, and every reason for less trust, as data.

use super::Deviation;
use crate::procedure::ContentFault;
use crate::{CheckEvidence, Finding, Incomplete, NotSettled};
use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};

/// How far figures can be trusted, and why not further.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trust {
    /// How far.
    pub level: TrustLevel,
    /// Every reason for less trust, the most serious first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The time of the job that was measured for the shortest time, s; absent where it is not the reason for high trust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortest_s: Option<f64>,
}

/// Levels of trust, the lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TrustLevel {
    /// The figures do not say what the device can do.
    #[default]
    Low,
    /// The figures are the device's, under conditions that may change.
    Medium,
    /// No rule found a reason for doubt.
    High,
}

impl TrustLevel {
    /// As it is printed: `low`, `medium`, `high`.
    pub const fn name(self) -> &'static str {
        match self {
            TrustLevel::Low => "low",
            TrustLevel::Medium => "medium",
            TrustLevel::High => "high",
        }
    }
}

/// A reason for less trust.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reason {
    /// What it is.
    #[serde(flatten)]
    pub why: Why,
    /// The most trust that it allows; absent where it concerns a detail.
    pub level: Option<TrustLevel>,
    /// In how many rounds of a procedure; absent where it is about all that was measured.
    pub rounds: Option<RoundsPart>,
}

/// Some of the rounds of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundsPart {
    /// How many.
    pub times: u64,
    /// Of how many.
    pub of: u64,
}

/// What a reason for less trust is. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Why {
    /// A rule found something.
    Finding {
        /// What it found.
        finding: Finding,
    },
    /// No I/O was measured.
    NothingMeasured,
    /// A load on CPUs used less of them than it was to use. Shares are of one CPU, for each worker.
    LoadMissed {
        /// The job.
        job: String,
        /// The share that it was to use.
        asked: f64,
        /// The share that it used.
        used: f64,
    },
    /// A job failed, and the figures are those of the time before.
    JobFailed,
    /// The run ended before its jobs did.
    Incomplete {
        /// How it ended.
        how: Incomplete,
    },
    /// A job took too little time for a rate.
    TooShort,
    /// A job made too few I/Os for a rate.
    TooFew,
    /// Writes took so little time that a cache may hold them.
    ShortWrites {
        /// The shortest time of a job that wrote, s.
        seconds: f64,
    },
    /// The measurement took so little time that its mean may differ at another moment.
    Short {
        /// The shortest time of a job, s.
        seconds: f64,
    },
    /// The kernel counted other bytes than fathom moved.
    KernelCounts {
        /// The direction in which they differ most.
        direction: Direction,
        /// The kernel's count as a share of fathom's.
        share: f64,
        /// The kernel's count has the metadata of a file system.
        has_metadata: bool,
    },
    /// A check of the run by itself failed.
    CheckBroken {
        /// The check, and what it compared.
        check: CheckEvidence,
    },
    /// One round cannot tell how much the figures vary.
    OneRound,
    /// The rates of the rounds differ too much.
    RoundsVary {
        /// The job.
        job: String,
        /// The standard deviation as a share of the mean.
        share: f64,
        /// Which way they go; absent where they go no way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trend: Option<Trend>,
    },
    /// The drive is simulated.
    SimulatedDrive {
        /// Rounds that read blocks that nobody had written; no flash is read for them.
        unwritten_rounds: u64,
        /// Rounds in all.
        of_rounds: u64,
    },
    /// The times of a procedure were cut, so its result is another.
    TimesCut {
        /// Whose result it is not.
        of: Prescribed,
    },
    /// A standard asks for a purge, and there was none.
    NotPurged,
    /// What was read back is not what was written.
    Content {
        /// The worst fault.
        fault: ContentFault,
    },
    /// A simulated drive holds no data, so nothing could be read back.
    NothingReadBack,
    /// Something else may have written to the range between the passes.
    PassesUncertain {
        /// Passes that are certain.
        known: u64,
        /// Of so many.
        of: u64,
    },
    /// Random writes wrote too little of the range in the time that they had.
    RandomTooLittle {
        /// That time, s.
        seconds: u64,
        /// What they wrote, as a share of the range.
        share: f64,
    },
    /// The rate of random writes has not settled.
    NotSettled {
        /// Why not.
        against: Vec<NotSettled>,
    },
    /// A procedure deviated from what it prescribes, or could not do a part of it.
    Deviation {
        /// In what.
        #[serde(flatten)]
        deviation: Deviation,
    },
}

/// Which way the rates of rounds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// Each round is slower than the one before it.
    Falls,
    /// Each round is faster.
    Rises,
    /// So many at the beginning differ, at most the first third, and the others are alike.
    First(u64),
}

/// What prescribes how a procedure measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Prescribed {
    /// A suite.
    Suite,
    /// A standard.
    Standard,
}

impl Reason {
    /// What a rule found.
    pub fn of(finding: &Finding) -> Self {
        Reason::new(Why::Finding { finding: finding.clone() }, finding.weight.level())
    }

    /// About all that was measured.
    pub fn new(why: Why, level: impl Into<Option<TrustLevel>>) -> Self {
        Reason { why, level: level.into(), rounds: None }
    }

    /// A deviation from what is prescribed, which lowers no trust by itself.
    pub fn deviation(deviation: Deviation) -> Self {
        Reason::new(Why::Deviation { deviation }, None)
    }

    /// What a rule found, where it is that.
    pub fn finding(&self) -> Option<&Finding> {
        match &self.why {
            Why::Finding { finding } => Some(finding),
            _ => None,
        }
    }
}
