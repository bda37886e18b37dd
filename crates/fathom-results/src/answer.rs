//! The answer of a run, for a person who has ten seconds.
//!
//! Each part is one sentence or a part of one. The evidence for them is in the verdict, the taints
//! and the figures of the same run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was measured, what came out, whether it can be trusted, what limited it, what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The target in words: model, size, how it is attached.
    pub measured: String,
    /// How many jobs there were, how long each was measured, and whether they ran at the same time; absent where
    /// nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<String>,
    /// What was measured instead of the disk, where that is so: memory, the page cache, a loop
    /// device, a disk that other programs used. It takes the place of the result, because no figure
    /// of the run is the disk's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// The figures that matter, each with its unit; or why there are none.
    pub result: String,
    /// What kind of device has such figures; absent where none fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<DeviceClass>,
    /// How far the figures can be trusted.
    pub trust: Trust,
    /// Every reason for less trust, the most serious first: full sentences, with the code of the rule in square
    /// brackets, what was seen, and what to do about it. Empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What limited the measurements; absent where nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The figures that say so, a sentence for each job, where no verdict has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limit_evidence: Vec<String>,
    /// What no figure shows and a reader asks, a clause each: `no I/O of other programs on the disk`, `scheduler none`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What to do next.
    pub next: NextStep,
}

/// A kind of device, by its figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceClass {
    /// `like a SATA SSD`, `a volume capped at 16,000 IOPS`.
    pub says: String,
    /// The figures that say so.
    pub evidence: String,
}

/// How far figures can be trusted, and why not further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trust {
    /// How far.
    pub level: TrustLevel,
    /// The most serious reason for this level, in one sentence without its full stop.
    pub reason: String,
}

/// Levels of trust, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrustLevel {
    /// The figures do not say what the device can do.
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

/// A command, and what it is good for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextStep {
    /// The command, as it can be typed in the directory of the run.
    pub command: String,
    /// What it does, in a few words.
    pub why: String,
}
