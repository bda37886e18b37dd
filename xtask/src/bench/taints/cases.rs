//! The runs: what is measured, what disturbs it, and which taints they must have.

mod clean;
mod disturbed;

use super::disturbance::Disturbance;
use super::ground::Ground;

/// A run to make.
pub struct Case {
    /// Its name; a number is added to it.
    pub name: &'static str,
    /// What it measures.
    pub ground: Ground,
    /// Options of its job, separated by blanks.
    pub job: &'static str,
    /// What disturbs it.
    pub disturbance: Disturbance,
    /// Taints that must appear, in addition to those of its ground.
    pub must: &'static [&'static str],
    /// Taints that may appear.
    pub may: &'static [&'static str],
    /// How many runs are made.
    pub times: usize,
}

/// Taints that several runs have.
const INLINE: &str = "completes-inline";

/// All runs.
pub fn all() -> impl Iterator<Item = &'static Case> {
    clean::CASES.iter().chain(disturbed::CASES)
}
