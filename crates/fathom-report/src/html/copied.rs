//! The lines of the table of results as values for a copy as CSV: a column for each value, digits as on the page, and
//! nothing where a value is not known. The script (`page.js`) puts the commas and the quotes.

use super::markup::escape;
use crate::column::of_latency;
use crate::text::{blocks, in_flight, latency_kind, pattern};
use fathom_figures::metric::Metric;
use fathom_figures::{DirectionFigures, Row};
use fathom_results::Latency;
use fathom_text::number::cell;
use fathom_text::quantity::TimeUnit;

/// What the tables of a page have: their figures, the unit of their latencies, and whether a job has a rate, and so two latencies.
pub(super) struct PageColumns {
    pub metrics: Vec<&'static Metric>,
    pub are_chosen: bool,
    pub unit: TimeUnit,
    pub is_paced: bool,
}

/// What is between two values.
const BETWEEN: &str = "\t";

/// The names of the columns; the unit of time is that of the table. Jobs with a rate have a second latency.
pub(super) fn headings(of: &PageColumns) -> String {
    let latencies = |kind: &str| {
        latencies_of(of)
            .map(|metric| format!("{kind}{}, {}", metric.title, of.unit.symbol()))
            .collect::<Vec<_>>()
    };
    let before = [
        "job",
        "state",
        "direction",
        "block size",
        "pattern",
        "engine",
        "depth asked of each worker",
        "workers",
        "IOPS",
        "IOPS, 95 % low",
        "IOPS, 95 % high",
        "MB/s",
        "MiB/s",
        "latency",
    ];
    let service = if of.is_paced { latencies("service ") } else { Vec::new() };
    let columns = before.map(str::to_owned).into_iter().chain(latencies("")).chain(service);
    let after = ["fewer than ten I/Os beyond", "CPU, µs per I/O", "in flight"].map(str::to_owned);
    joined(columns.chain(after))
}

/// The values of one line, for a table with this unit and, where a job has a rate, service; without a flow the job had no I/O.
pub(super) fn line(
    row: &Row<'_>,
    flow: Option<&DirectionFigures<'_>>,
    state: &str,
    columns: &PageColumns,
) -> String {
    let job = row.first();
    let before = [
        job.name.clone(),
        state.to_owned(),
        flow.map(|flow| flow.name.to_owned()).unwrap_or_default(),
        blocks(job),
        pattern(job),
        job.engine.clone(),
        job.depth.asked.to_string(),
        row.members.len().to_string(),
    ];
    let figures = flow.map(|flow| figures(row, flow, columns)).unwrap_or_default();
    joined(before.into_iter().chain(figures))
}

fn figures(row: &Row<'_>, flow: &DirectionFigures<'_>, columns: &PageColumns) -> Vec<String> {
    let interval = flow.iops_estimate();
    let rate = flow.bytes_per_second();
    let rates = [
        Some(flow.iops()),
        interval.as_ref().map(|it| it.low),
        interval.as_ref().map(|it| it.high),
        Some(rate / 1e6),
        Some(rate / f64::from(1 << 20)),
    ];
    let rates = rates.map(|rate| rate.filter(|_| flow.unrated().is_none()).map(cell));
    let kept: Vec<&Latency> = flow.main_latencies().into_iter().map(|(_, latency)| latency).collect();
    let kind = flow.main_latency().map(|(name, _)| latency_kind(name).to_owned());
    let (main, service) = (kept.first().copied(), kept.get(1).copied());
    let mut values: Vec<String> = rates.into_iter().map(Option::unwrap_or_default).collect();
    values.push(kind.unwrap_or_default());
    values.extend(latencies(mean(flow), main, columns));
    if columns.is_paced {
        values.extend(latencies(service.and_then(Latency::mean_ns), service, columns));
    }
    values.push(main.map(|main| thin(main, columns)).unwrap_or_default());
    values.push(row.cpu_ns_per_io().map(|ns| cell(ns / 1e3)).unwrap_or_default());
    values.push(in_flight(flow.in_flight()).unwrap_or_default());
    // The commas of thousands would part a number in two.
    values.into_iter().map(|value| value.replace(',', "")).collect()
}

/// The mean of the main latency, ns.
pub(super) fn mean(flow: &DirectionFigures<'_>) -> Option<f64> {
    flow.main_latency_ns_mean().or(flow.totals.total.mean_ns())
}

/// The figures of a latency.
fn latencies_of(columns: &PageColumns) -> impl Iterator<Item = &'static Metric> {
    columns.metrics.iter().copied().filter(|metric| metric.is_latency())
}

/// The figures of one latency; of one without a distribution only the mean.
fn latencies(mean_ns: Option<f64>, latency: Option<&Latency>, columns: &PageColumns) -> Vec<String> {
    let unit = columns.unit;
    let figure = |metric: &'static Metric| match metric.id {
        "latency_mean" => mean_ns.map(|ns| unit.cell(ns)),
        _ => of_latency(metric, latency?, |ns| unit.cell(ns)).map(|(text, _)| text),
    };
    latencies_of(columns).map(|metric| figure(metric).unwrap_or_default()).collect()
}

/// The percentiles that the table marks, because they have few values beyond them.
fn thin(latency: &Latency, columns: &PageColumns) -> String {
    let is_marked = |metric: &&Metric| metric.of_latency(latency).is_some_and(|it| it.is_thin);
    latencies_of(columns).filter(is_marked).map(|metric| metric.title).collect::<Vec<_>>().join(" ")
}

/// Values in one attribute.
fn joined(values: impl Iterator<Item = String>) -> String {
    values.map(|value| escape(&value)).collect::<Vec<_>>().join(BETWEEN)
}
