//! What the doctor found before the run and while it measured, as sentences.

use fathom_results::{FindingWeight, HostFinding, RunResult};

/// When something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// By the audit before the first I/O.
    Before,
    /// By the second reading of the counters, at the end.
    During,
}

impl When {
    /// As a heading has it.
    pub fn words(self) -> &'static str {
        match self {
            When::Before => "before the run",
            When::During => "during the run",
        }
    }
}

/// Every finding: those during the run first, then the most serious.
pub fn all(run: &RunResult) -> Vec<(When, &HostFinding)> {
    let known = &run.record.self_knowledge;
    let during = known.disturbances.iter().map(|finding| (When::During, finding));
    let before = known.audit.iter().map(|finding| (When::Before, finding));
    let mut all: Vec<_> = during.chain(before).collect();
    all.sort_by_key(|(when, finding)| (*when == When::Before, std::cmp::Reverse(finding.weight)));
    all
}

/// `bad` or `warn`.
pub fn word(weight: FindingWeight) -> &'static str {
    match weight {
        FindingWeight::Warn => "warn",
        FindingWeight::Bad => "bad",
    }
}
