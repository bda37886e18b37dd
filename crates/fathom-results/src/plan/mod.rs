//! What was planned, as a run keeps it.
//!
//! A job is saved as the planner has it: added fields there have a default, and a field never changes its meaning. Files
//! have another form, because a hundred thousand files in a row are one entry.

mod file;

pub use file::{FileRecord, SCRATCH};

use crate::printed::PrintedText;
use fathom_job::diagnostic::{Diagnostic, Severity, Span};
use fathom_job::plan::{Plan, PlannedJob, ResolvedJob};
use serde::{Deserialize, Serialize};

/// Everything that will run, in start order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanRecord {
    /// One entry per clone.
    pub jobs: Vec<JobRecord>,
    /// Warnings and notes; never an error.
    pub findings: Vec<PlanFinding>,
}

/// A warning or a note of the planner, as it was printed. What a rule needs of it is in the job: [`JobRecord::missing_cpus`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanFinding {
    /// How bad.
    pub severity: Severity,
    /// Stable short name of the rule (`unknown-option`, `V-43`, …).
    pub code: String,
    /// One sentence.
    pub message: PrintedText,
    /// Where, if it has a place.
    pub span: Option<Span>,
    /// What to do, one line each.
    pub hints: Vec<PrintedText>,
}

impl From<&Diagnostic> for PlanFinding {
    fn from(from: &Diagnostic) -> Self {
        let Diagnostic { severity, code, message, span, hints } = from.clone();
        let hints = hints.into_iter().map(PrintedText::from).collect();
        PlanFinding { severity, code, message: message.into(), span, hints }
    }
}

/// One clone of one job, resolved.
pub type JobRecord = ResolvedJob<Vec<FileRecord>>;

impl From<&Plan> for PlanRecord {
    fn from(from: &Plan) -> Self {
        let job = |job: &PlannedJob| job.clone().with_files(FileRecord::of_all(&job.files));
        PlanRecord {
            jobs: from.jobs.iter().map(job).collect(),
            findings: from.findings.iter().map(PlanFinding::from).collect(),
        }
    }
}
