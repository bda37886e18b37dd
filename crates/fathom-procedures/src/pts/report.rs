//! The report: the standard's header and, for each test, its tables and plots in the standard's order.

use super::doubts::{Doubts, doubts};
use super::header::{deviations, header, of_record};
use super::parameters::parameters;
use super::reported::{Reported, RoundRuns};
use super::sequence;
use super::taken::Taken;
use super::verdict;
use super::{Pts, PtsTest};
use crate::History;
use fathom_results::answer::ReportDeviation;
use fathom_results::procedure::ProcedureRecord;
use fathom_results::{ReportHeadline, StandardReport, TestReport};

/// The report of everything that was measured so far.
pub fn report(
    pts: &Pts,
    record: &ProcedureRecord,
    history: &History<'_>,
    runs: &dyn RoundRuns,
) -> StandardReport {
    let terms = &pts.terms;
    let tests = sequence::of_each(pts, history);
    let interruptions = record.resumes_until(history.steps()).max(runs.cut());
    let of_test = |(test, taken): &(&'static PtsTest, Taken<'_>)| one(test, &Reported { terms, taken, runs });
    StandardReport {
        standard: terms.edition.standard().to_owned(),
        header: header(pts, record, history, interruptions),
        deviations: [of_record(record), deviations(pts, history, interruptions)]
            .concat()
            .into_iter()
            .map(ReportDeviation::from)
            .collect(),
        tests: tests.iter().map(of_test).collect(),
    }
}

fn one(test: &PtsTest, of: &Reported<'_>) -> TestReport {
    let outcome = verdict::of_test(test, of.terms, of.taken);
    let Doubts { of_windows, others } = doubts(of, &test.loops(of.terms));
    let mut report = TestReport {
        name: test.name.to_owned(),
        title: test.title.to_owned(),
        headline: ReportHeadline::Test(outcome.clone()),
        is_steady: outcome.is_steady(),
        stopped: outcome.stopped.clone(),
        doubted: of_windows,
        remarks: others,
        ..TestReport::default()
    };
    if test.cannot(of.terms).is_none() {
        (test.report)(of, &mut report);
        report.parameters.extend(parameters(test, of));
    }
    report.parameters.extend(verdict::windows(test, of.terms, of.taken));
    report
}
