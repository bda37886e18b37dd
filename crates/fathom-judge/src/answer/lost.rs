//! I/Os that failed while the run went on: how many, of how many, and whose.

use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_results::LostIos;

/// `None` where all succeeded. Of several jobs, the numbers are those of the jobs in which an I/O failed.
pub(super) fn lost(case: &Case<'_>) -> Option<LostIos> {
    let with_errors: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.errors() > 0).collect();
    let failed: u64 = with_errors.iter().map(|cell| cell.errors()).sum();
    let issued = failed + with_errors.iter().map(|cell| succeeded(cell)).sum::<u64>();
    let jobs = with_errors.iter().map(|cell| cell.name().to_owned()).collect();
    (failed > 0).then_some(LostIos { failed, issued: Some(issued), jobs })
}

fn succeeded(cell: &Cell<'_>) -> u64 {
    Direction::ALL.into_iter().map(|direction| cell.totals.directions[direction].ios).sum()
}
