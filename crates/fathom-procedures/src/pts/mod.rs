//! `pts`: the tests of SNIA's Solid State Storage Performance Test Specification.
//!
//! Each test empties the device, fills it where the standard asks for that, and repeats its round until the tracking
//! variables are steady over five rounds. A round is one job file whose jobs follow each other without a gap, so the
//! drive cannot rest in a round. A new test is one file here and one line in [`TESTS`].
//!
//! Source: SNIA PTS 2.0.x. What could not be confirmed in the standard's text is marked in
//! the report.

mod answer;
mod compared;
mod composite;
mod doubts;
mod figures;
mod header;
mod hir;
mod iops;
mod latency;
mod load_sweep;
mod parameters;
mod phase;
mod plan;
mod report;
mod reported;
mod saturation;
mod segment;
mod sequence;
mod table;
mod taken;
mod terms;
mod test;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_report;
mod throughput;
mod tkperf;
mod until;
mod verdict;
mod write_cache;
mod xsr;

pub(super) use header::platform;
pub use plan::{PlannedTest, plan};
pub use reported::RoundRuns;
pub use table::{TESTS, TKPERF_TESTS, tests_of};
pub use terms::{Demand, Edition, PtsTerms};
pub use test::PtsTest;
pub use write_cache::{CacheSetting, WriteCache};

use self::phase::TestPhase;
use super::definition::{Parameters, ProcedureDef};
use super::repeat::failure;
use super::{History, Procedure, Round, Step};
use fathom_results::procedure::ProcedureRecord;
use fathom_results::{Answer, StandardReport};

/// Some of the tests, one after the other.
#[derive(Clone, Debug)]
pub struct Pts {
    /// What they have in common.
    pub terms: PtsTerms,
    /// The tests, in order.
    pub tests: Vec<&'static PtsTest>,
}

impl Pts {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef =
        ProcedureDef { name: "pts", open: |parameters| Ok(Box::new(Pts::open(parameters)?)) };

    fn open(parameters: &Parameters<'_>) -> Result<Pts, String> {
        let names: String = parameters.get("tests")?;
        let terms = PtsTerms::open(parameters)?;
        let known = |name: &str| {
            let found = tests_of(terms.edition).iter().copied().find(|test| test.name == name);
            found.ok_or_else(|| format!("the parameter tests names {name}, which is no test of the standard"))
        };
        let tests = names.split(',').map(known).collect::<Result<_, _>>()?;
        Ok(Pts { terms, tests })
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let names: Vec<&str> = self.tests.iter().map(|test| test.name).collect();
        let mut parameters = self.terms.parameters();
        parameters.push(("tests".to_owned(), names.join(",")));
        parameters
    }
}

impl Pts {
    /// Is the device emptied before a test?
    pub fn purges(&self) -> bool {
        self.terms.purges && self.has(|phase| matches!(phase, TestPhase::Purge))
    }

    /// The tests whose threads and depth the operator chooses, by name.
    fn tests_of_demand(&self) -> Vec<&'static str> {
        self.tests.iter().filter(|test| test.takes_demand).map(|test| test.name).collect()
    }

    /// Has any of the tests such a part?
    fn has(&self, is_it: impl Fn(&TestPhase) -> bool) -> bool {
        self.tests.iter().any(|test| (test.phases)(&self.terms).iter().any(&is_it))
    }
}

impl Procedure for Pts {
    fn expected(&self) -> Vec<(Round, u32)> {
        self.tests.iter().flat_map(|test| sequence::expected(test, &self.terms)).collect()
    }

    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        history.failed().is_none().then(|| answer::answer(self, history))
    }

    fn answer_so_far(&self, history: &History<'_>) -> Option<Answer> {
        self.answer(history)
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        sequence::next(self, history).unwrap_or_else(|| Step::Done(verdict::verdict(self, history)))
    }

    fn is_not_valid(&self, history: &History<'_>) -> bool {
        verdict::has_no_steady_state(self, history)
    }

    fn standard_report(
        &self,
        record: &ProcedureRecord,
        history: &History<'_>,
        runs: &dyn RoundRuns,
    ) -> Option<StandardReport> {
        Some(report::report(self, record, history, runs))
    }
}
