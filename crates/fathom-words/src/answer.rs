//! An answer in words, part by part.

use crate::{class, instead, limit, result, trust};
use fathom_results::{Answer, NextStep, TrustLevel};

/// Every part of an answer in words; no part ends with a full stop but the sentences of the lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerWords {
    /// The target.
    pub measured: String,
    /// The jobs.
    pub jobs: Option<String>,
    /// What takes the place of the result.
    pub instead: Option<String>,
    /// The figures that matter.
    pub result: String,
    /// What kind of device has such figures.
    pub class: Option<String>,
    /// How far the figures can be trusted.
    pub trust: TrustWords,
    /// Every reason for less trust, a full sentence each.
    pub reasons: Vec<String>,
    /// What limited the measurements.
    pub limit: Option<String>,
    /// The figures that say so, a sentence for each job.
    pub limit_evidence: Vec<String>,
    /// What no figure shows.
    pub remarks: Vec<String>,
    /// What to do next.
    pub next: NextStep,
}

/// Trust in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustWords {
    /// How far.
    pub level: TrustLevel,
    /// Why no further.
    pub reason: String,
}

impl AnswerWords {
    /// The words of an answer.
    pub fn of(answer: &Answer) -> Self {
        AnswerWords {
            measured: answer.measured.clone(),
            jobs: answer.jobs.clone(),
            instead: instead(answer),
            result: result(answer),
            class: answer.class.as_ref().map(class::says),
            trust: TrustWords { level: answer.trust.level, reason: trust::trust(&answer.trust) },
            reasons: trust::reasons(&answer.trust),
            limit: answer.limit.as_ref().map(limit::line),
            limit_evidence: answer.limit.as_ref().map(limit::evidence).unwrap_or_default(),
            remarks: answer.remarks.clone(),
            next: answer.next.clone(),
        }
    }
}
