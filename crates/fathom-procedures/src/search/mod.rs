//! `search`: finds one value of an option among many, by measuring few of them.
//!
//! The values are in order of demand: more I/Os in flight, more workers, a higher rate. Then rate and latency rise with
//! them, and the value that is looked for lies between one that is below it and one that is not: each measurement halves what is
//! left. Among 64 depths that takes 8 cells and not 64. A whole sweep ([`crate::suite`]) shows the curve.

mod answer;
mod goal;
#[cfg(test)]
mod tests;

pub use goal::{LatencyFigure, SearchFound, SearchGoal};

use super::definition::{Parameters, ProcedureDef};
use super::repeat::failure;
use super::{History, Procedure, Round, RoundJobs, Step};
use crate::suite::Vary;
use fathom_judge::steady::ConfidentTerms;
use fathom_results::procedure::RoundFigures;
use fathom_results::{Answer, Verdict};
use fathom_stats::Estimate;

/// A search over the values of one option.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The option, and its values in order of demand; at least two.
    pub axis: Vary,
    /// What is looked for.
    pub goal: SearchGoal,
    /// How often a value is measured before it decides; at least 1.
    pub repeat: u32,
    /// Ends each measurement when its rate has settled.
    pub until: Option<ConfidentTerms>,
}

impl Search {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "search", open: Search::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        let values: String = parameters.get("values")?;
        let axis =
            Vary { name: parameters.get("option")?, values: values.split('\n').map(str::to_owned).collect() };
        let (goal, share): (String, f64) = (parameters.get("goal")?, parameters.get("until")?);
        let until = (share > 0.0).then_some(ConfidentTerms { half_width: share });
        Ok(Box::new(Search { axis, goal: goal.parse()?, repeat: parameters.get("repeat")?, until }))
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        [
            ("option", self.axis.name.clone()),
            ("values", self.axis.values.join("\n")),
            ("goal", self.goal.to_string()),
            ("repeat", self.repeat.to_string()),
            ("until", self.until.map_or(0.0, |until| until.half_width).to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// What is known of each value: the means of its rounds.
    fn measured(&self, history: &History<'_>) -> Vec<Option<ValueFigures>> {
        let of = |value: &String| {
            let cell = self.cell(value);
            let rounds: Vec<&RoundFigures> = history.of_cell(&cell).map(|round| &*round.whole).collect();
            let jobs: Vec<&RoundFigures> = history.of_cell(&cell).flat_map(|round| &round.figures).collect();
            let figures = || {
                let all = ValueFigures::of(&rounds, &jobs, &self.goal);
                ValueFigures { reachable: all.reachable.filter(|_| self.axis.name == "iodepth"), ..all }
            };
            (rounds.len() >= self.repeat as usize).then(figures)
        };
        self.axis.values.iter().map(of).collect()
    }

    fn cell(&self, value: &str) -> String {
        format!("{}={value}", self.axis.name)
    }

    fn round(&self, place: usize) -> Round {
        let value = &self.axis.values[place];
        let jobs = RoundJobs::AsGiven { set: vec![(self.axis.name.clone(), value.clone())] };
        Round { until: self.until, ..Round::of(self.cell(value), jobs) }
    }
}

/// What was measured with a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueFigures {
    /// I/Os per second of all jobs.
    pub iops: f64,
    /// Bytes per second of all jobs.
    pub bytes_per_second: f64,
    /// Mean latency of all I/Os, ns.
    pub mean_ns: f64,
    /// Which latency that is, and the limited one: where all jobs have a rate, both count from the planned start.
    pub is_response: bool,
    /// The latency that is limited, of the slowest job, ns; the mean without a limit.
    pub limited_ns: f64,
    /// The 95 % interval of the mean rate over the rounds; `None` of fewer than three.
    pub interval: Option<(f64, f64)>,
    /// How many rounds.
    pub n: usize,
    /// The 95 % interval of the mean latency in the same way, ns.
    pub latency_interval: Option<(f64, f64)>,
    /// In how many of them the rate of a job fell: their rates are means of two.
    pub fallen: usize,
    /// Most I/Os in flight that a clone of a job can have, where the queue depth is varied and asks for more.
    pub reachable: Option<u32>,
}

impl ValueFigures {
    fn of(rounds: &[&RoundFigures], jobs: &[&RoundFigures], goal: &SearchGoal) -> ValueFigures {
        let n = rounds.len().max(1) as f64;
        let mean = |of: fn(&RoundFigures) -> f64| rounds.iter().map(|round| of(round)).sum::<f64>() / n;
        let limited = |figures: &&RoundFigures| match goal {
            SearchGoal::Knee => figures.latency_ns_mean,
            SearchGoal::MostUnder { figure, .. } => figure.of(figures),
        };
        let is_response = !jobs.is_empty() && jobs.iter().all(|job| job.is_response);
        // The figures of a whole round have service.
        let response_ns = || {
            let ios: f64 = jobs.iter().map(|job| job.ios as f64).sum();
            jobs.iter().map(|job| job.latency_ns_mean.unwrap_or(0.0) * job.ios as f64).sum::<f64>()
                / ios.max(1.0)
        };
        let service_ns = || mean(|figures| figures.latency_ns_mean.unwrap_or(0.0));
        ValueFigures {
            iops: mean(|figures| figures.iops),
            bytes_per_second: mean(|figures| figures.bytes_per_second),
            mean_ns: if is_response { response_ns() } else { service_ns() },
            is_response,
            limited_ns: jobs.iter().filter_map(limited).fold(0.0, f64::max),
            interval: interval(rounds.iter().map(|round| round.iops)),
            latency_interval: interval(rounds.iter().filter_map(|round| round.latency_ns_mean)),
            n: rounds.len(),
            fallen: jobs.iter().filter(|job| job.fall.is_some()).count(),
            reachable: jobs.iter().filter_map(|job| job.unreached).map(|depth| depth.reachable).min(),
        }
    }
}

/// Rounds that an interval needs: two tell nothing of their spread.
const ROUNDS_MIN: usize = 3;

fn interval(of_rounds: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let values: Vec<f64> = of_rounds.collect();
    let mean = Estimate::of_independent(&values, 0.95).filter(|_| values.len() >= ROUNDS_MIN)?;
    Some((mean.low, mean.high))
}

impl Procedure for Search {
    /// The lowest and the highest value, and what halving takes between them.
    fn expected(&self) -> Vec<(Round, u32)> {
        let last = self.axis.values.len() - 1;
        let halvings = last.next_power_of_two().trailing_zeros();
        let between = (halvings > 0).then(|| (self.round(last / 2), self.repeat * halvings));
        [(self.round(0), self.repeat), (self.round(last), self.repeat)].into_iter().chain(between).collect()
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        match self.goal.next(&self.measured(history)) {
            Ok(place) => Step::Run(self.round(place)),
            Err(_) => Step::Done(self.verdict(history)),
        }
    }

    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        answer::answer(self, history)
    }

    fn is_not_valid(&self, history: &History<'_>) -> bool {
        use SearchFound::{DepthNotReached, NoneIsWithin, StillRises};
        matches!(self.found(history), Some(NoneIsWithin | StillRises | DepthNotReached(_)))
    }
}

impl Search {
    /// What was found; `None` while something is to be measured.
    pub fn found(&self, history: &History<'_>) -> Option<SearchFound> {
        self.goal.next(&self.measured(history)).err()
    }

    fn verdict(&self, history: &History<'_>) -> Verdict {
        Verdict { headline: answer::headline(self, history), distrust: history.doubts() }
    }
}
