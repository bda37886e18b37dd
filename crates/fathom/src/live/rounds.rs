//! The rounds of a procedure, as far as the view shows them.

use fathom_job::units::Nanos;
use fathom_results::procedure::{ProcedureForecast, StepDone, StepRecord};

/// The rounds of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// How many there will be; of a procedure that stops by what it measures, the most.
    pub of: u32,
    /// How many have ended.
    pub done: u32,
    /// Time of one round: as planned, or, if that depends on the target, that of the last round.
    each: Option<Nanos>,
}

impl Rounds {
    /// The rounds of a procedure of which `done` rounds have ended before.
    pub fn new(forecast: &ProcedureForecast, done: u32) -> Self {
        let each = forecast.time_ns.map(|ns| Nanos(ns / u64::from(forecast.rounds.max(1))));
        Rounds { of: forecast.rounds, done, each }
    }

    /// A step has ended.
    pub fn step_ended(&mut self, step: &StepRecord) {
        if matches!(step.did, StepDone::Round(_)) {
            self.done += 1;
            let took = Nanos(step.ended_unix_ns.saturating_sub(step.began_unix_ns));
            self.each = self.each.or(Some(took));
        }
    }

    /// Time of the rounds that have ended.
    pub fn before(&self) -> Option<Nanos> {
        match self.done {
            0 => Some(Nanos(0)),
            done => self.each.map(|each| Nanos(each.0.saturating_mul(done.into()))),
        }
    }

    /// Time of the rounds after the one that runs now.
    pub fn later(&self) -> Option<Nanos> {
        match self.of.saturating_sub(self.done + 1) {
            0 => Some(Nanos(0)),
            rounds => self.each.map(|each| Nanos(each.0.saturating_mul(rounds.into()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_rounds_take_as_long_as_planned() {
        let forecast = ProcedureForecast {
            rounds: 5,
            time_ns: Some(50_000),
            written_bytes: None,
            ..ProcedureForecast::default()
        };
        assert_eq!(Rounds::new(&forecast, 1).later(), Some(Nanos(30_000)));
        assert_eq!(Rounds::new(&forecast, 4).later(), Some(Nanos(0)));
        let unknown = ProcedureForecast { time_ns: None, ..forecast };
        assert_eq!(Rounds::new(&unknown, 0).later(), None);
        assert_eq!(Rounds::new(&unknown, 4).later(), Some(Nanos(0)), "only this round is left");
    }
}
