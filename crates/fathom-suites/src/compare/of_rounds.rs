//! A subject made from what the history keeps of rounds, without their records.

use super::metric::Metric;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_results::ComparedSubject;
use fathom_results::procedure::{RoundDone, RoundFigures};

/// A figure of a job in the history, and its value.
type Kept = (Metric, fn(&RoundFigures) -> Option<f64>);

const KEPT: [Kept; 3] = [
    (Metric::Iops, |figures| Some(figures.iops).filter(|rate| *rate > 0.0)),
    (Metric::MeanLatency, |figures| figures.latency_ns_mean),
    (Metric::P99Latency, |figures| figures.latency_ns_p99.map(|ns| ns as f64)),
];

impl Subject {
    /// The rounds of one cell. Jobs are told apart by their place.
    pub(crate) fn of_rounds<'r>(cell: &str, rounds: impl Iterator<Item = &'r RoundDone>) -> Subject {
        let rounds: Vec<&RoundDone> = rounds.collect();
        let runs = rounds.len() as u32;
        let jobs = rounds.iter().map(|round| round.figures.len()).min().unwrap_or(0);
        let mut figures = Vec::new();
        for job in 0..jobs {
            for (metric, of) in KEPT {
                let values: Option<Vec<f64>> = rounds.iter().map(|round| of(&round.figures[job])).collect();
                let key = FigureKey::measured(&rounds[0].figures[job].job, "", metric);
                let load = Load { is_small: true, ..Load::default() };
                let figure = |values| SubjectFigure { key, metric, load, values, within: None };
                figures.extend(values.map(figure));
            }
        }
        let about = ComparedSubject { name: cell.to_owned(), runs, ..ComparedSubject::default() };
        Subject { about, figures, ..Subject::default() }
    }
}
