//! What the data sheet of a device promises, beside what was measured.

use crate::answer::Trust;
use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};

/// The claims of a data sheet, judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceSheet {
    /// A line for each claim, in the order in which they were given.
    pub lines: Vec<SheetLine>,
    /// Claims that cannot be true together.
    pub impossible: Vec<ImpossibleClaims>,
    /// How far the measured values can be trusted; of several rounds, that of the round with the least. Absent where it is not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
}

/// Small I/Os that move more than the bandwidth which the same data sheet claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImpossibleClaims {
    /// The direction.
    pub direction: Direction,
    /// I/Os per second that are claimed.
    pub iops: f64,
    /// Size of each, bytes.
    pub block_bytes: u64,
    /// Bandwidth that is claimed, MB/s.
    pub mbps: f64,
}

/// One claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SheetLine {
    /// What is claimed, in words: `random read IOPS`.
    pub what: String,
    /// The unit of both values: `IOPS`, `MB/s`, `µs`.
    pub unit: String,
    /// The value of the data sheet.
    pub claimed: f64,
    /// The value is not of a data sheet: it was measured, and kept as a baseline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_baseline: bool,
    /// The best value of the run; `None` where the run has no measurement of this kind.
    pub measured: Option<f64>,
    /// The job that it is of.
    pub job: Option<String>,
    /// What this job does: `4k QD32`; absent without a measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub does: Option<String>,
    /// Half of the 95 % interval of the measured value, per cent of it; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_percent: Option<f64>,
    /// Whether the claim was reached, within 5 %. `None` where nothing was measured, where the figure is not the disk's (it
    /// could be better and worse than the disk), and where it is open.
    pub is_reached: Option<bool>,
    /// The interval holds values that reach the claim and values that miss it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
}

impl SheetLine {
    /// Was a value measured that is not the disk's, so that nothing is said of the claim?
    pub fn is_withheld(&self) -> bool {
        self.measured.is_some() && self.is_reached.is_none() && !self.is_open
    }

    /// The measured value as a share of the claimed one.
    pub fn share(&self) -> Option<f64> {
        self.measured.map(|measured| measured / self.claimed)
    }
}
