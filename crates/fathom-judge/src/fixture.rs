//! Synthetic runs, and the machine on which they are judged.

pub use fathom_figures::fixture::{DirectionLoad, MACHINE, RunBuilder, disk};

use crate::own_jobs::{Own, OwnJobs};
use crate::surrounds::Surrounds;
use fathom_job::plan::TargetKind;
use fathom_results::answer::Headline;
use fathom_results::{Answer, Evidence, Finding, TrustLevel, Weight};
use fathom_words::{
    StepWords, class, instead, limit, measured_jobs, next, of_finding, remark, result, subject, trust,
};

/// The jobs of a procedure that measures six times and fills the target first.
pub const OWN: OwnJobs = OwnJobs {
    command: "quick",
    measurements: 6,
    seconds: 10,
    prepares: "fill",
    named: &[],
    headline: |jobs, _, _| Headline::Jobs { jobs, more: 0 },
};

/// Those jobs, in a run of that procedure or not.
pub const fn own(are_these: bool) -> Own<'static> {
    Own { jobs: &OWN, are_these }
}

/// The evidence of a finding, in words.
pub fn evidence(evidence: Evidence) -> String {
    of_finding(&Finding { evidence, weight: Weight::Medium, jobs: None }).evidence
}

/// A bare machine with a real disk, `sda`, of which little is known.
pub fn surrounds() -> Surrounds {
    Surrounds {
        kind: TargetKind::File,
        disk_name: Some("sda".to_owned()),
        is_virtual: Some(false),
        is_loop: false,
        fs_type: Some("ext4".to_owned()),
        hypervisor: None,
        memory: MACHINE.memory,
        cpus: MACHINE.cpus,
        direct: true,
        results_on_same_fs: false,
        steal_percent: None,
    }
}

/// Every part of an answer in words; no part ends with a full stop but the sentences of the lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerWords {
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
    pub next: StepWords,
}

/// Trust in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustWords {
    /// How far.
    pub level: TrustLevel,
    /// Why no further.
    pub reason: String,
}

impl AnswerWords {
    /// The words of an answer.
    pub fn of(answer: &Answer) -> Self {
        AnswerWords {
            measured: subject(&answer.measured),
            jobs: answer.jobs.as_ref().map(measured_jobs),
            instead: instead(answer),
            result: result(answer),
            class: answer.class.as_ref().map(class::says),
            trust: TrustWords { level: answer.trust.level, reason: trust::trust(&answer.trust) },
            reasons: trust::sentences(&answer.trust.reasons),
            limit: answer.limit.as_ref().map(limit::line),
            limit_evidence: answer.limit.as_ref().map(limit::evidence).unwrap_or_default(),
            remarks: answer.remarks.iter().map(remark).collect(),
            next: next(&answer.next),
        }
    }
}
