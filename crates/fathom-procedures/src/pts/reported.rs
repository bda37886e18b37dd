//! What the report of a test is made from: what it measured, and the runs of its rounds.

use super::taken::Taken;
use super::terms::PtsTerms;
use fathom_results::RunResult;

/// The runs of the rounds. Most figures of the report come from the history; a distribution is only in the run.
pub trait RoundRuns {
    /// The run in this directory of the procedure's rounds; `None` where it cannot be read.
    fn run(&self, directory: &str) -> Option<RunResult>;

    /// Rounds that were cut short and set aside: each is an interruption.
    fn cut(&self) -> u32;
}

/// What the report of one test is made from.
pub struct Reported<'a> {
    /// What all tests have in common.
    pub terms: &'a PtsTerms,
    /// What the test has measured.
    pub taken: &'a Taken<'a>,
    /// The runs of its rounds.
    pub runs: &'a dyn RoundRuns,
}
