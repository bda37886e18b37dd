//! The runs of one cell of a suite, what the rules found in them, and why they need care.

use fathom_results::{Answer, Evidence, Finding, Reason, SubjectDoubt, TrustLevel, Why};
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
    match &finding.evidence {
        Evidence::Unstable { jobs, is_only } => {
            (jobs.len(), *is_only, jobs.iter().map(|it| it.job.as_str()).collect())
        }
        Evidence::RateFell { jobs, is_only } => (jobs.len().min(2), *is_only, Vec::new()),
        _ => Default::default(),
    }
}

/// A reason for less than full trust, and the cells whose runs have it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Doubt {
    /// What the answer of the first such run says.
    pub of_run: SubjectDoubt,
    /// Names of cells; that of what is no suite is empty.
    pub cells: Vec<String>,
}

impl Doubt {
    /// The reason that a run of this cell has.
    pub fn of(answer: &Answer, cell: &str) -> Option<Doubt> {
        let Answer { trust, instead, lost, .. } = answer;
        let of_run = || SubjectDoubt { trust: trust.clone(), instead: instead.clone(), lost: lost.clone() };
        (trust.level < TrustLevel::High).then(|| Doubt { of_run: of_run(), cells: vec![cell.to_owned()] })
    }

    /// Adds it to those that are known; the same reason in another cell is no other doubt.
    pub fn add_to(self, known: &mut Vec<Doubt>) {
        match known.iter_mut().find(|other| is_same(&other.of_run, &self.of_run)) {
            Some(same) if same.cells.contains(&self.cells[0]) => {}
            Some(same) => same.cells.extend(self.cells),
            None => known.push(self),
        }
    }
}

/// The lowest trust first, and of the same trust what takes the place of the result.
pub(super) fn sort(doubts: &mut [Doubt]) {
    doubts.sort_by_key(|doubt| (doubt.of_run.trust.level, doubt.of_run.instead.is_none()));
}

/// Have two runs the same reason? What takes the place of the result has numbers, which are the same then. Where it is
/// the disk's, the rules are the same, whatever each saw: what is said of that has no numbers of theirs.
pub(super) fn is_same(a: &SubjectDoubt, b: &SubjectDoubt) -> bool {
    let (of_a, of_b) = (&a.trust.reasons, &b.trust.reasons);
    let are_same = || of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(|(a, b)| is_same_reason(a, b));
    a.trust.level == b.trust.level
        && (&a.instead, &a.lost) == (&b.instead, &b.lost)
        && (a.instead.is_some() || are_same())
}

fn is_same_reason(a: &Reason, b: &Reason) -> bool {
    let is_same_why = match (&a.why, &b.why) {
        (Why::Finding { finding: a }, Why::Finding { finding: b }) => {
            (a.code(), a.weight, &a.jobs, jobs(a)) == (b.code(), b.weight, &b.jobs, jobs(b))
        }
        // No two runs take the same time to the nanosecond.
        (Why::Short { seconds: a }, Why::Short { seconds: b })
        | (Why::ShortWrites { seconds: a }, Why::ShortWrites { seconds: b }) => {
            (a - b).abs() <= ALIKE * a.max(*b)
        }
        (a, b) => a == b,
    };
    (a.level, a.rounds) == (b.level, b.rounds) && is_same_why
}

/// Times that differ by no more than this share are the same.
const ALIKE: f64 = 0.01;
