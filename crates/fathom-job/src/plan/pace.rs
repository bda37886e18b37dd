//! How fast a clone may go, when it pauses, and which rate and latency it must keep.
//!
//! Every part is optional and independent of the others; a job whose [`Pace`] has nothing set goes
//! as fast as its target. Rates and floors are kept only for directions that the job issues, so
//! that the engine need not check this again.

use crate::direction::PerDirection;
use crate::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that limits or judges a clone while it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pace {
    /// The rate asked for; `None` means no limit.
    pub rate: PerDirection<Option<Rate>>,
    /// How the starts asked for are spread over time.
    pub arrivals: Arrivals,
    /// Pauses between I/Os.
    pub think: Option<Think>,
    /// Time spent in a pause is not made up for: the schedule of the rate moves so that no start is due within the pause
    /// (`rate_ignore_thinktime`).
    pub ignores_think: bool,
    /// The job ends with an error when it is slower than this.
    pub floor: PerDirection<Option<Rate>>,
    /// The floor is judged over spans of this length; zero without a floor.
    pub floor_cycle: Nanos,
    /// The job ends with an error at an I/O slower than this (total latency).
    pub latency_max: PerDirection<Option<Nanos>>,
    /// The latency for which the largest depth is searched.
    pub goal: Option<LatencyGoal>,
    /// The job's part in a ratio between jobs.
    pub flow: Option<Flow>,
}

/// An amount per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rate {
    /// Bytes per second, at least 1.
    Bytes(u64),
    /// I/Os per second, at least 1.
    Ios(u64),
}

/// The gaps between the starts that a rate asks for (`rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// Each gap is the I/O's share of the rate.
    #[default]
    Linear,
    /// Exponential gaps around that mean: a Poisson process.
    Poisson,
}

/// A pause after some I/Os (`thinktime` and the options that belong to it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Think {
    /// Length of the pause, spinning included; never zero.
    pub pause: Nanos,
    /// First part of the pause, spent spinning; at most `pause`.
    pub spin: Nanos,
    /// I/Os from the end of one pause to the next, at least 1; `u64::MAX`
    /// where `io_time` alone decides.
    pub every: u64,
    /// When an I/O counts towards `every`.
    pub counts: ThinkCounts,
    /// Time from the end of one pause to the next, whichever of the two comes
    /// first; never zero.
    pub io_time: Option<Nanos>,
}

/// When an I/O counts towards a pause (`thinktime_blocks_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThinkCounts {
    /// As it is issued.
    Issue,
    /// As it completes.
    Completion,
}

/// A latency to keep: the depth is the largest that does (`latency_target`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyGoal {
    /// Total latency that an I/O may have; never zero.
    pub target: Nanos,
    /// Each depth is judged over this time; with zero, each time that completions are taken, as in
    /// fio.
    pub window: Nanos,
    /// Percent of the I/Os of a window that must keep `target`, 0 to 100.
    pub percentile: f64,
    /// Goes on adapting until the run ends (`latency_run`). Otherwise the job measures the depth
    /// that was found for one window, and ends.
    pub keeps_adapting: bool,
}

/// A part in a ratio: jobs with the same `id` issue I/Os in proportion to
/// their weights (`flow`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flow {
    /// Number of the ratio.
    pub id: u32,
    /// This job's weight, at least 1.
    pub weight: u32,
    /// How long a job that is ahead waits before it checks again; zero checks again at once.
    pub sleep: Nanos,
}

impl Pace {
    /// Is any direction held to a rate?
    pub fn is_paced(&self) -> bool {
        self.rate.iter().any(|(_, rate)| rate.is_some())
    }

    /// Is a depth searched for before anything is measured?
    pub fn searches_first(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| !goal.keeps_adapting)
    }
}
