//! The checks that a run made of itself, as lines for a reader.
//!
//! Thousands of jobs have thousands of checks: of each kind and outcome a few are listed, the rest
//! is counted. Broken checks come first.

use fathom_figures::{KernelThreads, Row};
use fathom_job::units::Nanos;
use fathom_results::{Calibration, CheckOutcome, KernelWorkerKind, RunResult};
use fathom_text::quantity::{latency, percent_of, rate};

/// Lines of one kind and outcome before the rest is only counted.
const EACH_MAX: usize = 3;

/// What a line is about, in the width of a label.
const LABELS: [(&str, &str); 4] = [
    ("kernel-counts", "counts"),
    ("littles-law", "Little"),
    ("clock-resolution", "clock"),
    ("generator-ceiling", "ceiling"),
];

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfCheckLine<'a> {
    /// One word.
    pub label: &'a str,
    /// The outcome; `None` for a line that is only information.
    pub outcome: Option<CheckOutcome>,
    /// What was compared or seen, with numbers.
    pub text: String,
}

/// All lines; none for a run without checks.
pub fn lines<'a>(run: &'a RunResult, rows: &[Row<'_>]) -> Vec<SelfCheckLine<'a>> {
    let outcomes = [CheckOutcome::Broken, CheckOutcome::Unknown, CheckOutcome::Holds];
    let mut lines: Vec<SelfCheckLine<'a>> =
        outcomes.into_iter().flat_map(|outcome| of_outcome(run, outcome)).collect();
    let known = &run.record.self_knowledge;
    let rows_of = |label, texts: Vec<String>| few(label, None, texts);
    lines.extend(rows_of("generator", known.calibrations.iter().map(|c| calibration(run, c)).collect()));
    lines.extend(rows_of("threads", rows.iter().flat_map(threads).collect()));
    lines
}

/// `holds`, `does not hold` or `unknown`; the evidence comes after it.
pub fn word(outcome: CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::Holds => "holds",
        CheckOutcome::Broken => "does not hold",
        CheckOutcome::Unknown => "unknown",
    }
}

/// The checks with this outcome, in the order in which their kinds were made.
fn of_outcome(run: &RunResult, outcome: CheckOutcome) -> Vec<SelfCheckLine<'_>> {
    let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
    for check in run.record.self_knowledge.checks.iter().filter(|check| check.outcome == outcome) {
        let (name, text) = (check.evidence.name(), fathom_words::check(&check.evidence));
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, texts)) => texts.push(text),
            None => kinds.push((name, vec![text])),
        }
    }
    let label = |name: &'_ str| LABELS.into_iter().find(|(known, _)| *known == name).map(|(_, label)| label);
    kinds
        .into_iter()
        .flat_map(|(name, texts)| few(label(name).unwrap_or(name), Some(outcome), texts))
        .collect()
}

/// The first of the texts, and how many there are more.
fn few(label: &str, outcome: Option<CheckOutcome>, mut texts: Vec<String>) -> Vec<SelfCheckLine<'_>> {
    let more = texts.len().saturating_sub(EACH_MAX);
    texts.truncate(EACH_MAX);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.into_iter().map(|text| SelfCheckLine { label, outcome, text }).collect()
}

/// What the generator can do without a target.
fn calibration(run: &RunResult, calibration: &Calibration) -> String {
    let each = calibration.cpu_ns_per_io().map(|ns| format!(", {} of CPU per I/O", latency(ns)));
    let least = calibration.latency_ns_min.map(|ns| format!(", latencies from {}", latency(ns as f64)));
    format!(
        "{} alone on {}: {}{}{}",
        name(run, calibration.job),
        calibration.engine,
        rate(calibration.iops()),
        each.unwrap_or_default(),
        least.unwrap_or_default()
    )
}

/// The kernel's threads that worked for a row, by kind.
fn threads(row: &Row<'_>) -> Vec<String> {
    let kinds = [KernelWorkerKind::IoWq, KernelWorkerKind::Sqpoll];
    kinds.into_iter().filter_map(|kind| of_kind(row, kind)).collect()
}

fn of_kind(row: &Row<'_>, kind: KernelWorkerKind) -> Option<String> {
    let KernelThreads { threads, cpu_ns, core_percent, cpu_ns_per_io } = row.kernel_threads(kind);
    let noun = match kind {
        KernelWorkerKind::IoWq => "io-wq",
        KernelWorkerKind::Sqpoll => "SQPOLL",
    };
    let threads_of = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    (threads > 0).then(|| {
        format!(
            "{}: {threads_of} of {noun} used {} of CPU, {} of one core, {} per I/O, in addition to the worker",
            row.first().name,
            Nanos(cpu_ns),
            percent_of(core_percent, 100.0),
            latency(cpu_ns_per_io)
        )
    })
}

fn name(run: &RunResult, job: u32) -> &str {
    let found = run.jobs.iter().find(|result| result.planned.id == job);
    found.map_or("a job", |result| result.planned.name.as_str())
}
