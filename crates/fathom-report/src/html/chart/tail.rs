//! Percentiles of latency over time: each point is a percentile of all I/Os of its span.

use super::{Moment, SPANS_MAX, axis_title, latency_tick, mark, reach};
use crate::html::axis::Axis;
use crate::html::svg::{Chart, Point, Series};
use fathom_figures::metric::{Metric, Output, of_output};
use fathom_figures::{DirectionFigures, LatencySpan, Row, is_thin};
use fathom_text::quantity::{TimeUnit, latency};

/// The lines: the percentiles of the page, and the slowest I/O.
fn metrics() -> impl Iterator<Item = &'static Metric> {
    let is_slowest = |metric: &Metric| metric.id == "latency_max";
    of_output(Output::Page).filter(move |metric| metric.percentile().is_some() || is_slowest(metric))
}

/// The class of a line, which has a colour and a pattern: by its place, but for the slowest.
fn class_of(metric: &Metric, place: usize) -> String {
    if metric.percentile().is_some() { format!("tail{place}") } else { "tail-max".to_owned() }
}

/// The percentile lines of one flow; `None` where no distribution was kept. A span with fewer than ten I/Os beyond
/// a percentile has no point on its line.
pub(in crate::html) fn tail(
    row: &Row<'_>,
    flow: &DirectionFigures<'_>,
    moments: &[Moment],
) -> Option<String> {
    let spans = flow.latency_spans(SPANS_MAX);
    let (start, end) = reach(row)?;
    let lines: Vec<Series> = metrics().enumerate().map(|line| series(line, &spans)).collect();
    let ns = || lines.iter().flat_map(|line| line.stretches.iter().flatten()).map(|point| point.y);
    let (low, high) = (ns().reduce(f64::min)?, ns().reduce(f64::max)?);
    let y = Axis::log(&title_of(flow, &lines), low.max(1.0), high.max(2.0), latency_tick);
    let each = spans.first().map_or(1, |span| span.length_ns / 1_000_000_000);
    let described = format!(
        "{}: percentiles of each {each} s, between {} and {}",
        row.name(),
        latency(low),
        latency(high)
    );
    let title = format!("Percentiles over time, {}", flow.name);
    let mut chart = Chart::over_time(&title, &described, (start, end), y);
    mark(&mut chart, row, moments, (start, end));
    lines.iter().filter(|line| !line.stretches.is_empty()).for_each(|line| chart.series(line));
    Some(chart.render())
}

/// Which latency it is, which lines are left out, and why.
fn title_of(flow: &DirectionFigures<'_>, lines: &[Series]) -> String {
    let latency = axis_title(std::slice::from_ref(flow));
    let left_out: Vec<&str> =
        lines.iter().filter(|line| line.stretches.is_empty()).map(|line| line.name.as_str()).collect();
    match left_out.is_empty() {
        true => latency,
        false => format!("{latency}; without {}: too few I/Os in each point", left_out.join(" and ")),
    }
}

fn series((place, metric): (usize, &Metric), spans: &[LatencySpan]) -> Series {
    let percent = metric.percentile().unwrap_or(100.0);
    let median = spans.iter().filter_map(|span| span.latency.quantile(0.5)).max().unwrap_or(0);
    let unit = TimeUnit::for_typical(median as f64);
    let is_known = |span: &&LatencySpan| percent == 100.0 || !is_thin(span.latency.count(), percent);
    let point = |span: &LatencySpan| {
        let seconds = (span.start_ns as f64 + span.length_ns as f64 / 2.0) / 1e9;
        let ns = span.latency.quantile(percent / 100.0)? as f64;
        let (x_text, y_text) = (format!("{seconds:.1}"), unit.number(ns, 4));
        Some(Point { x: seconds, y: ns, range: None, x_text, y_text })
    };
    let known: Vec<&LatencySpan> = spans.iter().filter(is_known).collect();
    let stretches = known.chunk_by(|a, b| b.start_ns - a.start_ns <= a.length_ns * 3 / 2);
    Series {
        class: class_of(metric, place),
        name: metric.title.to_owned(),
        unit: unit.symbol(),
        stretches: stretches.map(|spans| spans.iter().filter_map(|span| point(span)).collect()).collect(),
        has_dots: spans.len() <= 40,
    }
}
