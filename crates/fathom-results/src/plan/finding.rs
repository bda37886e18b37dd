//! What the planner said of a job.

use fathom_job::diagnostic::{Severity, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A warning or a note about a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingRecord {
    /// How bad.
    pub severity: Severity,
    /// Stable short name of the rule.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Where, if it has a place.
    pub span: Option<Span>,
    /// What to do, one line each.
    pub hints: Vec<String>,
}
