//! The runs: what is measured, what disturbs it, and which taints they must have.

mod clean;
mod disturbed;
mod kinds;

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
    /// Words that the answer must name as the limit; empty where it may name any.
    pub limit: &'static str,
    /// How many runs are made.
    pub times: usize,
}

/// Taints that several runs have.
const INLINE: &str = "completes-inline";

/// The runs for the shares of false alarms and of misses: each clean one once, and four of each kind of disturbance.
pub fn sample() -> impl Iterator<Item = (&'static Case, usize)> {
    clean::CASES.iter().map(|case| (case, 1)).chain(kinds::CASES.iter().map(|case| (case, case.times)))
}

/// All runs.
pub fn all() -> impl Iterator<Item = &'static Case> {
    clean::CASES.iter().chain(disturbed::CASES)
}
