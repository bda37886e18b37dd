//! What a run of a suite does not have: cells of its tables that failed or were not measured.

use super::Suite;
use crate::History;
use fathom_results::Gap;
use fathom_results::procedure::RoundDone;

impl Suite {
    /// The cells of the tables without all of their rounds, one gap for each kind.
    pub fn lacking(&self, history: &History<'_>) -> Vec<Gap> {
        let (mut failed, mut short, mut unmeasured) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, times) in self.rounds_of(|cell| self.tabulates(cell)) {
            let ended: Vec<&RoundDone> = history.of_cell(&cell.cell).collect();
            let good = ended.iter().filter(|round| round.failed().is_none()).count();
            match (good, ended.first().and_then(|round| round.failed())) {
                (0, None) => unmeasured.push(cell.cell),
                (0, Some(why)) => failed.push((cell.cell, why)),
                (good, _) if good < times as usize => short.push((cell.cell, good as u64, u64::from(times))),
                _ => {}
            }
        }
        let failed = (!failed.is_empty()).then_some(Gap::CellsFailed { cells: failed });
        let unmeasured = (!unmeasured.is_empty()).then_some(Gap::CellsNotMeasured { cells: unmeasured });
        let short = (!short.is_empty()).then_some(Gap::CellsShort { cells: short });
        [failed, unmeasured, short].into_iter().flatten().collect()
    }
}
