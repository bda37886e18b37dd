//! The runs of one cell of a suite, what the rules found in them, and on which side of a comparison they found it.

use super::subject::Subject;
use fathom_results::{Finding, Seen};
use std::collections::BTreeMap;

/// The runs of a cell. What is no suite has one cell, whose name is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CellRuns {
    pub name: String,
    pub runs: u32,
    /// What the rules found in its runs, by the code of the rule.
    pub taints: BTreeMap<String, TaintedRuns>,
}

/// Runs of a cell in which a rule found the same.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TaintedRuns {
    /// What it found, as the first of them has it.
    pub finding: Finding,
    /// In others it found that of other jobs.
    pub of_various_jobs: bool,
    pub runs: u32,
}

impl CellRuns {
    /// Adds a run in which the rules found this.
    pub fn add(&mut self, findings: &[Finding]) {
        self.runs += 1;
        for finding in findings {
            let fresh = || TaintedRuns { finding: finding.clone(), of_various_jobs: false, runs: 0 };
            let known = self.taints.entry(finding.code().to_owned()).or_insert_with(fresh);
            known.runs += 1;
            known.of_various_jobs |= jobs(&known.finding) != jobs(finding);
        }
    }

    /// In how many of its runs the rule found something.
    pub fn tainted(&self, code: &str) -> u32 {
        self.taints.get(code).map_or(0, |tainted| tainted.runs)
    }

    /// The share of its runs in which the rule found something.
    pub fn share(&self, code: &str) -> f64 {
        f64::from(self.tainted(code)) / f64::from(self.runs.max(1))
    }
}

/// The jobs that the claim of a finding is about: those that were not steady, or how many of all fell. They may be others in each run.
fn jobs(finding: &Finding) -> (usize, bool, Vec<&str>) {
    match &finding.seen {
        Seen::Unstable { jobs, is_only } => {
            (jobs.len(), *is_only, jobs.iter().map(|it| it.job.as_str()).collect())
        }
        Seen::RateFell { jobs, is_only } => (jobs.len().min(2), *is_only, Vec::new()),
        _ => Default::default(),
    }
}

/// Shares of the runs of a cell with the same disturbance that differ by this are uneven.
pub(super) const UNEVEN: f64 = 0.5;

/// A cell, with the letters of the subjects that have it and their runs of it.
pub(super) struct SharedCell<'a> {
    pub name: &'a str,
    pub of: Vec<(&'a str, &'a CellRuns)>,
}

/// The cells that at least two subjects have. Subjects of which no rule can know anything do not count.
pub(super) fn shared_cells(subjects: &[Subject]) -> Vec<SharedCell<'_>> {
    let judged = || subjects.iter().filter(|subject| subject.about.trust.is_some());
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: Vec<SharedCell<'_>> = Vec::new();
    for subject in judged() {
        for cell in &subject.cells {
            let name = cell.name.as_str();
            let place = *places.entry(name).or_insert_with(|| {
                all.push(SharedCell { name, of: Vec::new() });
                all.len() - 1
            });
            all[place].of.push((&subject.about.letter, cell));
        }
    }
    all.retain(|cell| cell.of.len() > 1);
    all
}

/// The letters of the subjects in whose runs a rule found something, and of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub found: Vec<String>,
    pub others: Vec<String>,
}

impl SharedCell<'_> {
    /// `None` where the rule found as much in the runs of all.
    pub fn uneven(&self, code: &str) -> Option<Sides> {
        let shares = self.of.iter().map(|(_, runs)| runs.share(code));
        let (low, high) = shares.fold((1.0_f64, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
        let middle = (low + high) / 2.0;
        let letters = |is_found: bool| {
            let those = self.of.iter().filter(|(_, runs)| (runs.share(code) >= middle) == is_found);
            those.map(|(letter, _)| (*letter).to_owned()).collect()
        };
        (high - low >= UNEVEN).then(|| Sides { found: letters(true), others: letters(false) })
    }
}
