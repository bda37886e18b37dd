//! The statistics of logs and results as one JSON document (T-10).

use super::line::{Line, lines};
use fathom_figures::fio::{FioDetail, FioFigure, FioJob, Imported, ImportedResult, LinesAre};
use fathom_figures::metric::Metric;
use fathom_figures::programs::{ImportedProgram, ProgramFigure, ProgramRow};
use fathom_results::Unrated;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// What `fathom import --output-format json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportDocument {
    /// Version of the document.
    pub fathom_import: u32,
    /// What the reader calls it; empty without `--title`.
    pub title: String,
    /// The statistics of logs, a line for each job, direction and kind, and for jobs together.
    pub logs: Vec<LogDocument>,
    /// The figures of results.
    pub results: Vec<FigureDocument>,
    /// What results have beside them: processor, distributions, samples, disks.
    pub details: Vec<DetailDocument>,
    /// What should be known about the files.
    pub notes: Vec<String>,
    /// Files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadDocument>,
}

/// A file that could not be read, while others were.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadDocument {
    /// The file.
    pub file: String,
    /// Why.
    pub why: String,
}

/// The statistics of one direction of a log.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogDocument {
    /// The job: prefix and number.
    pub job: String,
    /// Its log; null for several jobs together.
    pub file: Option<String>,
    /// `bw`, `iops`, `lat`, `clat` or `slat`.
    pub kind: &'static str,
    /// `read`, `write` or `trim`.
    pub direction: &'static str,
    /// What the columns of its lines are, and the unit of the values; null for several jobs together.
    pub columns: Option<String>,
    /// Of all figures: `B/s`, `1/s` or `ns`.
    pub unit: &'static str,
    /// Length of the windows of the lines, ms; null where each line is an I/O.
    pub window_ms: Option<u64>,
    /// What the figures are of, in words.
    pub basis: String,
    /// Lines; for jobs together: steps.
    pub n: u64,
    /// Length of the measured time, s.
    pub seconds: f64,
    /// Mean; null for a rate without time.
    pub mean: Option<f64>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// The largest value as a multiple of the mean.
    pub max_over_mean: Option<f64>,
    /// Standard deviation.
    pub stddev: Option<f64>,
    /// Percentiles by their names, such as `p50`; null unless the log has every I/O.
    #[serde(flatten)]
    pub percentiles: BTreeMap<&'static str, Option<f64>>,
    /// Time without a line, s.
    pub silent_seconds: f64,
}

/// A figure of a result.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureDocument {
    /// The file.
    pub file: String,
    /// Which run of the file it is, from 1; absent where the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
    /// The program: `fio`, `iostat`, `vdbench` …
    pub program: &'static str,
    /// The version of fio that wrote it; absent of another program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fio_version: Option<String>,
    /// The version of another program, where its output has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The line of the file where its row begins; absent of fio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The job.
    pub job: String,
    /// What the job was, as its options say.
    pub options: JobOptionsDocument,
    /// `read`, `write`, `trim` or `mixed`; empty for what is of no direction.
    pub direction: &'static str,
    /// `iops`, `bandwidth`, `clat mean`, `clat p99` …; of another program the id of the metric: `latency_mean`, `busy`, `nopm` …
    pub name: String,
    /// `1/s`, `B/s` or `ns`; of other programs also `%`, `1/min`, `B`, `s` and `1`.
    pub unit: &'static str,
    /// The value; of several the mean.
    pub value: f64,
    /// How many values of the file it is made of; absent of fio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The smallest of them; absent of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest of them; absent of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The value that it does not reach, where the file has it cut to a whole number; absent where it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Whether it is a rate of less than a tenth of a second, which says nothing of the device; absent where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_too_short: bool,
    /// Whether it is a rate, a mean or a percentile of fewer than ten I/Os, which says nothing of the device; absent where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_too_few: bool,
}

/// A number of a job or a disk of a result.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetailDocument {
    /// The file.
    pub file: String,
    /// Which run of the file it is, from 1; absent where the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
    /// The job, or the disk.
    pub of: String,
    /// `read`, `write`, `trim` or `mixed`; empty for all together.
    pub direction: &'static str,
    /// `cpu`, `depth`, `submit`, `complete`, `latency`, `bandwidth samples`, `iops samples`, `ios`, `job` or `disk`.
    pub kind: &'static str,
    /// `user`, `context switches` …; of a class of a distribution its bound: `32`, `>=64`, and ns for latencies.
    pub name: String,
    /// `%`, `B/s`, `1/s`, `ms`, and `1` for a number of things.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
}

/// What a job was, as its options say; null where the file does not tell.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobOptionsDocument {
    /// The option `rw`.
    pub rw: Option<String>,
    /// Bytes of an I/O: the option `bs`, else the mean of all I/Os, where their number is known.
    pub block_bytes: Option<f64>,
    /// The option `iodepth`.
    pub iodepth: Option<u64>,
    /// Whether there are options without a depth: it is fio's default, 1, then.
    pub iodepth_is_assumed: bool,
    /// The option `numjobs`.
    pub numjobs: Option<u64>,
    /// The host that ran it, of a server's results.
    pub host: Option<String>,
}

