//! Reasons to doubt rounds: those inside a measurement window, on which the result is based, and those of all other rounds.

use super::reported::Reported;
use super::until::Until;
use fathom_results::procedure::RoundDone;
use fathom_results::{DoubtedRounds, ReportRemark, RunResult};
use std::collections::BTreeMap;

/// Reasons that the report itself tells, or that it judges by the rule of the standard.
const OF_FIGURES: [&str; 4] = ["few-samples", "rate-fell", "simulated", "unstable"];

/// The doubts about the rounds of a test.
pub struct Doubts {
    /// Rounds inside the measurement windows.
    pub of_windows: Vec<DoubtedRounds>,
    /// All other rounds that measure, one remark for each reason.
    pub others: Vec<ReportRemark>,
}

/// A round with its number among those of its name.
struct Numbered<'a> {
    round: &'a RoundDone,
    number: usize,
    is_in_window: bool,
}

/// The doubts about the rounds of a test with these loops.
pub fn doubts(of: &Reported<'_>, loops: &[Until]) -> Doubts {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let windows: BTreeMap<&str, (usize, usize)> = loops
        .iter()
        .filter(|rounds| !rounds.tracked.is_empty())
        .filter_map(|rounds| Some((rounds.cell.as_str(), of.taken.reported_window(rounds)?)))
        .map(|(cell, window)| (cell, (window.first(), window.last)))
        .collect();
    let mut all: Vec<(DoubtedRounds, bool)> = Vec::new();
    let rounds = of.taken.steps.iter().filter_map(|step| step.round());
    for round in rounds.filter(|round| !round.cell.ends_with("-fill")) {
        let number = counts.entry(&round.cell).or_default();
        *number += 1;
        let window = windows.get(round.cell.as_str());
        let is_in_window = window.is_some_and(|(first, last)| (*first..=*last).contains(number));
        add(&mut all, of, &Numbered { round, number: *number, is_in_window });
    }
    let (of_windows, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, is_in_window)| *is_in_window);
    let remark = |(doubted, _): (DoubtedRounds, bool)| {
        let of = counts.get(doubted.rounds_of.as_str()).copied().unwrap_or(0) as u64;
        ReportRemark::Doubted { doubted, of }
    };
    Doubts {
        others: others.into_iter().map(remark).collect(),
        of_windows: of_windows.into_iter().map(|(doubted, _)| doubted).collect(),
    }
}

/// Adds the doubts about a round. Rounds with the same reason stand together.
fn add(all: &mut Vec<(DoubtedRounds, bool)>, of: &Reported<'_>, round: &Numbered<'_>) {
    let Numbered { round, number, is_in_window } = *round;
    let findings = || round.findings().filter(|finding| !OF_FIGURES.contains(&finding.code()));
    // Only of these rounds the report names the cells, so only their runs are read.
    let run = findings().next().filter(|_| is_in_window).and_then(|_| of.runs.run(&round.directory));
    for finding in findings() {
        let is_same = |(known, of_window): &(DoubtedRounds, bool)| {
            known.finding.code() == finding.code()
                && known.rounds_of == round.cell
                && *of_window == is_in_window
        };
        let at = all.iter().position(is_same).unwrap_or(all.len());
        if at == all.len() {
            let (rounds_of, finding) = (round.cell.clone(), finding.clone());
            let (rounds, seconds, cells) = (Vec::new(), Vec::new(), Vec::new());
            all.push((DoubtedRounds { rounds_of, rounds, seconds, cells, finding }, is_in_window));
        }
        let known = &mut all[at].0;
        known.rounds.push(number);
        known.seconds.push(round.whole.seconds);
        for cell in run.as_ref().map(|run| cells(run, finding.code())).unwrap_or_default() {
            if !known.cells.contains(&cell) {
                known.cells.push(cell);
            }
        }
    }
}

/// The cells that a finding is about, where it names any.
fn cells(run: &RunResult, code: &str) -> Vec<String> {
    let finding = run.record.findings.iter().find(|finding| finding.code() == code);
    let mut cells: Vec<String> = run.jobs.iter().map(|job| job.planned.name.clone()).collect();
    cells.dedup();
    cells.retain(|name| finding.is_some_and(|finding| finding.of_job(name).is_some()));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::finding::StallEvidence;
    use fathom_results::{Evidence, Finding, Weight};

    #[test]
    fn cells_are_those_that_the_finding_is_about() {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
        let mut run = RunBuilder::of(job).all(1, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        let name = run.jobs[0].planned.name.clone();
        let mut named = |worker: String| {
            let (longest_s, seconds, of_seconds) = (3.0, 3.0, 9.0);
            let (times, is_target, others_go_on) = (1, true, false);
            let stall =
                StallEvidence { worker, longest_s, times, seconds, of_seconds, is_target, others_go_on };
            let evidence = Evidence::Stalls { workers: vec![stall] };
            run.record.findings = vec![Finding { evidence, weight: Weight::Medium, jobs: None }];
            cells(&run, "stalls")
        };
        assert_eq!(named(format!("{name}.0")), [name.as_str()]);
        for worker in [format!("other{name}.0"), format!("{name}2.0")] {
            assert!(named(worker.clone()).is_empty(), "{worker}");
        }
    }
}
