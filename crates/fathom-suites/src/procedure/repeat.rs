//! `repeat`: the same jobs several times, and what their figures are together.
//!
//! A single run cannot tell how much a figure varies from run to run. The interval over rounds can.

use super::definition::{Parameters, ProcedureDef};
use super::{History, Procedure, Round, RoundJobs, Step};
use crate::quantity;
use fathom_results::Verdict;
use fathom_results::procedure::{RoundDone, RoundFigures};
use fathom_stats::Estimate;

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// The same jobs, so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Number of rounds; at least 1.
    pub rounds: u32,
}

impl Repeat {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef =
        ProcedureDef { name: "repeat", what: "the same jobs several times", open: Repeat::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        match parameters.get("rounds")? {
            0 => Err("the parameter rounds is 0".to_owned()),
            rounds => Ok(Box::new(Repeat { rounds })),
        }
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        vec![("rounds".to_owned(), self.rounds.to_string())]
    }

    fn round() -> Round {
        let jobs = RoundJobs::AsGiven { set: Vec::new() };
        Round { cell: "repeat".to_owned(), jobs, calibrates: false, removes_created: false }
    }
}

impl Procedure for Repeat {
    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(Repeat::round(), self.rounds)]
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(failed));
        }
        match history.rounds().count() < self.rounds as usize {
            true => Step::Run(Repeat::round()),
            false => Step::Done(verdict(&history.rounds().collect::<Vec<_>>())),
        }
    }
}

/// The verdict of a procedure that a failed round ends.
pub(super) fn failure(failed: &RoundDone) -> Verdict {
    let why = failed.failed().unwrap_or_default();
    let headline = format!("Round {} failed: {why}.", failed.directory);
    Verdict { headline, limits: Vec::new(), distrust: Vec::new() }
}

fn verdict(rounds: &[&RoundDone]) -> Verdict {
    let jobs = rounds.first().map_or(0, |round| round.figures.len());
    let lines: Vec<String> = (0..jobs).map(|job| line(rounds, job)).collect();
    let n = rounds.len();
    let headline = match lines.as_slice() {
        [] => format!("{n} rounds without I/O."),
        [only] => format!("{only}."),
        _ => format!("{n} rounds of {jobs} jobs."),
    };
    let limits = if jobs > 1 { lines } else { Vec::new() };
    Verdict { headline, limits, distrust: distrust(rounds) }
}

/// `randread: 51.2k IOPS ± 0.4 % (95 %, n = 5)`.
fn line(rounds: &[&RoundDone], job: usize) -> String {
    let of = |figure: fn(&RoundFigures) -> f64| -> Vec<f64> {
        rounds.iter().filter_map(|round| round.figures.get(job)).map(figure).collect()
    };
    let name = rounds.first().and_then(|round| round.figures.get(job)).map_or("", |figures| &figures.job);
    let rates = of(|figures| figures.iops);
    let told = match Estimate::of_independent(&rates, CONFIDENCE) {
        Some(estimate) if estimate.value > 0.0 => {
            let half = (estimate.high - estimate.low) / 2.0 / estimate.value;
            format!(
                "{} IOPS ± {} (mean with its 95 % interval, n = {} rounds)",
                quantity::iops(estimate.value),
                quantity::percent(half),
                estimate.n
            )
        }
        _ => {
            let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
            format!("{} IOPS (n = {}, too few rounds for an interval)", quantity::iops(mean), rates.len())
        }
    };
    format!("{name}: {told}")
}

/// The figures of one machine in one hour say nothing about another day.
fn distrust(rounds: &[&RoundDone]) -> Vec<String> {
    match rounds.len() {
        0 | 1 => vec!["One round cannot tell how much the figures vary.".to_owned()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedure::fixture::{history, round};

    #[test]
    fn it_ends_after_its_rounds_with_an_interval() {
        let repeat = Repeat { rounds: 3 };
        let mut steps = Vec::new();
        for iops in [1000.0, 1010.0, 990.0] {
            assert_eq!(repeat.next(&History::new(&steps)), Step::Run(Repeat::round()));
            steps = history(steps, round("repeat", iops));
        }
        let Step::Done(verdict) = repeat.next(&History::new(&steps)) else { panic!("not done") };
        assert_eq!(verdict.headline, "j: 1.00k IOPS ± 2.5 % (mean with its 95 % interval, n = 3 rounds).");
    }

    #[test]
    fn a_failed_round_ends_it() {
        let mut failed = round("repeat", 0.0);
        failed.failure = Some("no space left on the device".to_owned());
        let steps = history(Vec::new(), failed);
        let Step::Done(verdict) = (Repeat { rounds: 3 }).next(&History::new(&steps)) else {
            panic!("not done")
        };
        assert_eq!(verdict.headline, "Round r failed: no space left on the device.");
    }

    #[test]
    fn its_parameters_make_it_again() {
        let parameters = (Repeat { rounds: 7 }).parameters();
        let again = crate::procedure::open("repeat", &parameters).unwrap();
        assert_eq!(again.expected(), [(Repeat::round(), 7)]);
        assert!(crate::procedure::open("repeat", &[]).is_err());
        assert!(crate::procedure::open("other", &parameters).is_err());
    }
}
