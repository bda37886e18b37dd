//! Procedures as pure state: what to do next, decided from what was done.
//!
//! Nothing here runs anything, reads a clock or touches a file.
//!
//! A procedure is a pure function of its parameters and its history, so that it can be tested in
//! milliseconds and goes on after a crash where it stopped. The driver in `fathom-session` does what
//! it asks for. A new procedure is one file here and one line in [`PROCEDURES`].

#![forbid(unsafe_code)]

mod answer_of_rounds;
mod definition;
mod definitions;
mod figures;
#[cfg(test)]
mod fixture;
mod history;
mod job_files_in_turn;
mod own_words;
mod precondition;
mod pts;
pub mod quick;
mod reasons;
mod repeat;
mod search;
mod setting_trial;
mod spread;
mod step;
pub mod suite;
mod suite_steps;
mod tune_try;
mod verify;

pub use definition::{Parameters, ProcedureDef};
pub use definitions::{PROCEDURES, open};
pub use figures::{add_percentiles, round_figures, whole_figures};
pub use history::History;
pub use job_files_in_turn::InTurn;
pub use own_words::own_words;
pub use precondition::{
    BLOCK_USUAL, PASSES_USUAL, Precondition, RANDOM_COVERAGE, RandomWrites, content_fault,
};
pub use pts::{
    CacheSetting, Demand, Edition, PlannedTest, Pts, PtsTerms, PtsTest, RoundRuns, TESTS, TKPERF_TESTS,
    WriteCache, plan, tests_of,
};
pub use quick::{Quick, judge};
pub use repeat::Repeat;
pub use search::{LatencyFigure, Search, SearchFound, SearchGoal};
pub use setting_trial::Tried;
pub use step::{Round, RoundJobs, Step, Wait};
pub use suite_steps::{SavedSuite, SideBySide, Suite, side_by_side};
pub use tune_try::TuneTry;
pub use verify::{VERIFY_BLOCK_USUAL, VERIFY_PORTION_USUAL, VerifyTarget};

use fathom_results::procedure::ProcedureRecord;
use fathom_results::{Answer, StandardReport};

/// How much of what a procedure wrote is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All of it.
    Whole,
    /// A part was not read back, or could not be checked.
    Missing,
    /// Something else was read than what was written, or the target returned errors.
    Wrong,
}

/// A sequence of steps.
pub trait Procedure {
    /// The rounds that are expected, the same ones together, with how often each is measured. Of a
    /// procedure that stops by what it measures, the most.
    fn expected(&self) -> Vec<(Round, u32)>;

    /// Further rounds, which cannot be planned before others have made their files.
    fn unplanned_rounds(&self) -> u32 {
        0
    }

    /// The next step. The same history gives the same step.
    fn next(&self, history: &History<'_>) -> Step;

    /// Are the targets of all its rounds there before the first one, and does nothing but the jobs change them? Then whether a
    /// later round may use its targets is known before anything is measured.
    fn has_steady_targets(&self) -> bool {
        false
    }

    /// What its rounds say together, where all of them measure the same.
    fn answer(&self, _history: &History<'_>) -> Option<Answer> {
        None
    }

    /// The same of a procedure that is not finished: what the rounds say that are there.
    fn answer_so_far(&self, _history: &History<'_>) -> Option<Answer> {
        None
    }

    /// Every step was done, and the result is not valid: a rule of the procedure is broken, or the state in which it measures was
    /// not reached.
    fn is_not_valid(&self, _history: &History<'_>) -> bool {
        false
    }

    /// How much of what it wrote is proven, of a procedure that asks for that and had no other failure.
    fn proof(&self, _history: &History<'_>) -> Option<Proof> {
        None
    }

    /// The report that a standard asks for, of what was measured so far.
    fn standard_report(
        &self,
        _record: &ProcedureRecord,
        _history: &History<'_>,
        _runs: &dyn RoundRuns,
    ) -> Option<StandardReport> {
        None
    }

    /// The name by which [`judge`] knows it, if it is one run alone: then that run is all that
    /// it leaves behind.
    fn is_one_run(&self) -> Option<&'static str> {
        None
    }
}
