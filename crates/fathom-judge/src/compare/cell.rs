//! The runs of one cell of a suite, and what the rules found in them.

use crate::taint::{RATE_FELL, UNSTABLE};
use fathom_results::Finding;
use std::collections::BTreeMap;

/// The runs of a cell. What is no suite has one cell, whose name is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CellRuns {
    pub name: String,
    pub runs: u32,
    /// What the rules found in its runs, by the code of the rule.
    pub taints: BTreeMap<String, TaintedRuns>,
}

/// Runs of a cell in which a rule found the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaintedRuns {
    /// The reason in one sentence, as the first of them has it.
    pub message: String,
    pub runs: u32,
}

impl CellRuns {
    /// Adds a run in which the rules found this.
    pub fn add(&mut self, findings: &[Finding]) {
        self.runs += 1;
        for finding in findings {
            let (code, claim) = (finding.code(), fathom_words::of_finding(finding).claim);
            let fresh = || TaintedRuns { message: claim.clone(), runs: 0 };
            let known = self.taints.entry(code.to_owned()).or_insert_with(fresh);
            known.runs += 1;
            // The jobs that were not steady may be others in each run.
            if code == UNSTABLE && known.message != claim {
                known.message = "jobs were not steady".to_owned();
            }
            if code == RATE_FELL && known.message != claim {
                known.message = "rates fell during the run".to_owned();
            }
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
