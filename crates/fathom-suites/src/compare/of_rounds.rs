//! A subject made from what the history keeps of rounds, without their records.

use super::metric::MetricKind;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_results::ComparedSubject;
use fathom_results::procedure::{RoundDone, RoundFigures};

/// A figure of a job in the history: its name, unit, kind, and value.
type Kept = (&'static str, &'static str, MetricKind, fn(&RoundFigures) -> Option<f64>);

const KEPT: [Kept; 3] = [
    ("IOPS", "IOPS", MetricKind::Iops, |figures| Some(figures.iops).filter(|rate| *rate > 0.0)),
    ("mean latency", "ns", MetricKind::Mean, |figures| figures.latency_ns_mean),
    ("p99 latency", "ns", MetricKind::Percentile, |figures| figures.latency_ns_p99.map(|ns| ns as f64)),
];

impl Subject {
    /// The rounds of one cell. Jobs are told apart by their place.
    pub(crate) fn of_rounds<'r>(cell: &str, rounds: impl Iterator<Item = &'r RoundDone>) -> Subject {
        let rounds: Vec<&RoundDone> = rounds.collect();
        let runs = rounds.len() as u32;
        let jobs = rounds.iter().map(|round| round.figures.len()).min().unwrap_or(0);
        let mut figures = Vec::new();
        for job in 0..jobs {
            for (metric, unit, kind, of) in KEPT {
                let values: Option<Vec<f64>> = rounds.iter().map(|round| of(&round.figures[job])).collect();
                let key = FigureKey {
                    job: rounds[0].figures[job].job.clone(),
                    direction: "",
                    metric: metric.to_owned(),
                };
                let load = Load { is_small: true, ..Load::default() };
                figures.extend(values.map(|values| SubjectFigure {
                    key,
                    unit: unit.to_owned(),
                    kind,
                    load,
                    values,
                    within: None,
                }));
            }
        }
        let about = ComparedSubject { name: cell.to_owned(), runs, ..ComparedSubject::default() };
        Subject { about, figures, ..Subject::default() }
    }
}
