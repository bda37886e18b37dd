//! A subject made from what fio printed.

use super::metric::Metric;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_figures::fio::{FioFigure, FioResult};
use fathom_figures::{DepthTarget, LARGE_BLOCK};
use fathom_results::ComparedSubject;
use std::collections::HashMap;

/// fio's names of the figures that fathom compares.
const NAMES: [(&str, Metric); 6] = [
    ("iops", Metric::Iops),
    ("bandwidth", Metric::Bandwidth),
    ("clat mean", Metric::MeanLatency),
    ("clat p50", Metric::P50Latency),
    ("clat p99", Metric::P99Latency),
    ("clat p99.9", Metric::P999Latency),
];

impl Subject {
    /// A result of fio. Of what its jobs did, only the number of I/Os in flight is known, so it is compared with any job of the
    /// same name.
    pub fn of_fio(name: &str, source: &str, result: &FioResult) -> Subject {
        let about = ComparedSubject {
            name: name.to_owned(),
            source: source.to_owned(),
            runs: 1,
            ..Default::default()
        };
        let all = result.figures();
        // A label is that of one job, and the figures of a job are neighbours.
        let depths: HashMap<String, DepthTarget> =
            result.labels().into_iter().zip(result.jobs.iter().map(|job| job.depth_target)).collect();
        let mut figures = Vec::new();
        for of_job in all.chunk_by(|one, next| one.job == next.job) {
            let depth = depths.get(&of_job[0].job).copied().unwrap_or_default();
            figures.extend(of_job.iter().filter_map(|figure| subject_figure(figure, of_job, depth)));
        }
        Subject { about, figures, ..Subject::default() }
    }
}

fn subject_figure(figure: &FioFigure, all: &[FioFigure], depth: DepthTarget) -> Option<SubjectFigure> {
    let (_, metric) = *NAMES.iter().find(|(name, _)| *name == figure.name)?;
    let of_job = || all.iter().filter(|other| other.value > 0.0);
    let is_alone = of_job().all(|other| other.direction == figure.direction);
    let value = |name: &str| {
        of_job()
            .find(|other| other.direction == figure.direction && other.name == name)
            .map(|other| other.value)
    };
    let block = value("bandwidth").zip(value("iops")).map(|(bytes, ios)| bytes / ios);
    let key = FigureKey::measured(&figure.job, if is_alone { "" } else { figure.direction }, metric);
    let is_small = block.is_none_or(|block| block < LARGE_BLOCK.0 as f64);
    (figure.value > 0.0 && !figure.is_too_short).then(|| SubjectFigure {
        key,
        cell: String::new(),
        metric,
        load: Load { is_small, latency: "completion", depth, ..Load::default() },
        values: vec![figure.value],
        within: None,
    })
}
