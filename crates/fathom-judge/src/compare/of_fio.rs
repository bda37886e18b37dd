//! A subject made from what fio printed.

use super::metric::ComparedMetric;
use super::subject::{FigureKey, Load, Property, Subject, SubjectFigure, joined_blocks};
use fathom_figures::fio::{FioFigure, FioFlow, FioJob, FioResult};
use fathom_figures::metric::{Columns, Metric, Output};
use fathom_figures::{DepthTarget, LARGE_BLOCK};
use fathom_job::units::Bytes;
use fathom_results::{ComparedSubject, DifferenceOf, LeftOutReason};
use std::collections::HashMap;

impl Subject {
    /// The runs of fio in a file, one or several. Of what their jobs did, the direction, the size of a block and the number of I/Os in
    /// flight are known, as far as the file tells them. A figure has a value of each run; one that a run does not have, or has of
    /// other I/O, is left out.
    pub fn of_fio(name: &str, source: &str, runs: &[FioResult], columns: &Columns) -> Subject {
        let mut each = runs.iter().map(|result| Subject::of_result((name, source), result, columns));
        let Some(mut subject) = each.next() else { return Subject::default() };
        for (run, number) in each.zip(2..) {
            subject.about.runs += 1;
            subject.add_run(&run, &LeftOutReason::NotInRun { run: number, of: runs.len() as u64 });
        }
        subject
    }

    /// Results of fio that belong together: repeats of jobs, and jobs of other options. A figure has a value of each result that has it, so
    /// the jobs of a group may have been repeated in different numbers.
    pub fn of_fio_group(name: &str, source: &str, results: &[FioResult], columns: &Columns) -> Subject {
        let mut each = results.iter().map(|result| Subject::of_result((name, source), result, columns));
        let Some(mut subject) = each.next() else { return Subject::default() };
        for result in each {
            subject.join(result);
        }
        subject.about.runs =
            subject.figures.iter().map(|figure| figure.values.len() as u32).max().unwrap_or(0);
        subject
    }

    /// Adds the figures of another result, and the properties of jobs that were not known.
    fn join(&mut self, other: Subject) {
        for figure in other.figures {
            let is_same = |own: &&mut SubjectFigure| own.key == figure.key && own.load == figure.load;
            match self.figures.iter_mut().find(is_same) {
                Some(own) => own.values.extend(&figure.values),
                None => self.figures.push(figure),
            }
        }
        for property in other.properties {
            let is_known = |own: &Property| (&own.job, &own.what) == (&property.job, &property.what);
            if !self.properties.iter().any(is_known) {
                self.properties.push(property);
            }
        }
        self.about.results = self.about.results.or(other.about.results);
    }

    /// Adds the values of a run.
    fn add_run(&mut self, run: &Subject, reason: &LeftOutReason) {
        let all = std::mem::take(&mut self.figures);
        for mut figure in all {
            let is_same = |other: &&SubjectFigure| other.key == figure.key && other.load == figure.load;
            match run.figures.iter().find(is_same) {
                Some(other) => {
                    figure.values.extend(&other.values);
                    self.figures.push(figure);
                }
                None => self.leave_out(figure.key.part(), reason.clone()),
            }
        }
    }

    fn of_result((name, source): (&str, &str), result: &FioResult, columns: &Columns) -> Subject {
        let about = ComparedSubject {
            name: name.to_owned(),
            source: source.to_owned(),
            runs: 1,
            results: has_namesakes(result).then_some(result.jobs.len() as u32),
            ..Default::default()
        };
        let (all, metrics) = (result.figures(), columns.of(Output::Comparison));
        // A label is that of one job, and the figures of a job are neighbours.
        let labels = result.labels();
        let jobs: HashMap<&str, &FioJob> = labels.iter().map(String::as_str).zip(&result.jobs).collect();
        let mut figures = Vec::new();
        for of_job in all.chunk_by(|one, next| one.job == next.job) {
            if let Some(job) = jobs.get(of_job[0].job.as_str()) {
                figures
                    .extend(of_job.iter().filter_map(|figure| subject_figure(figure, of_job, job, &metrics)));
            }
        }
        let of_jobs = labels.iter().zip(&result.jobs).flat_map(|(label, job)| properties(label, job));
        let properties = std::iter::once(version(result)).chain(of_jobs).collect();
        Subject { about, figures, properties, is_imported: true, ..Subject::default() }
    }
}

