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

/// How many there are of each weight, in a sentence; `None` without any.
pub fn count(run: &RunResult) -> Option<String> {
    let all = all(run);
    let of = |weight| all.iter().filter(|(_, finding)| finding.weight == weight).count();
    let (bad, warn) = (of(FindingWeight::Bad), of(FindingWeight::Warn));
    let parts: Vec<String> = [(bad, "bad"), (warn, "warn")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
