//! The report: the standard's header and, for each test, its tables and plots in the standard's order.

use super::header::{deviations, header, starts};
use super::reported::{Reported, RoundRuns};
use super::sequence;
use super::taken::Taken;
use super::verdict;
use super::{Pts, PtsTest};
use crate::procedure::History;
use fathom_results::procedure::ProcedureRecord;
use fathom_results::{StandardReport, TestReport};

/// The report of everything that was measured so far.
pub fn report(
    pts: &Pts,
    record: &ProcedureRecord,
    history: &History<'_>,
    runs: &dyn RoundRuns,
) -> StandardReport {
    let terms = &pts.terms;
    let tests = sequence::of_each(pts, history);
    let interruptions = starts(history).max(runs.cut());
    let of_test = |(test, taken): &(&'static PtsTest, Taken<'_>)| one(test, &Reported { terms, taken, runs });
    StandardReport {
        standard: terms.edition.standard().to_owned(),
        header: header(pts, record, history, interruptions),
        deviations: deviations(pts, history, interruptions),
        tests: tests.iter().map(of_test).collect(),
    }
}

fn one(test: &PtsTest, of: &Reported<'_>) -> TestReport {
    let outcome = verdict::of_test(test, of.terms, of.taken);
    let mut report = TestReport {
        name: test.name.to_owned(),
        title: test.title.to_owned(),
        headline: outcome.headline,
        is_steady: outcome.is_steady,
        parameters: outcome.parameters,
        ..TestReport::default()
    };
    report.remarks.extend(doubts(of.taken));
    if test.cannot(of.terms).is_none() {
        (test.report)(of, &mut report);
    }
    report
}

/// Reasons that the report itself tells, or that it judges by the rule of the standard.
const OF_FIGURES: [&str; 3] = ["few-samples", "simulated", "unstable"];

/// So many rounds are named.
const NAMED_MAX: usize = 6;

/// The reasons to doubt rounds that measure, each with the rounds.
fn doubts(taken: &Taken<'_>) -> Vec<String> {
    let mut found: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    let rounds =
        taken.steps.iter().filter_map(|step| step.round()).filter(|round| !round.cell.ends_with("-fill"));
    for round in rounds {
        for doubt in round.doubts.iter().filter(|doubt| !OF_FIGURES.contains(&doubt.code.as_str())) {
            match found.iter_mut().find(|(code, ..)| *code == doubt.code) {
                Some((.., rounds)) => rounds.push(&round.directory),
                None => found.push((&doubt.code, &doubt.message, vec![&round.directory])),
            }
        }
    }
    let told = |(code, message, rounds): (&str, &str, Vec<&str>)| {
        let shown: Vec<&str> = rounds.iter().take(NAMED_MAX).copied().collect();
        let more = rounds.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("In {}{more}: {message} [{code}]", shown.join(", "))
    };
    found.into_iter().map(told).collect()
}
