//! `repeat`: the same jobs several times, and what their figures are together.
//!
//! A single run cannot tell how much a figure varies from run to run. The interval over rounds can.

use super::definition::{Parameters, ProcedureDef};
use super::{History, Procedure, Round, RoundJobs, Step, spread};
use crate::quantity;
use fathom_results::Verdict;
use fathom_results::procedure::{RoundDone, RoundFigures};
use fathom_stats::Estimate;
use fathom_text::words::counted;

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// The same jobs, so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Number of rounds; at least 1.
    pub rounds: u32,
    /// The files that a round creates lose their names as soon as they are open.
    pub removes_created: bool,
}

impl Repeat {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef =
        ProcedureDef { name: "repeat", what: "the same jobs several times", open: Repeat::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        match parameters.get("rounds")? {
            0 => Err("the parameter rounds is 0".to_owned()),
            rounds => {
                let removes_created = parameters.get_or("removes_created", false)?;
                Ok(Box::new(Repeat { rounds, removes_created }))
            }
        }
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let parameters =
            [("rounds", self.rounds.to_string()), ("removes_created", self.removes_created.to_string())];
        parameters.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    fn round(&self) -> Round {
        let jobs = RoundJobs::AsGiven { set: Vec::new() };
        Round { cell: "repeat".to_owned(), jobs, calibrates: false, removes_created: self.removes_created }
    }
}

impl Procedure for Repeat {
    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(self.round(), self.rounds)]
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(failed));
        }
        match history.rounds().count() < self.rounds as usize {
            true => Step::Run(self.round()),
            false => Step::Done(verdict(history)),
        }
    }
}

/// The verdict of a procedure that a failed round ends.
pub(super) fn failure(failed: &RoundDone) -> Verdict {
    let why = failed.failed().unwrap_or_default();
    let headline = format!("Round {} failed: {why}.", failed.directory);
    Verdict { headline, ..Verdict::default() }
}

fn verdict(history: &History<'_>) -> Verdict {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let jobs = rounds.first().map_or(0, |round| round.figures.len());
    let rates: Vec<String> = (0..jobs).map(|job| rate(&rounds, job)).collect();
    let n = rounds.len();
    let headline = match rates.as_slice() {
        [] => format!("{n} rounds without I/O."),
        [only] => format!("{only}."),
        _ => format!("{}.", rates.join("; ")),
    };
    let limits = (0..jobs).flat_map(|job| others(&rounds, job)).collect();
    let mut distrust = spread::doubts(history);
    distrust.extend(history.doubts());
    if n == 1 {
        distrust.insert(0, "One round cannot tell how much the figures vary.".to_owned());
    }
    Verdict { headline, limits, distrust }
}

/// `randread: 51.2k IOPS ± 0.4 % (95 % interval of the mean of 5 rounds); lowest round 50.9k IOPS, highest 51.5k IOPS`.
fn rate(rounds: &[&RoundDone], job: usize) -> String {
    let values = values(rounds, job, |figures| Some(figures.iops));
    format!("{}: {}", name(rounds, job), told(&values, |iops| quantity::iops(iops) + " IOPS"))
}

/// Bandwidth and latencies of a job, one line each.
fn others(rounds: &[&RoundDone], job: usize) -> Vec<String> {
    type Figure = (&'static str, fn(&RoundFigures) -> Option<f64>, fn(f64) -> String);
    let figures: [Figure; 3] = [
        ("bandwidth", |figures| Some(figures.bytes_per_second), quantity::bandwidth),
        ("mean latency", |figures| figures.latency_ns_mean, quantity::latency),
        ("99 % of latencies up to", |figures| figures.latency_ns_p99.map(|ns| ns as f64), quantity::latency),
    ];
    let line = |(what, of, shown): Figure| {
        let values = values(rounds, job, of);
        (values.len() == rounds.len())
            .then(|| format!("{}: {what} {}", name(rounds, job), briefly(&values, shown)))
    };
    figures.into_iter().filter_map(line).collect()
}

fn name<'a>(rounds: &[&'a RoundDone], job: usize) -> &'a str {
    rounds.first().and_then(|round| round.figures.get(job)).map_or("", |figures| &figures.job)
}

