//! What the forms have of a result: its name, its answer in lines, its figures, its seconds, its distributions, and what passed.

use super::markdown::table;
use crate::document::{figures_of, first_target};
use crate::rounds_csv::{FlowOfRound, flows_of_round, metrics_of_rounds, series, target_of_procedure};
use fathom_figures::metric::{Columns, Metric, Output};
use fathom_figures::{DirectionFigures, Row, rows};
use fathom_results::procedure::{ProcedureResult, RoundDone, RoundFigures};
use fathom_results::{Answer, FigureRecord, Reason, RunResult, SeriesRecord, TrustLevel};
use fathom_stats::Histogram;

/// A result, ready for each form.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `run`, or the kind of the procedure: `repeat`, `suite`.
    pub kind: String,
    /// When it began: wall clock, nanoseconds since 1970 UTC; absent of a comparison.
    pub started_unix_ns: Option<u64>,
    /// Its first target.
    pub target: Option<String>,
    /// The parts of its answer: `result`, `trust`, `limit`, each with its sentence.
    pub answer: Vec<(&'static str, String)>,
    /// Every figure, in the order of the CSV.
    pub figures: Vec<ExportedFigure>,
    /// The seconds, where they are asked for: those of one job and direction stand together.
    pub seconds: Vec<SeriesRecord>,
    /// The latencies of each job and direction; empty of a procedure, whose rounds have them.
    pub distributions: Vec<Distribution>,
    /// What passed, and what did not.
    pub cases: Vec<Case>,
    /// A table for a person: the heads, then the lines.
    pub table: Vec<Vec<String>>,
}

/// A figure with the round that it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedFigure {
    /// Of a procedure, the directory of the round; empty of a run.
    pub round: String,
    /// Of a procedure, what the round measured; empty of a run.
    pub cell: String,
    /// The figure.
    pub of: FigureRecord,
}

/// The latencies of a job in one direction.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The job.
    pub job: String,
    /// Its number, from 1.
    pub job_number: u32,
    /// `read`, `write`, `trim` or `mixed`.
    pub direction: String,
    /// The length of its measured window, s.
    pub length_s: f64,
    /// The latencies, ns.
    pub histogram: Histogram,
}

/// Something that passes or fails: a job of a run, a round of a procedure, the trust in the figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// How long it was measured, s; absent where it is no measurement.
    pub seconds: Option<f64>,
    /// How it came out.
    pub outcome: CaseOutcome,
    /// Its figures, a line each.
    pub figures: Vec<String>,
}

/// How a case came out.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOutcome {
    /// As it should.
    Passed,
    /// It was not done.
    Skipped(String),
    /// What it found is not as it should be: the code of a rule, and a sentence for each.
    Failed(Vec<(String, String)>),
    /// It could not be measured.
    Error(String),
}

/// The code of a case without a rule of its own.
pub(super) const LOW_TRUST: &str = "low-trust";

impl Exported {
    /// A run, with the columns that a person chose, and with its seconds.
    pub fn of_run(run: &RunResult, columns: &Columns, with_seconds: bool) -> Exported {
        let record = &run.record;
        let of_run = |of| ExportedFigure { round: String::new(), cell: String::new(), of };
        let figures: Vec<_> = figures_of(run, columns).into_iter().map(of_run).collect();
        let rows = rows(run);
        let mut cases: Vec<Case> = rows.iter().map(|row| of_job(row, &figures)).collect();
        cases.extend(record.answer.as_ref().map(trust_case));
        Exported {
            id: record.id.clone(),
            name: record.name.clone(),
            kind: "run".to_owned(),
            started_unix_ns: Some(record.started_unix_ns),
            target: first_target(record).map(str::to_owned),
            answer: record.answer.as_ref().map(sentences).unwrap_or_default(),
            seconds: if with_seconds { together(series(run)) } else { Vec::new() },
            distributions: rows.iter().flat_map(distributions).collect(),
            table: table(&figures, &columns.of(Output::Screen)),
            figures,
            cases,
        }
    }

