//! The line that says what the jobs do.

use super::Layout;
use super::answer::{LABEL, LINES, WIDE, part};
use super::brief::{Jobs, shows_workloads};
use crate::text::is_fill;
use crate::written::{unreported, written};
use fathom_figures::Row;
use fathom_figures::workload::described;
use fathom_results::RunResult;
use fathom_text::style::Style;
use fathom_words::measured_jobs;

/// How many jobs, how long, what they wrote in all, and what they do. It is cut to one line; where it is not `is_short`,
/// jobs of a user may take a second one if they are wide or the table does not say what they do, and so may a run that
/// was cut short.
pub(super) fn jobs(run: &RunResult, rows: &[Row<'_>], is_short: bool, layout: Layout<'_>) -> String {
    let style = layout.style;
    let Some(many) = run.record.answer.as_ref().and_then(|answer| answer.jobs.as_ref()) else {
        return String::new();
    };
    let is_of_procedure = run.record.procedure.is_some();
    let rows: Vec<Row<'_>> = rows.iter().filter(|row| !is_fill(run, row)).cloned().collect();
    let kind = if is_of_procedure { Jobs::OfProcedure } else { Jobs::OfUser };
    let is_in_table = shows_workloads(&rows, kind, layout);
    // The jobs of a procedure always run one after the other, with the same ramp.
    let many = if is_of_procedure { measured_jobs::of_procedure(many) } else { measured_jobs::whole(many) };
    let wrote: String =
        written(run).into_iter().chain(unreported(run)).map(|said| format!("; {said}")).collect();
    let many = many + &wrote;
    let what = described(&rows, !is_in_table);
    let separator = if is_in_table || !wrote.is_empty() || run.incomplete.is_some() { "; " } else { ": " };
    let is_of_one = is_of_procedure || style.width < WIDE && (is_short || is_in_table);
    // What was cut is told in full.
    let lines = if is_of_one && run.incomplete.is_none() { 1 } else { LINES };
    let text = format!("{many}{separator}{what}");
    // A procedure that is one run measures a drive as it finds it.
    let plain = if is_of_procedure { "; no preconditioning" } else { "" };
    let has_room = LABEL + text.chars().count() + plain.len() <= style.width;
    part("jobs", &(text + if has_room { plain } else { "" }), lines, style, str::to_owned)
}

/// The same with all of its details: how many jobs, how long, and what they wrote in all.
pub(super) fn whole(run: &RunResult, style: Style) -> String {
    let many = run.record.answer.as_ref().and_then(|answer| answer.jobs.as_ref()).map(measured_jobs::whole);
    let told: Vec<String> = many.into_iter().chain(written(run)).chain(unreported(run)).collect();
    if told.is_empty() {
        String::new()
    } else {
        part("jobs", &told.join("; "), usize::MAX, style, str::to_owned)
    }
}