fn values(rounds: &[&RoundDone], job: usize, of: impl Fn(&RoundFigures) -> Option<f64>) -> Vec<f64> {
    rounds.iter().filter_map(|round| round.figures.get(job)).filter_map(of).collect()
}

/// The same without what the rate of the job says already.
fn briefly(values: &[f64], shown: fn(f64) -> String) -> String {
    let (low, high) = values.iter().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let half = Estimate::of_independent(values, CONFIDENCE).filter(|mean| mean.value > 0.0);
    let half = half.map(|e| format!(" ± {}", quantity::percent((e.high - e.low) / 2.0 / e.value)));
    format!("{}{} (from {} to {})", shown(mean), half.unwrap_or_default(), shown(low), shown(high))
}

/// The mean, half of its 95 % interval, and the lowest and the highest value.
fn told(values: &[f64], shown: fn(f64) -> String) -> String {
    let n = values.len();
    let (low, high) = values.iter().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    let spread = format!("lowest round {}, highest {}", shown(low), shown(high));
    match Estimate::of_independent(values, CONFIDENCE) {
        Some(mean) if mean.value > 0.0 => {
            let half = quantity::percent((mean.high - mean.low) / 2.0 / mean.value);
            format!("{} ± {half} (95 % interval of the mean of {n} rounds); {spread}", shown(mean.value))
        }
        _ => {
            let mean = values.iter().sum::<f64>() / n.max(1) as f64;
            let rounds = counted(n as u64, "round");
            format!("{} ({rounds}: too few for an interval); {spread}", shown(mean))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedure::fixture::{history, round};
    use fathom_results::procedure::Doubt;

    #[test]
    fn it_ends_after_its_rounds_with_an_interval() {
        let repeat = Repeat { rounds: 3, removes_created: false };
        let mut steps = Vec::new();
        for iops in [1000.0, 1010.0, 990.0] {
            assert_eq!(repeat.next(&History::new(&steps)), Step::Run(repeat.round()));
            steps = history(steps, round("repeat", iops));
        }
        let Step::Done(verdict) = repeat.next(&History::new(&steps)) else { panic!("not done") };
        let headline = "j: 1.00k IOPS ± 2.5 % (95 % interval of the mean of 3 rounds); lowest round 990 IOPS, highest 1.01k IOPS.";
        assert_eq!(verdict.headline, headline);
        assert_eq!(verdict.limits.len(), 2, "bandwidth and mean latency: {:?}", verdict.limits);
    }

    #[test]
    fn doubts_of_rounds_are_told_with_their_number() {
        let mut steps = Vec::new();
        for cached in [true, false, true] {
            let mut round = round("repeat", 1000.0);
            let doubt = Doubt { code: "page-cache".to_owned(), message: "Memory answered.".to_owned() };
            round.doubts.extend(cached.then_some(doubt));
            steps = history(steps, round);
        }
        let Step::Done(verdict) = (Repeat { rounds: 3, removes_created: false }).next(&History::new(&steps))
        else {
            panic!("not done")
        };
        assert_eq!(verdict.distrust, ["In 2 of 3 rounds: Memory answered. [page-cache]"]);
    }

    #[test]
    fn a_failed_round_ends_it() {
        let mut failed = round("repeat", 0.0);
        failed.failure = Some("no space left on the device".to_owned());
        let steps = history(Vec::new(), failed);
        let Step::Done(verdict) = (Repeat { rounds: 3, removes_created: false }).next(&History::new(&steps))
        else {
            panic!("not done")
        };
        assert_eq!(verdict.headline, "Round r failed: no space left on the device.");
    }

    #[test]
    fn its_parameters_make_it_again() {
        let parameters = (Repeat { rounds: 7, removes_created: true }).parameters();
        let again = crate::procedure::open("repeat", &parameters).unwrap();
        assert_eq!(again.expected(), [(Repeat { rounds: 7, removes_created: true }.round(), 7)]);
        assert!(crate::procedure::open("repeat", &[]).is_err());
        assert!(crate::procedure::open("other", &parameters).is_err());
    }
}
