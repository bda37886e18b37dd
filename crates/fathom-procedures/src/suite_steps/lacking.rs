//! What a run of a suite does not have: cells of its tables that failed or were not measured.

use super::Suite;
use crate::History;
use fathom_results::procedure::RoundDone;

/// Cells that are named one by one.
const NAMED_MAX: usize = 3;

impl Suite {
    /// The cells of the tables without all of their rounds, one clause for each kind: `cells that were not measured: random
    /// iodepth=4`.
    pub fn lacking(&self, history: &History<'_>) -> Vec<String> {
        let (mut failed, mut short, mut unmeasured) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, times) in self.rounds_of(|cell| self.tabulates(cell)) {
            let ended: Vec<&RoundDone> = history.of_cell(&cell.cell).collect();
            let good = ended.iter().filter(|round| round.failed().is_none()).count();
            match (good, ended.first().and_then(|round| round.failed())) {
                (0, None) => unmeasured.push(cell.cell),
                (0, Some(why)) => failed.push(format!("{} ({why})", cell.cell)),
                (good, _) if good < times as usize => {
                    short.push(format!("{} ({good} of {times} rounds)", cell.cell));
                }
                _ => {}
            }
        }
        let kinds = [
            ("cells that failed", failed),
            ("cells that were not measured", unmeasured),
            ("cells without all of their rounds", short),
        ];
        let kinds = kinds.into_iter().filter(|(_, cells)| !cells.is_empty());
        kinds.map(|(kind, cells)| format!("{kind}: {}", named(&cells))).collect()
    }
}

/// `a, b, c and 4 more`.
fn named(cells: &[String]) -> String {
    match cells.len().saturating_sub(NAMED_MAX) {
        0 => cells.join(", "),
        more => format!("{} and {more} more", cells[..NAMED_MAX].join(", ")),
    }
}
