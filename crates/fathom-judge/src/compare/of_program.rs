//! A subject made from what other programs printed (docs/adr/0030).

use super::metric::ComparedMetric;
use super::subject::{FigureKey, Load, Property, Subject, SubjectFigure};
use fathom_figures::metric::{Better, Columns, Metric, Output};
use fathom_figures::programs::{ProgramFigure, ProgramLoad, ProgramResult, ProgramRow};
use fathom_figures::{DepthTarget, LARGE_BLOCK};
use fathom_job::units::Bytes;
use fathom_results::{ComparedSubject, DifferenceOf};

/// Figures of which no side is the better one, or which are compared by others.
const NOT_COMPARED: [&str; 6] = ["ios", "bytes", "seconds", "latency_min", "latency_max", "latency_stddev"];

impl Subject {
    /// Results of programs. Rows of the same key, direction and load are repeats, in one file or in several.
    pub fn of_programs(name: &str, source: &str, results: &[ProgramResult], columns: &Columns) -> Subject {
        let about = ComparedSubject {
            name: name.to_owned(),
            source: source.to_owned(),
            runs: 1,
            ..Default::default()
        };
        Subject { about, is_imported: true, ..Subject::default() }.with_programs(results, columns)
    }

    /// Adds results of programs.
    pub fn with_programs(mut self, results: &[ProgramResult], columns: &Columns) -> Subject {
        for result in results {
            for row in &result.rows {
                for figure in row.figures.iter().filter_map(|figure| compared(result, row, figure, columns)) {
                    let is_same = |own: &&mut SubjectFigure| own.key == figure.key && own.load == figure.load;
                    match self.figures.iter_mut().find(is_same) {
                        Some(own) => own.values.extend(&figure.values),
                        None => self.figures.push(figure),
                    }
                }
            }
            let version = version(result);
            if !self.properties.iter().any(|own| own.what == version.what) {
                self.properties.push(version);
            }
        }
        let values = self.figures.iter().map(|figure| figure.values.len() as u32);
        self.about.runs = values.max().unwrap_or(0).max(self.about.runs);
        self
    }
}

fn version(result: &ProgramResult) -> Property {
    Property {
        of: DifferenceOf::Program,
        job: None,
        target: None,
        what: format!("version of {}", result.program.name()),
        value: result.version.clone(),
        written: None,
        source: None,
    }
}

/// A figure as it is compared; `None` of one that says nothing of a test.
fn compared(
    result: &ProgramResult,
    row: &ProgramRow,
    figure: &ProgramFigure,
    columns: &Columns,
) -> Option<SubjectFigure> {
    let metric = figure.metric;
    let usual = columns.of(Output::Comparison);
    let is_usual = usual.contains(&metric);
    let is_left_out = NOT_COMPARED.contains(&metric.id) || columns.are_chosen();
    if !is_usual && is_left_out || figure.value <= 0.0 {
        return None;
    }
    let own = if is_usual && is_of_io(metric) {
        ComparedMetric::Measured(metric)
    } else {
        ComparedMetric::Typed { is_more_better: metric.better == Better::More }
    };
    let key = FigureKey::measured(&job(result, row), row.direction, metric);
    Some(SubjectFigure::new(key, String::new(), own, load(row), vec![figure.value]))
}

/// Is it one of those that comparisons know a unit of?
fn is_of_io(metric: &Metric) -> bool {
    metric.is_rate() || metric.is_latency()
}

/// `vdbench rd1, 8 jobs`: tests that were asked for something else are no repeats.
fn job(result: &ProgramResult, row: &ProgramRow) -> String {
    let ProgramLoad { rw, depth, jobs, .. } = &row.load;
    let depth = depth.map(|depth| format!("depth {depth}"));
    let jobs = jobs.map(|jobs| fathom_text::words::counted(jobs, "job"));
    let name = format!("{} {}", result.program.name(), row.key);
    [Some(name), rw.clone(), depth, jobs].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn load(row: &ProgramRow) -> Load {
    let block = row.load.block_bytes;
    let depth = row.load.depth.zip(row.load.jobs).and_then(|(depth, jobs)| depth.checked_mul(jobs));
    Load {
        direction: row.direction,
        block: block.map(|bytes| Bytes(bytes.round() as u64).to_string()).unwrap_or_default(),
        is_small: block.is_none_or(|bytes| bytes < LARGE_BLOCK.0 as f64),
        depth: depth.map_or_else(DepthTarget::default, DepthTarget::Of),
        is_imported: true,
        ..Load::default()
    }
}