impl JobOptionsDocument {
    fn of(job: &FioJob) -> JobOptionsDocument {
        JobOptionsDocument {
            rw: job.direction.clone(),
            block_bytes: job.block_bytes,
            iodepth: if job.depth_is_assumed { Some(1) } else { job.depth },
            iodepth_is_assumed: job.depth_is_assumed,
            numjobs: job.jobs,
            host: job.host.clone(),
        }
    }
}

/// The document of what was imported.
pub fn document(imported: &Imported) -> ImportDocument {
    let percentiles = imported.percentiles();
    let lines = imported.kinds().into_iter().flat_map(|kind| lines(imported, kind));
    let results = imported.results.iter().flat_map(figures);
    let results = results.chain(imported.programs.iter().flat_map(figures_of_program));
    ImportDocument {
        fathom_import: FORMAT,
        title: imported.title.clone(),
        logs: lines.map(|line| log(line, &percentiles)).collect(),
        results: results.collect(),
        details: imported.results.iter().flat_map(details).collect(),
        notes: imported.notes.clone(),
        unread: imported
            .unread
            .iter()
            .map(|of| UnreadDocument { file: of.file.clone(), why: of.why.clone() })
            .collect(),
    }
}

fn figures(of: &ImportedResult) -> Vec<FigureDocument> {
    let result = &of.result;
    let jobs: HashMap<String, &FioJob> = result.labels().into_iter().zip(&result.jobs).collect();
    let document = |figure: FioFigure| {
        let options = JobOptionsDocument::of(jobs.get(&figure.job)?);
        Some(FigureDocument {
            file: of.file.clone(),
            run: of.run,
            program: "fio",
            fio_version: Some(result.version.clone()),
            version: None,
            line: None,
            n: None,
            min: None,
            max: None,
            options,
            job: figure.job,
            direction: figure.direction,
            name: figure.name,
            unit: figure.unit,
            value: figure.value,
            below: figure.below,
            is_too_short: figure.unrated == Some(Unrated::TooShort),
            has_too_few: figure.unrated == Some(Unrated::TooFew),
        })
    };
    result.figures().into_iter().filter_map(document).collect()
}

fn figures_of_program(of: &ImportedProgram) -> Vec<FigureDocument> {
    let document = |(row, label): (&ProgramRow, String)| {
        let options = JobOptionsDocument {
            rw: row.load.rw.clone(),
            block_bytes: row.load.block_bytes,
            iodepth: row.load.depth,
            iodepth_is_assumed: false,
            numjobs: row.load.jobs,
            host: of.result.host.clone(),
        };
        let figure = |figure: &ProgramFigure| FigureDocument {
            file: of.file.clone(),
            run: of.run,
            program: of.result.program.name(),
            fio_version: None,
            version: of.result.version.clone(),
            line: Some(row.line),
            job: label.clone(),
            options: options.clone(),
            direction: row.direction,
            name: figure.metric.id.to_owned(),
            unit: figure.metric.unit.symbol(),
            value: figure.value,
            n: Some(figure.n),
            min: figure.range.map(|range| range.0),
            max: figure.range.map(|range| range.1),
            below: None,
            is_too_short: false,
            has_too_few: false,
        };
        row.figures.iter().map(figure).collect::<Vec<_>>()
    };
    of.result.rows.iter().zip(of.result.labels()).flat_map(document).collect()
}

fn details(of: &ImportedResult) -> Vec<DetailDocument> {
    let document = |detail: FioDetail| {
        let FioDetail { of: what, direction, kind, name, unit, value } = detail;
        DetailDocument { file: of.file.clone(), run: of.run, of: what, direction, kind, name, unit, value }
    };
    of.result.details().into_iter().map(document).collect()
}

fn log(line: Line, percentiles: &[&'static Metric]) -> LogDocument {
    let figures = line.figures;
    let percentiles = percentiles.iter().map(|metric| (metric.title, figures.percentile(metric))).collect();
    LogDocument {
        percentiles,
        job: line.label,
        file: line.file,
        kind: figures.kind.word(),
        direction: line.direction,
        columns: line.columns,
        unit: figures.kind.unit(),
        window_ms: match figures.lines_are {
            LinesAre::EachIo | LinesAre::Histograms { .. } => None,
            LinesAre::Windows { length_ms } => Some(length_ms),
        },
        basis: line.basis,
        n: figures.n,
        seconds: figures.seconds,
        mean: figures.mean,
        min: figures.min,
        max: figures.max,
        max_over_mean: figures.max_over_mean(),
        stddev: figures.stddev,
        silent_seconds: figures.silent_seconds,
    }
}
