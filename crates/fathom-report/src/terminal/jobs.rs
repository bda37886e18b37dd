//! The line that says what the jobs do.

use super::answer::{LINES, WIDE, part};
use super::brief::{Jobs, shows_workloads};
use crate::text::is_fill;
use fathom_figures::Row;
use fathom_figures::workload::described;
use fathom_results::RunResult;
use fathom_text::style::Style;

/// How many jobs, how long, and what they do. At one line it is cut; where the table has no room for what each job does,
/// it may take a second one.
pub(super) fn jobs(run: &RunResult, rows: &[Row<'_>], style: Style) -> String {
    let Some(many) = run.record.answer.as_ref().and_then(|answer| answer.jobs.as_deref()) else {
        return String::new();
    };
    let is_quick = run.record.procedure.is_some();
    let rows: Vec<Row<'_>> = rows.iter().filter(|row| !is_fill(run, row)).cloned().collect();
    let kind = if is_quick { Jobs::OfQuick } else { Jobs::OfUser };
    let is_in_table = shows_workloads(&rows, kind, style.width);
    // The jobs of `quick` always run one after the other.
    let many = if is_quick { many.split(',').next().unwrap_or(many) } else { many };
    let what = described(&rows, !is_in_table);
    let separator = if is_in_table { "; " } else { ": " };
    let lines = if is_in_table || is_quick || style.width < WIDE { 1 } else { LINES };
    part("jobs", &format!("{many}{separator}{what}"), lines, style, str::to_owned)
}
