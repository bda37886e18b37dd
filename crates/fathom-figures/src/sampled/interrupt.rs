//! Interrupts of the targets' devices.

use super::{SampledRow, SampledSpan};
use crate::ratio;
use fathom_results::sample::kind::INTERRUPT;

/// One interrupt: mostly one queue of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptFigures {
    /// Its number and its name.
    pub name: String,
    /// Interrupts a second, by CPU; CPUs without any are left out.
    pub by_cpu: Vec<(String, f64)>,
}

impl SampledSpan<'_> {
    /// Each interrupt that came.
    pub fn interrupts(&self) -> Vec<InterruptFigures> {
        let figures = |row: SampledRow<'_>| {
            let rates = row.sum.cells.iter().map(|count| ratio(*count, row.sum.seconds));
            let by_cpu = row.table.columns.iter().cloned().zip(rates).filter(|(_, rate)| *rate > 0.0);
            InterruptFigures { name: row.subject.to_owned(), by_cpu: by_cpu.collect() }
        };
        let all = self.rows(&INTERRUPT).into_iter().map(figures);
        all.filter(|one| !one.by_cpu.is_empty()).collect()
    }
}
