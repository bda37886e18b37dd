//! Reasons to doubt rounds: those inside a measurement window, on which the result is based, and those of all other rounds.

use super::reported::Reported;
use super::until::Until;
use fathom_results::procedure::RoundDone;
use fathom_results::{DoubtedRounds, RunResult};
use std::collections::BTreeMap;

/// Reasons that the report itself tells, or that it judges by the rule of the standard.
const OF_FIGURES: [&str; 4] = ["few-samples", "rate-fell", "simulated", "unstable"];

/// So many rounds are named.
const NAMED_MAX: usize = 6;

/// The doubts about the rounds of a test.
pub struct Doubts {
    /// Rounds inside the measurement windows.
    pub of_windows: Vec<DoubtedRounds>,
    /// All other rounds that measure, one sentence for each reason.
    pub others: Vec<String>,
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
    let told = |(doubted, _): &(DoubtedRounds, bool)| {
        told(doubted, counts.get(doubted.rounds_of.as_str()).copied().unwrap_or(0))
    };
    Doubts {
        others: others.iter().map(told).collect(),
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
            known.code == finding.code() && known.rounds_of == round.cell && *of_window == is_in_window
        };
        let at = all.iter().position(is_same).unwrap_or(all.len());
        if at == all.len() {
            let (rounds_of, code) = (round.cell.clone(), finding.code().to_owned());
            let message = fathom_words::of_finding(finding).claim.whole();
            all.push((DoubtedRounds { rounds_of, code, message, ..DoubtedRounds::default() }, is_in_window));
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

/// `In rounds 1, 2 and 4 more of iops-round: …`; of all rounds, `In all 7 rounds of iops-round: …`.
fn told(doubted: &DoubtedRounds, of: usize) -> String {
    let (many, message) = (doubted.rounds.len(), &doubted.message);
    let shown: Vec<String> = doubted.rounds.iter().take(NAMED_MAX).map(usize::to_string).collect();
    let shown = shown.join(", ");
    let rounds = match many {
        1 if of == 1 => "the round".to_owned(),
        1 => format!("round {shown}"),
        _ if many == of => format!("all {of} rounds"),
        _ if many > NAMED_MAX => format!("rounds {shown} and {} more", many - NAMED_MAX),
        _ => format!("rounds {shown}"),
    };
    format!("In {rounds} of {}: {message}", doubted.rounds_of)
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
