//! A procedure as a table for spreadsheets, pandas and R: a line for each job of each round, with a column for each metric that rounds
//! keep; and a job second by second, of a run and of a procedure.

use crate::column::is_thin_in_round;
use crate::document::{COLUMNS, HEAD, head, head_of, quoted, who};
use crate::rounds::trust;
use fathom_figures::metric::{Columns, METRICS, Metric, Output, of_id};
use fathom_figures::{Row, SeriesStep, rows};
use fathom_job::direction::Direction;
use fathom_results::procedure::{ProcedureRecord, ProcedureResult, RoundDone, RoundFigures};
use fathom_results::{RunResult, SeriesRecord};

/// The columns before the metrics of a round.
const OF_ROUND: &str = "round,cell,trust,job,job_number,direction";

/// Those that say which round a second is of, and those before its metrics.
const ROUND_OF_SECOND: &str = "round,cell,";
const BEFORE_SECOND: &str = "job,job_number,direction,second,at_s,covered_s";

/// Is it the first line of a table of a run, of rounds or of seconds as this program writes it? A table of somebody else may begin
/// with the same names.
pub fn is_table_heading(line: &str) -> bool {
    let Some(columns) = line.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix(',')) else { return false };
    columns == COLUMNS.join(",") || is_heading_of_rounds_or_seconds(columns)
}

/// Are these the columns of a table of rounds or of seconds, behind those that say which run it is of?
fn is_heading_of_rounds_or_seconds(columns: &str) -> bool {
    let seconds = columns.strip_prefix(ROUND_OF_SECOND).unwrap_or(columns);
    let is_metric = |id: &str| METRICS.iter().any(|metric| metric.id == id);
    let metrics = columns.strip_prefix(OF_ROUND).and_then(|rest| rest.strip_prefix(','));
    seconds == format!("{BEFORE_SECOND},{}", OF_SECOND.join(","))
        || metrics.is_some_and(|metrics| metrics.split(',').all(is_metric))
}

/// A line for each job of each round, and for each direction of a job that mixes them. Values are in the base unit of their metric.
pub fn rounds_csv(procedure: &ProcedureResult, columns: &Columns) -> String {
    let metrics = metrics_of_rounds(columns);
    let ids: Vec<&str> = metrics.iter().map(|metric| metric.id).collect();
    let mut out = format!("{HEAD},{OF_ROUND},{}\n", ids.join(","));
    let head = head_of_procedure(&procedure.record);
    for round in procedure.rounds() {
        let of_round =
            [&round.directory, &round.cell, trust(round).unwrap_or_default()].map(quoted).join(",");
        for FlowOfRound { job, number, direction, figures } in flows_of_round(round) {
            let values = values(&metrics, figures, columns.are_chosen());
            out += &format!("{head},{of_round},{},{number},{direction},{values}\n", quoted(job));
        }
    }
    out
}

/// The metrics of rounds that a person chose, else all.
pub(crate) fn metrics_of_rounds(columns: &Columns) -> Vec<&'static Metric> {
    let metrics = match columns.are_chosen() {
        true => columns.of(Output::Document),
        false => METRICS.iter().collect(),
    };
    metrics.into_iter().filter(|metric| metric.is_of_rounds()).collect()
}

/// A job of a round, all its I/O or that of one direction.
pub(crate) struct FlowOfRound<'r> {
    pub(crate) job: &'r str,
    pub(crate) number: u32,
    /// `all`, or the direction of a job that mixes them.
    pub(crate) direction: &'r str,
    pub(crate) figures: &'r RoundFigures,
}

/// Each job of a round, and behind it each direction of a job that mixes them.
pub(crate) fn flows_of_round(round: &RoundDone) -> impl Iterator<Item = FlowOfRound<'_>> {
    round.figures.iter().enumerate().flat_map(|(place, job)| {
        let directions = job.directions.iter().map(|figures| (figures.job.as_str(), figures));
        let all = std::iter::once(("all", job)).chain(directions);
        let number = job_number(place, job);
        all.map(move |(direction, figures)| FlowOfRound { job: &job.job, number, direction, figures })
    })
}

/// The number of a job of a round, as in the tables of a run; of a round that did not keep it its place among the jobs.
fn job_number(place: usize, figures: &RoundFigures) -> u32 {
    figures.job_number.unwrap_or(place as u32 + 1)
}

