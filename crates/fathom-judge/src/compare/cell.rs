//! The runs of one cell of a suite, and what the rules found in them.

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
