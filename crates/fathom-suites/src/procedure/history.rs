//! What a procedure knows: the steps that ended.

use fathom_results::procedure::{Preparation, RoundDone, StepDone, StepRecord};

/// The steps of a procedure that ended, in order.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    steps: &'a [StepRecord],
}

impl<'a> History<'a> {
    /// Of these steps.
    pub fn new(steps: &'a [StepRecord]) -> Self {
        History { steps }
    }

    /// All steps.
    pub fn steps(&self) -> &'a [StepRecord] {
        self.steps
    }

    /// The rounds.
    pub fn rounds(&self) -> impl Iterator<Item = &'a RoundDone> + use<'a> {
        self.steps.iter().filter_map(|step| match &step.did {
            StepDone::Round(round) => Some(round),
            _ => None,
        })
    }

    /// The rounds of one cell.
    pub fn of_cell<'c>(&self, cell: &'c str) -> impl Iterator<Item = &'a RoundDone> + use<'a, 'c> {
        self.rounds().filter(move |round| round.cell == cell)
    }

    /// The first round that did not end by itself, or in which a job failed.
    pub fn failed(&self) -> Option<&'a RoundDone> {
        self.rounds().find(|round| round.failed().is_some())
    }

    /// The preparation that ended last, if no round followed it.
    pub fn just_prepared(&self) -> Option<&'a Preparation> {
        match &self.steps.last()?.did {
            StepDone::Prepared { preparation, .. } => Some(preparation),
            _ => None,
        }
    }
}
