//! The targets of a suite, and what the command line changes in it.

use super::Shown;

/// A target as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteTarget {
    /// The path, or the name of a simulated drive.
    pub path: String,
    /// Can it be emptied? A file cannot.
    pub can_purge: bool,
    /// A simulated drive.
    pub is_simulated: bool,
    /// A directory, in which the jobs make files.
    pub is_directory: bool,
}

/// A share in parts of a million, so that it is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettledWithin(u32);

impl SettledWithin {
    /// The nearest.
    pub fn of(share: f64) -> SettledWithin {
        SettledWithin((share * 1e6).round() as u32)
    }

    /// As a number: 0.02 for 2 %.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

/// For what a suite is expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteTerms {
    /// The targets, in the order of the command line.
    pub targets: Vec<SuiteTarget>,
    /// The jobs keep the targets that their text names; `targets` only says which these are.
    pub own_targets: bool,
    /// Leave out `purge`.
    pub keeps_content: bool,
    /// All times are divided by it; 0 and 1 change nothing.
    pub time_divisor: u32,
    /// How often each cell of every group is measured, in place of what the suite says.
    pub repeat: Option<u32>,
    /// Variables in place of those of the suite; and those that only the machine knows, such as `near`, the CPUs near the
    /// targets.
    pub variables: Vec<(String, String)>,
    /// Options that are set in every job.
    pub set: Vec<(String, String)>,
    /// Ends each cell when its rate has settled: its mean is known to within this share of it.
    pub until: Option<SettledWithin>,
    /// Only these groups; empty for all.
    pub only: Vec<String>,
    /// Where a random order begins.
    pub order_seed: u64,
    /// The figures of all tables, in place of those of the suite; empty for these.
    pub values: Vec<Shown>,
}

impl SuiteTerms {
    /// Is time virtual?
    pub fn is_simulated(&self) -> bool {
        self.targets.iter().any(|target| target.is_simulated)
    }

    /// The divisor, at least 1.
    pub fn divisor(&self) -> u64 {
        u64::from(self.time_divisor.max(1))
    }
}
