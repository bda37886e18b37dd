//! What a test has taken from the history: the rounds of its phases.

use super::until::{Tracked, Until};
use fathom_judge::steady::{PtsGate, WINDOW_ROUNDS};
use fathom_results::RoundFailure;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::{RoundDone, RoundFigures, StepRecord};

/// The steps of one test, in order.
#[derive(Clone, Debug, Default)]
pub struct Taken<'a> {
    /// Its steps.
    pub steps: Vec<&'a StepRecord>,
}

/// A measurement window.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasurementWindow {
    /// The last of its five rounds, counted from 1.
    pub last: usize,
    /// What the two gates say of each tracking variable.
    pub gates: Vec<PtsGate>,
}

impl MeasurementWindow {
    /// Is every variable steady?
    pub fn is_steady(&self) -> bool {
        !self.gates.is_empty() && self.gates.iter().all(PtsGate::is_steady)
    }

    /// Its first round, counted from 1.
    pub fn first(&self) -> usize {
        self.last + 1 - WINDOW_ROUNDS
    }
}

impl<'a> Taken<'a> {
    /// The whole rounds with this name, each with the start of fathom that measured it.
    pub fn rounds(&self, cell: &str) -> Vec<(&'a RoundDone, u32)> {
        let rounds = self.steps.iter().filter_map(|step| Some((step.round()?, step.sitting)));
        rounds.filter(|(round, _)| round.cell == cell && round.failed().is_none()).collect()
    }

    /// The round that failed, its number among those of its name, and why: the last one.
    pub fn failed(&self) -> Option<(&'a RoundDone, usize, RoundFailure)> {
        let rounds = self.steps.iter().filter_map(|step| step.round());
        let (failed, why) = rounds.filter_map(|round| Some((round, round.failed()?))).next()?;
        Some((failed, self.rounds(&failed.cell).len() + 1, why))
    }

    /// A figure of a segment in each round.
    pub fn series(
        &self,
        cell: &str,
        segment: &str,
        of: impl Fn(&RoundFigures) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        self.rounds(cell).iter().map(|(round, _)| figure(round, segment).and_then(&of)).collect()
    }

    /// A tracking variable in each round.
    pub fn tracked(&self, cell: &str, variable: &Tracked) -> Vec<Option<f64>> {
        self.series(cell, &variable.segment, |figures| value(figures, variable.quantity))
    }

    /// The mean of a figure over the rounds of the window.
    pub fn mean(
        &self,
        cell: &str,
        window: &MeasurementWindow,
        segment: &str,
        of: impl Fn(&RoundFigures) -> Option<f64>,
    ) -> Option<f64> {
        let series = self.series(cell, segment, of);
        let values: Option<Vec<f64>> = series.get(window.first() - 1..window.last)?.iter().copied().collect();
        values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The window that ends with this round, counted from 1. `None` where it is not five rounds of one start of fathom: an
    /// interruption lets the drive rest.
    pub fn window(&self, rounds: &Until, last: usize) -> Option<MeasurementWindow> {
        let from = last.checked_sub(WINDOW_ROUNDS)?;
        let done = self.rounds(&rounds.cell);
        let starts = done.get(from..last)?;
        if starts.iter().any(|(_, sitting)| *sitting != starts[0].1) {
            return None;
        }
        let gate = |variable: &Tracked| PtsGate::of(&self.tracked(&rounds.cell, variable)[..last]);
        let gates: Option<Vec<PtsGate>> = rounds.tracked.iter().map(gate).collect();
        gates.map(|gates| MeasurementWindow { last, gates })
    }

    /// The first window in which all variables are steady.
    pub fn steady_window(&self, rounds: &Until) -> Option<MeasurementWindow> {
        let done = self.rounds(&rounds.cell).len().min(rounds.rounds_max as usize);
        (WINDOW_ROUNDS..=done).filter_map(|last| self.window(rounds, last)).find(MeasurementWindow::is_steady)
    }

    /// The window that the report shows: the first that is steady, or else that of the last five rounds.
    pub fn reported_window(&self, rounds: &Until) -> Option<MeasurementWindow> {
        let done = self.rounds(&rounds.cell).len();
        self.steady_window(rounds)
            .or_else(|| (WINDOW_ROUNDS..=done).rev().find_map(|last| self.window(rounds, last)))
    }

    /// Bytes that all rounds of this name moved.
    pub fn bytes(&self, cell: &str) -> f64 {
        self.rounds(cell).iter().map(|(round, _)| round.figures.iter().map(moved).sum::<f64>()).sum()
    }

    /// Is the loop at its end? It takes no round after a steady window, so only the last window can be the first that is.
    pub fn has_ended(&self, rounds: &Until) -> bool {
        let done = self.rounds(&rounds.cell).len();
        done >= rounds.rounds_max as usize
            || rounds.written_max.is_some_and(|most| self.bytes(&rounds.cell) >= most as f64)
            || self.window(rounds, done).is_some_and(|window| window.is_steady())
    }
}

fn moved(figures: &RoundFigures) -> f64 {
    figures.bytes_per_second * figures.seconds
}

/// The figures of a segment.
pub fn figure<'a>(round: &'a RoundDone, segment: &str) -> Option<&'a RoundFigures> {
    round.figures.iter().find(|figures| figures.job == segment)
}

/// A tracked figure in the unit of the report.
pub fn value(figures: &RoundFigures, quantity: JudgedFigure) -> Option<f64> {
    match quantity {
        JudgedFigure::Iops => Some(figures.iops),
        JudgedFigure::Bandwidth => Some(figures.bytes_per_second / 1e6),
        JudgedFigure::Latency => figures.latency_ns_mean.map(|ns| ns / 1e6),
    }
}
