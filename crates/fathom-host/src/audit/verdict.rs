//! The verdict of a check about an observation, for each goal.

use serde::{Deserialize, Serialize};

use fathom_device::Goal;

/// A judgement, from the mildest to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// There is nothing to judge, or it could not be read; the observation
    /// says which.
    #[serde(rename = "n-a")]
    NotApplicable,
    /// The value is as it should be.
    #[serde(rename = "ok")]
    Ok,
    /// A remark that helps to read a figure; nothing needs to be changed.
    #[serde(rename = "info")]
    Info,
    /// The goal is reached only in part, or it is uncertain.
    #[serde(rename = "warn")]
    Warn,
    /// The figure will be wrong, or far below what is possible.
    #[serde(rename = "bad")]
    Bad,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::NotApplicable => "n-a",
            Verdict::Ok => "ok",
            Verdict::Info => "info",
            Verdict::Warn => "warn",
            Verdict::Bad => "bad",
        }
    }
}

/// One verdict for each goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// For latency.
    pub latency: Verdict,
    /// For IOPS.
    pub iops: Verdict,
    /// For bandwidth.
    pub bandwidth: Verdict,
    /// For repeatability.
    pub repeatability: Verdict,
}

impl Verdicts {
    /// The same for every goal.
    pub const fn all(verdict: Verdict) -> Self {
        Self { latency: verdict, iops: verdict, bandwidth: verdict, repeatability: verdict }
    }

    /// `verdict` for these goals, and for the others a remark
    /// ([`Verdict::Info`]).
    pub fn on(goals: &[Goal], verdict: Verdict) -> Self {
        Self::all(Verdict::Info).and(goals, verdict)
    }

    /// The same verdicts, but `verdict` for these goals.
    pub fn and(mut self, goals: &[Goal], verdict: Verdict) -> Self {
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
    pub fn of(&self, goal: Goal) -> Verdict {
        match goal {
            Goal::Latency => self.latency,
            Goal::Iops => self.iops,
            Goal::Bandwidth => self.bandwidth,
            Goal::Repeatability => self.repeatability,
        }
    }

    /// The gravest of all goals.
    pub fn worst(&self) -> Verdict {
        Goal::ALL.into_iter().map(|goal| self.of(goal)).max().unwrap_or(Verdict::NotApplicable)
    }
}
