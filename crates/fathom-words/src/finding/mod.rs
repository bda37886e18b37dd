//! The words of each finding. A file holds the rules of one topic.

mod count;
mod generator;
mod machine;
mod rate;
mod target;

pub use count::law;
pub use generator::{cpu_quota, generator_sign, kernel_work};
pub use rate::rate_fall;

use crate::Claim;
use crate::jobs::{capital, of_jobs};
use fathom_job::direction::Direction;
use fathom_results::{Evidence, Finding, Weight};
use fathom_text::words::listed;

/// A finding in words. No part ends with a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingWords {
    /// What was found, one sentence.
    pub claim: Claim,
    /// What was seen, with numbers.
    pub evidence: String,
    /// The same in fewer words, for the place of the result; absent where there are no fewer.
    pub brief: Option<String>,
    /// What to do about it, in a few words; empty where there is nothing to do, and for a rule of a later version.
    pub next: &'static str,
}

impl FindingWords {
    fn new(claim: impl Into<Claim>, evidence: impl Into<String>, next: &'static str) -> Self {
        FindingWords { claim: claim.into(), evidence: evidence.into(), brief: None, next }
    }

    /// With an item of evidence for each job.
    fn of(claim: impl Into<Claim>, each: &[String], next: &'static str) -> Self {
        FindingWords::new(claim, listed(each), next)
    }

    fn briefly(self, brief: String) -> Self {
        FindingWords { brief: Some(brief), ..self }
    }

    /// What was seen, in few words.
    pub fn few(&self) -> &str {
        self.brief.as_ref().unwrap_or(&self.evidence)
    }
}

/// The words of a finding.
pub fn of_finding(finding: &Finding) -> FindingWords {
    let evidence = &finding.evidence;
    let words =
        target::words(evidence).or_else(|| generator::words(evidence)).or_else(|| machine::words(evidence));
    words
        .or_else(|| rate::words(finding))
        .or_else(|| count::words(evidence))
        .unwrap_or_else(|| later(evidence))
}

/// A rule of a later version: its name, and what it saw as it is saved.
fn later(evidence: &Evidence) -> FindingWords {
    let text = if let Evidence::Later(later) = evidence { later.evidence.to_string() } else { String::new() };
    FindingWords::new(format!("a later version of fathom found {}", evidence.code()), text, "")
}

/// What was measured instead of a disk, and what that means for the figures; `None` for findings of another weight.
pub fn instead(finding: &Finding) -> Option<(&'static str, Claim)> {
    (finding.weight == Weight::Instead).then(|| target::instead(&finding.evidence)).flatten()
}

impl FindingWords {
    /// The evidence, with the names of the jobs where it is not about all.
    pub fn evidence_of(&self, finding: &Finding) -> String {
        of_jobs(finding.jobs.as_ref().filter(|_| !names_jobs(&finding.evidence)), &self.evidence)
    }

    /// `Claim [code]: jobs: evidence. Next: what to do.`
    pub fn sentence(&self, finding: &Finding) -> String {
        let evidence = self.evidence_of(finding);
        let next = if self.next.is_empty() { String::new() } else { format!(" Next: {}.", self.next) };
        format!("{} [{}]: {evidence}.{next}", capital(&self.claim.whole()), finding.code())
    }
}

/// Does the evidence begin with the name of each job that it is about?
const fn names_jobs(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::WokenLate { .. } | Evidence::DataLimited { .. })
}

/// What was done to data: `read`, `written`, `trimmed`.
pub(crate) const fn past(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "written",
        Direction::Trim => "trimmed",
    }
}

/// What somebody did: `read`, `wrote`, `trimmed`.
const fn did(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "wrote",
        Direction::Trim => "trimmed",
    }
}
