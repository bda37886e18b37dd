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
use std::collections::BTreeMap;

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

/// A reason to doubt some rounds of a cell, which are counted from 1 as its plots count them.
struct Doubted<'a> {
    code: &'a str,
    message: &'a str,
    cell: &'a str,
    numbers: Vec<usize>,
}

impl Doubted<'_> {
    /// `In rounds 1, 2 and 4 more of iops-round: …`; of all rounds, `In all 7 rounds of iops-round: …`.
    fn told(&self, of: usize) -> String {
        let (many, message) = (self.numbers.len(), self.message);
        let shown: Vec<String> = self.numbers.iter().take(NAMED_MAX).map(usize::to_string).collect();
        let shown = shown.join(", ");
        let rounds = match many {
            1 if of == 1 => "the round".to_owned(),
            1 => format!("round {shown}"),
            _ if many == of => format!("all {of} rounds"),
            _ if many > NAMED_MAX => format!("rounds {shown} and {} more", many - NAMED_MAX),
            _ => format!("rounds {shown}"),
        };
        format!("In {rounds} of {}: {message}", self.cell)
    }
}

/// The reasons to doubt rounds that measure, each with the rounds.
fn doubts(taken: &Taken<'_>) -> Vec<String> {
    let mut found: Vec<Doubted<'_>> = Vec::new();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let rounds =
        taken.steps.iter().filter_map(|step| step.round()).filter(|round| !round.cell.ends_with("-fill"));
    for round in rounds {
        let number = numbers.entry(&round.cell).or_default();
        *number += 1;
        for doubt in round.doubts.iter().filter(|doubt| !OF_FIGURES.contains(&doubt.code.as_str())) {
            match found.iter_mut().find(|one| one.code == doubt.code && one.cell == round.cell) {
                Some(one) => one.numbers.push(*number),
                None => found.push(Doubted {
                    code: &doubt.code,
                    message: &doubt.message,
                    cell: &round.cell,
                    numbers: vec![*number],
                }),
            }
        }
    }
    found.iter().map(|one| one.told(numbers.get(one.cell).copied().unwrap_or(0))).collect()
}