    /// A procedure, with its seconds where they are given.
    pub fn of_procedure(
        procedure: &ProcedureResult,
        answer: Option<&Answer>,
        columns: &Columns,
        seconds: &[SeriesRecord],
    ) -> Exported {
        let record = &procedure.record;
        let metrics = metrics_of_rounds(columns);
        let of_round = |round| figures_of_round(round, &metrics);
        let figures: Vec<_> = procedure.rounds().flat_map(of_round).collect();
        let mut cases: Vec<Case> = procedure.rounds().map(|round| case_of_round(round, &figures)).collect();
        cases.extend(answer.map(trust_case));
        Exported {
            id: record.id.clone(),
            name: record.name.clone(),
            kind: record.procedure.clone(),
            started_unix_ns: Some(record.started_unix_ns),
            target: target_of_procedure(record).map(str::to_owned),
            answer: answer.map_or_else(|| concluded(procedure), sentences),
            seconds: together(seconds.to_vec()),
            distributions: Vec::new(),
            table: table(&figures, &columns.of(Output::Rounds)),
            figures,
            cases,
        }
    }
}

/// A name and a value that say what a figure is of.
pub(super) type Label = (&'static str, String);

/// Those that have a value.
fn labels<const N: usize>(all: [(&'static str, &str); N]) -> Vec<Label> {
    let with_value = all.into_iter().filter(|(_, value)| !value.is_empty());
    with_value.map(|(name, value)| (name, value.to_owned())).collect()
}

impl Exported {
    /// Which result it is.
    pub(super) fn labels(&self) -> Vec<Label> {
        let target = self.target.as_deref().unwrap_or_default();
        labels([("run", &self.id), ("name", &self.name), ("target", target)])
    }
}

impl ExportedFigure {
    /// Which job and direction it is of.
    pub(super) fn labels(&self) -> Vec<Label> {
        let FigureRecord { job, job_number, direction, .. } = &self.of;
        labels([
            ("round", &self.round),
            ("cell", &self.cell),
            ("job", job),
            ("job_number", &job_number.to_string()),
            ("direction", direction),
        ])
    }
}

/// Which job and direction a second is of.
pub(super) fn labels_of_second(of: &SeriesRecord) -> Vec<Label> {
    labels([
        ("round", of.round.as_deref().unwrap_or_default()),
        ("cell", of.cell.as_deref().unwrap_or_default()),
        ("job", &of.job),
        ("job_number", &of.job_number.to_string()),
        ("direction", &of.direction),
    ])
}

/// Which line of a chart a second is of.
pub(super) fn line_of(of: &SeriesRecord) -> (&Option<String>, u32, &str) {
    (&of.round, of.job_number, &of.direction)
}

/// The seconds of each job and direction behind each other, as OpenMetrics prescribes.
fn together(mut seconds: Vec<SeriesRecord>) -> Vec<SeriesRecord> {
    seconds.sort_by(|one, other| line_of(one).cmp(&line_of(other)));
    seconds
}

/// The parts of an answer.
fn sentences(answer: &Answer) -> Vec<(&'static str, String)> {
    let result = fathom_words::instead(answer).unwrap_or_else(|| fathom_words::result(answer));
    let trust = format!("{}: {}", answer.trust.level.name(), fathom_words::trust::on_page(&answer.trust));
    let mut parts =
        vec![("target", fathom_words::subject(&answer.measured)), ("result", result), ("trust", trust)];
    parts.extend(answer.limit.as_ref().map(|limits| ("limit", fathom_words::limit::line(limits))));
    parts
}

/// The headline of a procedure that has no answer of its own: a suite, a standard.
fn concluded(procedure: &ProcedureResult) -> Vec<(&'static str, String)> {
    let conclusion = procedure.record.conclusion.as_ref();
    conclusion.map(|it| ("result", fathom_words::headline(&it.verdict.headline))).into_iter().collect()
}

fn of_job(row: &Row<'_>, figures: &[ExportedFigure]) -> Case {
    let number = row.first().id + 1;
    let outcome = match row.failure() {
        Some(failure) => CaseOutcome::Error(failure.message.clone()),
        None if row.ios() == 0 => CaseOutcome::Skipped(crate::text::without_io(row).to_owned()),
        None => CaseOutcome::Passed,
    };
    Case {
        name: row.name().to_owned(),
        seconds: Some(row.seconds()),
        outcome,
        figures: lines(figures.iter().filter(|figure| figure.of.job_number == number)),
    }
}

fn case_of_round(round: &RoundDone, figures: &[ExportedFigure]) -> Case {
    let outcome = round.failed().map(|why| CaseOutcome::Error(fathom_words::round_failure(&why)));
    Case {
        name: format!("{} {}", round.directory, round.cell).trim_end().to_owned(),
        seconds: Some(round.whole.seconds),
        outcome: outcome.unwrap_or(CaseOutcome::Passed),
        figures: lines(figures.iter().filter(|figure| figure.round == round.directory)),
    }
}

/// The figures are the device's: it fails with every reason where the trust is low.
fn trust_case(answer: &Answer) -> Case {
    let reasons = answer.trust.reasons.iter().filter(|reason| reason.level == Some(TrustLevel::Low));
    let of_reason = |reason: &Reason| {
        let code = reason.finding().map_or(LOW_TRUST, |finding| finding.code());
        (code.to_owned(), fathom_words::trust::sentence(reason))
    };
    let outcome = match answer.trust.level {
        TrustLevel::Low => CaseOutcome::Failed(reasons.map(of_reason).collect()),
        _ => CaseOutcome::Passed,
    };
    Case { name: "trust".to_owned(), seconds: None, outcome, figures: Vec::new() }
}

fn lines<'f>(figures: impl Iterator<Item = &'f ExportedFigure>) -> Vec<String> {
    let line = |figure: &ExportedFigure| {
        let FigureRecord { job, direction, metric, value, unit, n, .. } = &figure.of;
        format!("{job} {direction} {metric} {value} {unit} (n={n})")
    };
    figures.map(line).collect()
}

fn distributions(row: &Row<'_>) -> Vec<Distribution> {
    let of_flow = |flow: &DirectionFigures<'_>| {
        let (_, latency) = flow.main_latency()?;
        let histogram = latency.histogram.as_ref().filter(|it| !it.is_empty())?.clone();
        let (job, job_number) = crate::document::who(row, flow);
        let length_s = row.seconds();
        Some(Distribution { job, job_number, direction: flow.name.to_owned(), length_s, histogram })
    };
    row.flows_apart_or_mixed().iter().filter_map(of_flow).collect()
}

fn figures_of_round(round: &RoundDone, metrics: &[&'static Metric]) -> Vec<ExportedFigure> {
    let of_flow = |flow: FlowOfRound<'_>| {
        let of_metric = |metric: &&'static Metric| {
            let of = FigureRecord {
                job: flow.job.to_owned(),
                job_number: flow.number,
                direction: flow.direction.to_owned(),
                metric: metric.id.to_owned(),
                value: metric.of_round(flow.figures)?,
                unit: metric.unit.symbol().to_owned(),
                n: values(metric, flow.figures),
                low: None,
                high: None,
            };
            Some(ExportedFigure { round: round.directory.clone(), cell: round.cell.clone(), of })
        };
        metrics.iter().filter_map(of_metric).collect::<Vec<_>>()
    };
    flows_of_round(round).flat_map(of_flow).collect()
}

/// How many values a figure of a round is made from: seconds for rates, I/Os for latencies, else one.
fn values(metric: &Metric, figures: &RoundFigures) -> u64 {
    match (metric.is_rate(), metric.is_latency()) {
        (true, _) => (figures.seconds as u64).max(1),
        (_, true) => figures.ios,
        _ => 1,
    }
}
