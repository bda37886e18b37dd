//! The goals for which a host can be judged.
//!
//! The same setting can be right for one and wrong for another: turbo gives
//! bandwidth and takes repeatability. So every judgement names its goal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A goal of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The time of one I/O, at low depth.
    Latency,
    /// Small I/Os a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
    /// The same figure in a later run.
    Repeatability,
}

impl Goal {
    /// Every goal.
    pub const ALL: [Goal; 4] = [Goal::Latency, Goal::Iops, Goal::Bandwidth, Goal::Repeatability];

    /// The name of the goal, as a user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Latency => "latency",
            Goal::Iops => "iops",
            Goal::Bandwidth => "bandwidth",
            Goal::Repeatability => "repeatability",
        }
    }
}

/// The word is not a goal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a goal; the goals are latency, iops, bandwidth and repeatability")]
pub struct GoalError(String);

impl FromStr for Goal {
    type Err = GoalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Goal::ALL.into_iter().find(|goal| goal.name() == text);
        named.ok_or_else(|| GoalError(text.to_owned()))
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
