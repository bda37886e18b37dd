//! What the data sheet of a device promises, beside what was measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The claims of a data sheet, judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceSheet {
    /// A line for each claim, in the order in which they were given.
    pub lines: Vec<SheetLine>,
    /// Claims that cannot be true together, one sentence each.
    pub impossible: Vec<String>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SheetLine {
    /// What is claimed, in words: `random read IOPS`.
    pub what: String,
    /// The unit of both values: `IOPS`, `MB/s`, `µs`.
    pub unit: String,
    /// The value of the data sheet.
    pub claimed: f64,
    /// The best value of the run; `None` where the run has no measurement of this kind.
    pub measured: Option<f64>,
    /// The job that it is of.
    pub job: Option<String>,
    /// Whether the claim was reached, within 5 %.
    pub is_reached: Option<bool>,
}

impl SheetLine {
    /// The measured value as a share of the claimed one.
    pub fn share(&self) -> Option<f64> {
        self.measured.map(|measured| measured / self.claimed)
    }
}
