//! A subject made from what fio printed.

use super::metric::MetricKind;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_figures::fio::{FioFigure, FioResult};
use fathom_results::ComparedSubject;

/// From this block size on, bandwidth is the figure that people use.
const LARGE_BLOCK_BYTES: f64 = 65_536.0;

/// fio's names of the figures that fathom compares, with fathom's.
const NAMES: [(&str, &str, &str, MetricKind); 6] = [
    ("iops", "IOPS", "IOPS", MetricKind::Iops),
    ("bandwidth", "bandwidth", "bytes/s", MetricKind::Bandwidth),
    ("clat mean", "mean latency", "ns", MetricKind::Mean),
    ("clat p50", "p50 latency", "ns", MetricKind::Percentile),
    ("clat p99", "p99 latency", "ns", MetricKind::Percentile),
    ("clat p99.9", "p99.9 latency", "ns", MetricKind::Percentile),
];

impl Subject {
    /// A result of fio. What its jobs did is not known, so it is compared with any job of the same name.
    pub fn of_fio(name: &str, source: &str, result: &FioResult) -> Subject {
        let about = ComparedSubject {
            name: name.to_owned(),
            source: source.to_owned(),
            runs: 1,
            ..Default::default()
        };
        let all = result.figures();
        let figures = all.iter().filter_map(|figure| subject_figure(figure, &all)).collect();
        Subject { about, figures, ..Subject::default() }
    }
}

fn subject_figure(figure: &FioFigure, all: &[FioFigure]) -> Option<SubjectFigure> {
    let (_, metric, unit, kind) = NAMES.iter().find(|(name, ..)| *name == figure.name)?;
    let of_job = || all.iter().filter(|other| other.job == figure.job && other.value > 0.0);
    let is_alone = of_job().all(|other| other.direction == figure.direction);
    let value = |name: &str| {
        of_job()
            .find(|other| other.direction == figure.direction && other.name == name)
            .map(|other| other.value)
    };
    let block = value("bandwidth").zip(value("iops")).map(|(bytes, ios)| bytes / ios);
    let key = FigureKey {
        job: figure.job.clone(),
        direction: if is_alone { "" } else { figure.direction },
        metric: (*metric).to_owned(),
    };
    let is_small = block.is_none_or(|block| block < LARGE_BLOCK_BYTES);
    (figure.value > 0.0).then(|| SubjectFigure {
        key,
        unit: (*unit).to_owned(),
        kind: *kind,
        load: Load { is_small, ..Load::default() },
        values: vec![figure.value],
        within: None,
    })
}
