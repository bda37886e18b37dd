//! The verdict of a check about an observation, for each goal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use fathom_device::Goal;

/// A judgement, from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// There is nothing to judge, or it could not be read; the observation
    /// says which.
    #[serde(rename = "n-a")]
    NotApplicable,
    /// The value is as it should be.
    Ok,
    /// A remark that helps to read a figure; nothing needs to be changed.
    Info,
    /// The goal is reached only in part, or it is uncertain.
    Warn,
    /// The figure will be wrong, or far below what is possible.
    Bad,
}

impl Grade {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Grade::NotApplicable => "n-a",
            Grade::Ok => "ok",
            Grade::Info => "info",
            Grade::Warn => "warn",
            Grade::Bad => "bad",
        }
    }
}

/// One verdict for each goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Grades {
    /// For latency.
    pub latency: Grade,
    /// For IOPS.
    pub iops: Grade,
    /// For bandwidth.
    pub bandwidth: Grade,
    /// For repeatability.
    pub repeatability: Grade,
}

impl Grades {
    /// The same for every goal.
    pub const fn all(verdict: Grade) -> Self {
        Self { latency: verdict, iops: verdict, bandwidth: verdict, repeatability: verdict }
    }

    /// `verdict` for these goals, and for the others a remark
    /// ([`Grade::Info`]).
    pub fn on(goals: &[Goal], verdict: Grade) -> Self {
        Self::all(Grade::Info).and(goals, verdict)
    }

    /// The same verdicts, but `verdict` for these goals.
    pub fn and(mut self, goals: &[Goal], verdict: Grade) -> Self {
        for goal in goals {
            match goal {
                Goal::Latency => self.latency = verdict,
                Goal::Iops => self.iops = verdict,
                Goal::Bandwidth => self.bandwidth = verdict,
                Goal::Repeatability => self.repeatability = verdict,
            }
        }
        self
    }

    /// For one goal.
    pub fn of(&self, goal: Goal) -> Grade {
        match goal {
            Goal::Latency => self.latency,
            Goal::Iops => self.iops,
            Goal::Bandwidth => self.bandwidth,
            Goal::Repeatability => self.repeatability,
        }
    }

    /// The worst of all goals.
    pub fn worst(&self) -> Grade {
        Goal::ALL.into_iter().map(|goal| self.of(goal)).max().unwrap_or(Grade::NotApplicable)
    }
}
