//! IOPS or bandwidth over time, with the ramp, standstills and events marked.
//!
//! Long runs are drawn as the mean of several windows with a band from the slowest to the fastest,
//! so that no dip is lost by skipping. A window in which nothing completed is a point at zero;
//! seconds in which no worker ran at all interrupt the line, because nothing is known about them.

use super::{Moment, mark, reach};
use crate::html::axis::Axis;
use crate::html::svg::{Chart, Point, Series};
use fathom_figures::{DirectionFigures, GridStep, Row};
use fathom_job::direction::Direction;
use fathom_text::number::{compact, significant};

/// Most points of a line: one for some three pixels.
const POINTS_MAX: usize = 150;

/// I/Os per second.
pub(in crate::html) fn iops(row: &Row<'_>, moments: &[Moment]) -> Option<String> {
    throughput(row, moments, "IOPS over time", "IOPS", |flow, step| flow.ios_in(step))
}

/// MB per second.
pub(in crate::html) fn bandwidth(row: &Row<'_>, moments: &[Moment]) -> Option<String> {
    throughput(row, moments, "Bandwidth over time", "MB/s", |flow, step| flow.bytes_in(step) / 1e6)
}

fn throughput(
    row: &Row<'_>,
    moments: &[Moment],
    title: &str,
    unit: &'static str,
    amount: impl Fn(&DirectionFigures<'_>, &GridStep) -> f64,
) -> Option<String> {
    let steps: Vec<&GridStep> = row.grid().steps.iter().filter(|step| step.is_whole()).collect();
    let (start, end) = reach(row)?;
    let every = steps.len().div_ceil(POINTS_MAX);
    let rates = |flow: &DirectionFigures<'_>| {
        columns(&steps, every, |step| amount(flow, step) / step.covered_seconds())
    };
    let drawn: Vec<(&str, Vec<Column>)> = drawn(row).iter().map(|flow| (flow.name, rates(flow))).collect();
    let high = drawn.iter().flat_map(|(_, columns)| columns).map(|c| c.high).fold(0.0, f64::max);
    let y = Axis::linear(unit, 0.0, high.max(f64::MIN_POSITIVE), round_label);
    let mut chart = Chart::over_time(title, &described(row, unit, &drawn, every), (start, end), y);
    mark(&mut chart, row, moments, (start, end));
    drawn.iter().for_each(|(name, columns)| chart.series(&series(name, unit, columns, every)));
    Some(chart.render())
}

/// The flows with I/O; where the target never answered, those that were asked for.
fn drawn<'a>(row: &'a Row<'_>) -> Vec<DirectionFigures<'a>> {
    let busy = row.flows_apart_or_mixed();
    if !busy.is_empty() {
        return busy;
    }
    let asked = Direction::ALL.into_iter().filter(|d| row.first().uses(*d));
    asked.map(|d| row.flow(d)).collect()
}

/// One drawn point: some windows.
struct Column {
    time: f64,
    /// It directly follows the column before.
    is_joined: bool,
    mean: f64,
    low: f64,
    high: f64,
}

fn columns(steps: &[&GridStep], every: usize, rate: impl Fn(&GridStep) -> f64) -> Vec<Column> {
    let column = |windows: &[&GridStep], is_joined: bool| {
        let rates: Vec<f64> = windows.iter().map(|step| rate(step)).collect();
        Column {
            time: seconds(windows[0]) + windows.len() as f64 * length(windows[0]) / 2.0,
            is_joined,
            mean: rates.iter().sum::<f64>() / rates.len() as f64,
            low: if windows.iter().any(|step| step.has_standstill()) { 0.0 } else { least(&rates) },
            high: rates.iter().copied().fold(0.0, f64::max),
        }
    };
    // Neighbours begin one step apart; the half absorbs rounding.
    let stretches = steps.chunk_by(|step, next| seconds(next) - seconds(step) < 1.5 * length(step));
    let of_stretch = |stretch: &[&GridStep]| {
        let chunks = stretch.chunks(every).enumerate();
        chunks.map(|(at, windows)| column(windows, at > 0)).collect::<Vec<_>>()
    };
    stretches.flat_map(of_stretch).collect()
}

fn least(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(f64::INFINITY, f64::min)
}

fn series(name: &str, unit: &'static str, columns: &[Column], every: usize) -> Series {
    let is_thinned = every > 1 || columns.iter().any(|c| c.low < c.mean);
    let point = |c: &Column| Point {
        x: c.time,
        y: c.mean,
        range: is_thinned.then_some((c.low, c.high)),
        x_text: format!("{:.1}", c.time),
        y_text: significant(c.mean, 4),
    };
    let stretches = columns.chunk_by(|_, next| next.is_joined);
    Series {
        class: name.to_owned(),
        name: name.to_owned(),
        unit,
        stretches: stretches.map(|stretch| stretch.iter().map(point).collect()).collect(),
        // Dots show how few points a line has.
        has_dots: columns.len() <= 40,
    }
}

fn described(row: &Row<'_>, unit: &str, series: &[(&str, Vec<Column>)], every: usize) -> String {
    let each = series.iter().map(|(name, columns)| {
        let (low, high) = (
            columns.iter().map(|c| c.low).fold(f64::INFINITY, f64::min),
            columns.iter().map(|c| c.high).fold(0.0, f64::max),
        );
        format!("{name} between {} and {} {unit}", compact(low, 3), compact(high, 3))
    });
    let parts: Vec<String> = each.collect();
    let thinned = if every > 1 {
        format!("; each point is the mean of {every} windows, the band their range")
    } else {
        String::new()
    };
    let each = row.window_seconds();
    format!("{}: windows of {each} s, {}{thinned}", row.first().name, parts.join(", "))
}

/// A round value without the zeros that say nothing: `15k`, `2.5M`.
fn round_label(value: f64) -> String {
    let text = compact(value, 3);
    let prefix = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = &text[..text.len() - prefix.len()];
    match digits.contains('.') {
        true => format!("{}{prefix}", digits.trim_end_matches('0').trim_end_matches('.')),
        false => text,
    }
}

fn seconds(step: &GridStep) -> f64 {
    step.start_ns as f64 / 1e9
}

fn length(step: &GridStep) -> f64 {
    step.length_ns as f64 / 1e9
}
