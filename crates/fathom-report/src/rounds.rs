//! The rounds of a procedure by job, and what they are together: the terminal and the page say the same.

use crate::text::instead_of_rate;
use fathom_figures::metric::{Metric, OverRounds};
use fathom_results::procedure::{FallFigures, ProcedureResult, RoundDone, RoundFigures};
use fathom_stats::{Estimate, median};
use fathom_text::number::cell;

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// One job of a round.
pub(crate) type JobRound<'p> = (&'p RoundDone, &'p RoundFigures);

/// One job of all rounds.
pub(crate) struct JobRounds<'p> {
    /// Its name in the first round.
    pub(crate) name: &'p str,
    /// The rounds, in their order.
    pub(crate) rounds: Vec<JobRound<'p>>,
}

/// The jobs in plan order.
pub(crate) fn jobs(procedure: &ProcedureResult) -> Vec<JobRounds<'_>> {
    jobs_of(procedure.rounds())
}

/// The same without the rounds that failed, which a mean leaves out as a comparison does.
pub(crate) fn jobs_without_failures(procedure: &ProcedureResult) -> Vec<JobRounds<'_>> {
    jobs_of(procedure.rounds().filter(|round| round.failed().is_none()))
}

/// How far a round can be trusted, in a word; a round that failed says that. `None` where it was not judged.
pub(crate) fn trust(round: &RoundDone) -> Option<&'static str> {
    let level = round.answer.as_ref().map(|answer| answer.trust.level.name());
    if round.failed().is_some() { Some("failed") } else { level }
}

fn jobs_of<'p>(rounds: impl Iterator<Item = &'p RoundDone>) -> Vec<JobRounds<'p>> {
    let mut jobs: Vec<JobRounds<'_>> = Vec::new();
    for round in rounds {
        for (place, figures) in round.figures.iter().enumerate() {
            match jobs.get_mut(place) {
                Some(job) => job.rounds.push((round, figures)),
                None => jobs.push(JobRounds { name: &figures.job, rounds: vec![(round, figures)] }),
            }
        }
    }
    jobs
}

/// The reads, the writes and the trims of a job that mixes them, each as a job of their name; empty where a round has none.
pub(crate) fn by_direction<'p>(job: &JobRounds<'p>) -> Vec<JobRounds<'p>> {
    let Some((_, first)) = job.rounds.first() else { return Vec::new() };
    let of = |direction: &'p RoundFigures| {
        let name = direction.job.as_str();
        let same = |one: &JobRound<'p>| Some((one.0, one.1.directions.iter().find(|it| it.job == name)?));
        let rounds: Option<Vec<JobRound<'p>>> = job.rounds.iter().map(same).collect();
        rounds.map(|rounds| JobRounds { name, rounds })
    };
    first.directions.iter().filter_map(of).collect()
}

/// Do all rounds measure the same? Then they have means.
pub(crate) fn is_one_cell(procedure: &ProcedureResult) -> bool {
    let mut cells = procedure.rounds().map(|round| &round.cell);
    cells.next().is_some_and(|first| cells.all(|cell| cell == first))
}

/// The rate of a round that lasted, or what is shown instead of it.
pub(crate) fn rate_or_why(of: &RoundFigures) -> String {
    match of.unrated() {
        Some(unrated) => instead_of_rate(unrated, of.ios),
        None => of.lasting_rate().map_or("-".to_owned(), cell),
    }
}

/// The values of a figure, if all rounds have it.
pub(crate) fn values(all: &[JobRound<'_>], of: impl Fn(&RoundFigures) -> Option<f64>) -> Option<Vec<f64>> {
    all.iter().map(|one| of(one.1)).collect()
}

/// The mean with its interval; `None` with fewer than three rounds.
pub(crate) fn estimate(values: &[f64]) -> Option<Estimate> {
    Estimate::of_independent(values, CONFIDENCE)
}

/// The mean. None describes rounds that differ by more than the mean itself.
fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (!estimate(values).is_some_and(|e| e.relative_half_width() >= 1.0)).then_some(mean)
}

/// What describes all rounds: the mean or the median, if all rounds have the figure, and the largest of those that have it.
pub(crate) fn together(metric: &Metric, all: &[JobRound<'_>]) -> Option<f64> {
    let values = || values(all, |one| metric.of_round(one));
    match metric.over_rounds {
        OverRounds::Mean => mean(&values()?),
        OverRounds::Median => median(&mut values()?),
        OverRounds::Largest => all.iter().filter_map(|one| metric.of_round(one.1)).reduce(f64::max),
    }
}

/// The mark after the rate of a job that fell meanwhile: it is the rate that lasted.
pub(crate) const FELL: &str = " ↓";

/// Does the table show a rate that fell?
pub(crate) fn has_fallen(procedure: &ProcedureResult) -> bool {
    procedure.rounds().flat_map(|round| &round.figures).any(|figures| figures.fall.is_some())
}

/// `fell at second 12 from 3,000 IOPS and 3,146 MB/s, after 37.7 GB`; of a fall that took a while, `fell between second 12 and 15 …`.
pub(crate) fn fell(fall: &FallFigures) -> String {
    let when = match fall.lasts_from_s > fall.at_s + 1 {
        true => format!("between second {} and {}", fall.at_s, fall.lasts_from_s),
        false => format!("at second {}", fall.at_s),
    };
    format!(
        "fell {when} from {} IOPS and {} MB/s, after {}",
        cell(fall.iops_before),
        cell(fall.bytes_per_second_before / 1e6),
        fathom_text::quantity::bytes(fall.bytes_before)
    )
}
