//! What was planned, as a run keeps it.
//!
//! A job is saved as the planner has it: added fields there have a default, and a field never changes its meaning. Files
//! have another form, because a hundred thousand files in a row are one entry.

mod file;

pub use file::{FileRecord, SCRATCH};

use fathom_job::diagnostic::Diagnostic;
use fathom_job::plan::{Plan, PlannedJob, ResolvedJob};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that will run, in start order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// One entry per clone.
    pub jobs: Vec<JobRecord>,
    /// Warnings and notes; never an error.
    pub findings: Vec<Diagnostic>,
}

/// One clone of one job, resolved.
pub type JobRecord = ResolvedJob<Vec<FileRecord>>;

impl From<&Plan> for PlanRecord {
    fn from(from: &Plan) -> Self {
        let job = |job: &PlannedJob| job.clone().with_files(FileRecord::of_all(&job.files));
        PlanRecord { jobs: from.jobs.iter().map(job).collect(), findings: from.findings.clone() }
    }
}
