//! Which findings are worth a line before a run.

use fathom_job::diagnostic::{Diagnostic, Severity};

/// Warnings always; notes only when a plan is asked for.
pub fn look(finding: &Diagnostic) -> bool {
    finding.severity >= Severity::Warning
}
