//! The lines of a report of logs: one for each job and direction, and one for the jobs of a run together.

use fathom_figures::fio::{FioLogKind, Imported, JobsTogether, LatencyWeight, LinesAre, LogFigures};
use fathom_text::number::significant;

/// One line, with figures in the unit of its kind ([`FioLogKind::unit`]).
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) label: String,
    /// `None` for several jobs together.
    pub(crate) file: Option<String>,
    pub(crate) direction: &'static str,
    pub(crate) figures: LogFigures,
    /// What the figures are the mean of, in words.
    pub(crate) basis: String,
    /// What the columns of its lines are, and the unit of its values; `None` for several jobs together.
    pub(crate) columns: Option<String>,
}

/// The lines of a kind of log: each job, then the jobs of each run together.
pub(crate) fn lines(imported: &Imported, kind: FioLogKind) -> Vec<Line> {
    let percentiles = imported.percentiles();
    let of_jobs = imported.tracks(kind).into_iter().filter_map(|it| {
        let figures = it.track.figures_with(&percentiles)?;
        Some(Line {
            label: it.label,
            file: Some(it.file.to_owned()),
            direction: it.direction.name(),
            basis: basis(&figures),
            columns: Some(it.columns),
            figures,
        })
    });
    of_jobs.chain(imported.together(kind).iter().map(together)).collect()
}

/// What a line of the log means, and what the mean is of.
fn basis(figures: &LogFigures) -> String {
    match (figures.lines_are, figures.kind.is_latency()) {
        (LinesAre::EachIo, true) => "every I/O".to_owned(),
        (LinesAre::EachIo, false) => "every I/O, counted by the second".to_owned(),
        (lines_are @ LinesAre::Histograms { .. }, _) => {
            let percent = significant(100.0 * lines_are.value_width(), 2);
            format!("every I/O, from histograms: values within {percent} %")
        }
        (LinesAre::Windows { length_ms }, _) => format!("means of {length_ms} ms, weighted by time"),
    }
}

fn together(jobs: &JobsTogether) -> Line {
    let aggregate = &jobs.aggregate;
    let length_ms = (aggregate.step_seconds * 1e3).round() as u64;
    let (label, basis) = match aggregate.weight {
        None => ("sum", format!("added at the same time, in steps of {length_ms} ms")),
        Some(LatencyWeight::Ios) => ("mean", "weighted by I/Os".to_owned()),
        Some(LatencyWeight::Time) => ("mean", "weighted by time: no log tells the I/Os".to_owned()),
    };
    let (min, max) = aggregate.extremes().unzip();
    let figures = LogFigures {
        kind: aggregate.kind,
        lines_are: LinesAre::Windows { length_ms },
        n: aggregate.steps.len() as u64,
        seconds: aggregate.seconds(),
        mean: Some(aggregate.mean),
        min,
        max,
        stddev: aggregate.stddev,
        percentiles: Vec::new(),
        silent_seconds: 0.0,
    };
    Line {
        label: format!("{}: {label} of {} jobs", jobs.label, aggregate.jobs),
        file: None,
        direction: jobs.direction.name(),
        figures,
        basis,
        columns: None,
    }
}
