//! I/Os that failed while the run went on: how many, of how many, and whose.

use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_text::quantity::grouped;

/// Jobs that are named one by one.
const NAMES_MAX: usize = 2;

/// `85,790 of 114,537 I/Os of randread failed`; `None` where all succeeded. Of several jobs, the numbers are those of
/// the jobs in which an I/O failed.
pub(super) fn lost(case: &Case<'_>) -> Option<String> {
    let with_errors: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.errors() > 0).collect();
    if with_errors.is_empty() {
        return None;
    }
    let failed: u64 = with_errors.iter().map(|cell| cell.errors()).sum();
    let tried = failed + with_errors.iter().map(|cell| succeeded(cell)).sum::<u64>();
    let names: Vec<&str> = with_errors.iter().map(|cell| cell.name()).collect();
    let whose = match names.len() {
        1..=NAMES_MAX => names.join(" and "),
        more => format!("{more} jobs"),
    };
    Some(format!("{} of {} I/Os of {whose} failed", grouped(failed), grouped(tried)))
}

fn succeeded(cell: &Cell<'_>) -> u64 {
    Direction::ALL.into_iter().map(|direction| cell.totals.directions[direction].ios).sum()
}
