//! The table of results: a line per job and direction.

use super::markup::escape;
use crate::number::{TimeUnit, cell, significant};
use crate::percentile::text as percentile_text;
use crate::text::{ended_by, in_flight, without_io, workload};
use fathom_figures::{DirectionFigures, Percentile, Row, is_thin};
use fathom_results::{EndedBy, JobResult, Latency};

/// Headings, and the text below them; `None` is the table's unit of latency.
const HEADINGS: [(&str, Option<&str>); 10] = [
    ("Job", Some("")),
    ("IOPS", Some("95 % interval")),
    ("MB/s", Some("MiB/s")),
    ("mean latency", None),
    ("p50", None),
    ("p99", None),
    ("p99.9", None),
    ("max", None),
    ("CPU", Some("µs per I/O")),
    ("in flight", Some("asked")),
];

/// What the two figures of a paced job are.
const PACED: &str = " For jobs with a rate it is response, from the intended start, which is how long a \
    user waits; below it is service (lat), from when the worker takes the I/O.";

fn is_any_paced(rows: &[Row<'_>]) -> bool {
    rows.iter().any(|row| row.flows_busy().iter().any(|flow| flow.main_latencies().len() > 1))
}

/// The first `most` rows.
pub(super) fn table(rows: &[Row<'_>], most: usize) -> String {
    let shown = &rows[..rows.len().min(most)];
    let unit = unit_of(shown);
    let head = |(name, sub): &(&str, Option<&str>)| {
        let sub = sub.unwrap_or(unit.symbol());
        let unit = if sub.is_empty() || *name == "MB/s" || *name == "IOPS" {
            String::new()
        } else {
            format!(", {sub}")
        };
        format!("<th scope=\"col\" data-h=\"{name}{unit}\">{name}<small>{sub}</small></th>")
    };
    let heads: String = HEADINGS.iter().map(head).collect();
    let lines: String = shown.iter().map(|row| lines(row, unit)).collect();
    let each = shown.iter().map(Row::window_seconds).max().unwrap_or(1);
    let rest = rows.len().saturating_sub(most);
    let more =
        if rest > 0 { format!("{rest} more jobs are in the run's directory. ") } else { String::new() };
    format!(
        "<section>\n<h2>Results</h2>\n<div class=\"wide\" tabindex=\"0\">\n<table class=\"results sortable\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n<p class=\"note\">{more}Latency is completion latency where its distribution was kept, else total latency.{} A value marked · has fewer than ten I/Os beyond it. Intervals are for the mean rate of this run; another run may differ by more. They come from windows of {each} s and take their correlation into account. A dash means too few windows.</p>\n</section>\n",
        if is_any_paced(shown) { PACED } else { "" }
    )
}

/// The unit of all latencies of the table, so that columns can be compared by eye.
fn unit_of(rows: &[Row<'_>]) -> TimeUnit {
    let means = rows.iter().flat_map(|row| row.flows_busy().iter().filter_map(mean).collect::<Vec<_>>());
    TimeUnit::for_fastest(means)
}

fn mean(flow: &DirectionFigures<'_>) -> Option<f64> {
    let main = flow.main_latency().and_then(|(_, latency)| latency.moments.mean());
    main.or(flow.totals.total.moments.mean())
}

/// What ended the job, where that was not its own rule.
fn ending(row: &Row<'_>) -> String {
    let own = [EndedBy::Size, EndedBy::Ios, EndedBy::Time, EndedBy::Goal];
    let is_own = |member: &JobResult| {
        member.outcome.as_ref().is_some_and(|end| end.failure.is_none() && own.contains(&end.ended_by))
    };
    match row.members.iter().all(is_own) {
        true => String::new(),
        false => format!("<small>ended by: {}</small>", escape(&ended_by(row))),
    }
}

/// A line per direction. Each begins with the name of its job, so that lines can be sorted.
fn lines(row: &Row<'_>, unit: TimeUnit) -> String {
    let flows = row.flows_busy();
    let name = escape(&row.first().name);
    let head = format!(
        "<th scope=\"row\"><b>{name}</b><small>{}</small>{}</th>",
        escape(&workload(row)),
        ending(row)
    );
    if flows.is_empty() {
        return format!("<tr>{head}<td colspan=\"{}\">{}</td></tr>\n", HEADINGS.len() - 1, without_io(row));
    }
    let line = |(at, flow): (usize, &DirectionFigures<'_>)| {
        let again = format!("<th scope=\"row\"><b>{name}</b></th>");
        format!("<tr>{}{}</tr>\n", if at == 0 { &head } else { &again }, cells(row, flow, unit))
    };
    flows.iter().enumerate().map(line).collect()
}

fn cells(row: &Row<'_>, flow: &DirectionFigures<'_>, unit: TimeUnit) -> String {
    let rate = flow.bytes_per_second();
    let interval =
        flow.iops_estimate().map_or("-".to_owned(), |e| format!("{} to {}", cell(e.low), cell(e.high)));
    let cpu = row.worker_cpu_ns_per_io().map_or("-".to_owned(), |ns| significant(ns / 1e3, 3));
    let reached = in_flight(flow.in_flight()).unwrap_or("-".to_owned());
    let number = |ns| unit.cell(ns);
    let is_too_short = flow.is_too_short();
    let rated = |text: String| if is_too_short { "too short".to_owned() } else { text };
    let two = |value: String, sub: String| format!("<td>{value}<small>{sub}</small></td>");
    [
        two(
            format!("<i class=\"key-box {0}\"></i>{1}", flow.name, rated(cell(flow.iops()))),
            format!("{} · {interval}", flow.name),
        ),
        two(rated(cell(rate / 1e6)), rated(cell(rate / f64::from(1 << 20)))),
        latency_cell(flow, mean(flow).map(number), |service| service.moments.mean().map(number)),
        percentile(flow, 50.0, unit),
        percentile(flow, 99.0, unit),
        percentile(flow, 99.9, unit),
        percentile(flow, 100.0, unit),
        two(cpu, String::new()),
        two(reached, row.depth_asked().to_string()),
    ]
    .concat()
}

fn percentile(flow: &DirectionFigures<'_>, p: f64, unit: TimeUnit) -> String {
    let main = flow.main_latency().and_then(|(_, main)| told(main, p, unit));
    latency_cell(flow, main, |service| told(service, p, unit))
}

/// The main latency, and for a paced flow the service below it.
fn latency_cell(
    flow: &DirectionFigures<'_>,
    main: Option<String>,
    service: impl FnOnce(&Latency) -> Option<String>,
) -> String {
    let below = flow.main_latencies().get(1).and_then(|(_, latency)| service(latency));
    let below = below.map(|text| format!("<small>lat {text}</small>")).unwrap_or_default();
    format!("<td>{}{below}</td>", main.unwrap_or("-".to_owned()))
}

fn told(latency: &Latency, p: f64, unit: TimeUnit) -> Option<String> {
    let histogram = latency.histogram.as_ref()?;
    let mark = if p < 100.0 && is_thin(histogram.count(), p) { " ·" } else { "" };
    Some(percentile_text(Percentile::of(histogram, p)?, |ns| unit.cell(ns)) + mark)
}