/// The cells of a line. A table has no place for a mark, so a percentile that a person chose is empty where few I/Os lie beyond it.
fn values(metrics: &[&Metric], figures: &RoundFigures, are_chosen: bool) -> String {
    let value = |metric: &&Metric| {
        let is_left_out = are_chosen && is_thin_in_round(metric, figures);
        metric.of_round(figures).filter(|_| !is_left_out).map(|value| value.to_string())
    };
    metrics.iter().map(|metric| value(metric).unwrap_or_default()).collect::<Vec<_>>().join(",")
}

fn head_of_procedure(record: &ProcedureRecord) -> String {
    head_of((&record.id, &record.name), record.started_unix_ns, target_of_procedure(record))
}

/// The first target of a procedure.
pub(crate) fn target_of_procedure(record: &ProcedureRecord) -> Option<&str> {
    record.jobs.target.as_ref().or(record.shared.targets.first()).map(String::as_str)
}

/// Each second of each job of a run, whose names and numbers are those of its figures.
pub fn series(run: &RunResult) -> Vec<SeriesRecord> {
    let of_row = |row: &Row<'_>| of_row(row, |direction| who(row, &row.flow(direction)));
    rows(run).iter().flat_map(of_row).collect()
}

/// Each second of each job of a round, whose names are those of its figures.
pub fn series_of_round(round: &RoundDone, run: &RunResult) -> Vec<SeriesRecord> {
    let jobs = fathom_figures::jobs(run);
    let named = jobs.iter().zip(round.figures.iter().enumerate());
    let of_round = |record| SeriesRecord {
        round: Some(round.directory.clone()),
        cell: Some(round.cell.clone()),
        ..record
    };
    let of_job = |(row, (place, figures)): (&Row<'_>, (usize, &RoundFigures))| {
        of_row(row, |_| (figures.job.clone(), job_number(place, figures)))
    };
    named.flat_map(of_job).map(of_round).collect()
}

/// The seconds of a row. `who` gives name and number of the job that did I/O in a direction.
fn of_row(row: &Row<'_>, who: impl Fn(Direction) -> (String, u32)) -> Vec<SeriesRecord> {
    let record = |step: SeriesStep| {
        let (job, job_number) = who(step.direction);
        record(step, job, job_number)
    };
    row.series().into_iter().map(record).collect()
}

fn record(step: SeriesStep, job: String, job_number: u32) -> SeriesRecord {
    SeriesRecord {
        round: None,
        cell: None,
        job,
        job_number,
        direction: step.direction.name().to_owned(),
        second: step.second,
        at_s: step.start_ns as f64 / 1e9,
        covered_s: step.covered_s,
        iops: step.iops,
        bytes_per_second: step.bytes_per_second,
        latency_ns_mean: step.latency_ns_mean,
        latency_ns_p99: step.latency_ns_p99,
    }
}

/// The seconds of a run as a table.
pub fn series_csv(run: &RunResult) -> String {
    table_of_series(&head(run), &series(run), false)
}

/// The seconds of the rounds of a procedure as a table.
pub fn series_csv_of_rounds(record: &ProcedureRecord, series: &[SeriesRecord]) -> String {
    table_of_series(&head_of_procedure(record), series, true)
}

/// The metrics of a second.
const OF_SECOND: [&str; 4] = ["iops", "bandwidth", "latency_mean", "latency_p99"];

fn table_of_series(head: &str, series: &[SeriesRecord], has_rounds: bool) -> String {
    let (round, metrics) = (if has_rounds { ROUND_OF_SECOND } else { "" }, OF_SECOND.map(|id| of_id(id).id));
    let mut out = format!("{HEAD},{round}{BEFORE_SECOND},{}\n", metrics.join(","));
    for line in series {
        let round: String = [&line.round, &line.cell]
            .iter()
            .filter_map(|it| it.as_deref())
            .map(|it| quoted(it) + ",")
            .collect();
        let SeriesRecord { job_number, direction, second, at_s, covered_s, iops, .. } = line;
        let mean = line.latency_ns_mean.map(|ns| ns.to_string()).unwrap_or_default();
        let p99 = line.latency_ns_p99.map(|ns| ns.to_string()).unwrap_or_default();
        out += &format!(
            "{head},{round}{},{job_number},{direction},{second},{at_s},{covered_s},{iops},{},{mean},{p99}\n",
            quoted(&line.job),
            line.bytes_per_second
        );
    }
    out
}