/// Have several of its jobs one name? They are clones of a job, or several runs of it, and nothing tells which.
fn has_namesakes(result: &FioResult) -> bool {
    let mut names: Vec<&str> = result.jobs.iter().map(|job| job.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).any(|two| two[0] == two[1])
}

fn property(of: DifferenceOf, job: Option<&str>, what: &str, value: String) -> Property {
    let job = job.map(str::to_owned);
    Property { of, job, target: None, what: what.to_owned(), value: Some(value), written: None, source: None }
}

fn version(result: &FioResult) -> Property {
    property(DifferenceOf::Program, None, "version of fio", result.version.clone())
}

/// What is known of a job.
fn properties(label: &str, job: &FioJob) -> Vec<Property> {
    let of = |what: &str, value: String| property(DifferenceOf::Job, Some(label), what, value);
    let directions: Vec<&str> = job.flows.iter().map(|flow| flow.direction).collect();
    let depth = match job.depth_target {
        DepthTarget::Of(depth) => Some(of("I/Os in flight", depth.to_string())),
        _ => None,
    };
    let block = block(job).map(|block| of("block size", block));
    std::iter::once(of("direction", directions.join(" and "))).chain(block).chain(depth).collect()
}

/// The option that gives a job several sizes; else the size in each direction. A group of jobs has the options of its first one
/// only, so what was counted decides where the two do not agree.
fn block(job: &FioJob) -> Option<String> {
    if job.several_blocks.is_some() {
        return job.several_blocks.clone();
    }
    let of_flow = |flow: &FioFlow| {
        let counted =
            flow.bytes.zip(flow.ios.filter(|ios| *ios > 0)).map(|(bytes, ios)| bytes as f64 / ios as f64);
        let asked = job.block_bytes.filter(|asked| counted.is_none_or(|it| (asked / it - 1.0).abs() < ROUGH));
        Some((flow.direction, amount(asked.or(counted)?)?))
    };
    let each: Option<Vec<_>> = job.flows.iter().map(of_flow).collect();
    each.filter(|each| !each.is_empty()).map(joined_blocks)
}

/// A size that is no whole number is the mean of several.
fn amount(bytes: f64) -> Option<String> {
    let bytes = Some(bytes).filter(|bytes| *bytes >= 1.0)?;
    // Terse lines have whole KiB and whole IOPS, so their sizes are rough.
    let near = (bytes / SECTOR).round() * SECTOR;
    let is_whole = near > 0.0 && (bytes / near - 1.0).abs() < ROUGH;
    Some(if is_whole { Bytes(near as u64).to_string() } else { Bytes(bytes as u64).to_string() })
}

/// The least block of a disk, bytes.
const SECTOR: f64 = 512.0;

/// By this share a size from rates may be below the true one.
const CUT: f64 = 1e-3;

/// By so much a size that was counted may be beside the true one.
const ROUGH: f64 = 0.02;

fn subject_figure(
    figure: &FioFigure,
    all: &[FioFigure],
    job: &FioJob,
    metrics: &[&'static Metric],
) -> Option<SubjectFigure> {
    let has_name = |metric: &&Metric| metric.fio_name().is_some_and(|name| name == figure.name);
    let metric = metrics.iter().copied().find(has_name)?;
    let of_job = || all.iter().filter(|other| other.value > 0.0);
    let is_alone = of_job().all(|other| other.direction == figure.direction);
    let value = |name: &str| {
        of_job()
            .find(|other| other.direction == figure.direction && other.name == name)
            .map(|other| other.value)
    };
    let counted = value("bandwidth").zip(value("iops")).map(|(bytes, ios)| bytes / ios);
    let key = FigureKey::measured(&figure.job, if is_alone { "" } else { figure.direction }, metric);
    // fio cuts bandwidth to whole bytes or KiB per second.
    let is_small = counted.is_none_or(|block| block < LARGE_BLOCK.0 as f64 * (1.0 - CUT));
    let block = block(job).unwrap_or_default();
    let load = Load {
        direction: figure.direction,
        block,
        is_small,
        latency: "completion",
        depth: job.depth_target,
        kept_rate: None,
        is_imported: true,
        ..Load::default()
    };
    let is_rated = figure.value > 0.0 && figure.unrated.is_none();
    is_rated.then(|| {
        SubjectFigure::new(key, String::new(), ComparedMetric::Measured(metric), load, vec![figure.value])
    })
}
