//! The summary that a person reads at the end of a run.
//!
//! Each row is a compact block; each number has its unit; what the data cannot
//! support is marked or absent. The page ends with what to think of it.

mod heading;
mod ink;
mod job;
mod latency_table;
mod table;
mod trailer;

pub use ink::Style;
pub(crate) use latency_table::thin;

use crate::group::rows;
use fathom_results::RunResult;

/// The whole summary, ended by a newline.
pub fn summary(run: &RunResult, style: Style) -> String {
    let rows = rows(run);
    let mut blocks = vec![heading::heading(run, style)];
    blocks.extend(rows.iter().map(|row| job::block(row, style)));
    blocks.push(trailer::disks(run, &rows, style));
    blocks.push(trailer::events(run, style));
    blocks.push(trailer::judgement(run, style));
    blocks.push(trailer::files(run, style));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}
