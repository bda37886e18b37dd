//! The charts of one kind of log: all files in one, raw, smoothed and as a trend.

use super::smooth::{Form, thinned};
use crate::html::axis::Axis;
use crate::html::chart::latency_tick;
use crate::html::svg::{Chart, Point, Series};
use crate::html::verdict::capital;
use crate::import::shown_unit;
use fathom_figures::fio::{FioLogKind, Imported, RatePoint};
use fathom_job::direction::Direction;
use fathom_text::number::{compact, significant};

/// Lines in one chart: more cannot be told apart.
pub(super) const SERIES_MAX: usize = 12;

/// Classes of colours and dashes.
const CLASSES: usize = 8;

/// Most points of a line: one for some three pixels.
const POINTS_MAX: usize = 150;

/// Names that fit in a legend together, letters.
const LEGEND_LETTERS: usize = 60;

/// A time line with its name.
struct Named {
    label: String,
    points: Vec<RatePoint>,
}

/// The charts of a kind, direction by direction.
pub(super) fn charts(imported: &Imported, kind: FioLogKind) -> Vec<String> {
    let (tracks, together) = (imported.tracks(kind), imported.together(kind));
    let mut all = Vec::new();
    for direction in Direction::ALL {
        let of_jobs = tracks.iter().filter(|it| it.direction == direction);
        let jobs = drawable(of_jobs.map(|it| named(&it.label, &it.track.points())));
        all.extend(Form::ALL.into_iter().filter_map(|form| chart(kind, direction, form, &jobs)));
        let of_runs = together.iter().filter(|it| it.direction == direction);
        let runs = drawable(of_runs.map(|it| named(&it.label, &it.aggregate.points)));
        all.extend(chart_of_all(kind, direction, &runs));
    }
    all
}

fn named(label: &str, points: &[RatePoint]) -> Named {
    Named { label: label.to_owned(), points: thinned(points, POINTS_MAX) }
}

/// The first time lines with more than a point, as many as fit into a chart.
fn drawable(all: impl Iterator<Item = Named>) -> Vec<Named> {
    all.filter(|named| named.points.len() > 1).take(SERIES_MAX).collect()
}

fn chart(kind: FioLogKind, direction: Direction, form: Form, jobs: &[Named]) -> Option<String> {
    let drawn: Vec<Named> =
        jobs.iter().map(|it| Named { label: it.label.clone(), points: form.of(&it.points) }).collect();
    let title = format!("{}, {}, {}", capital(kind.title()), direction.name(), form.name());
    render(&title, kind, &drawn)
}

/// The jobs of each run together: their sum, or the mean of their latencies.
fn chart_of_all(kind: FioLogKind, direction: Direction, runs: &[Named]) -> Option<String> {
    let what = if kind.is_latency() { "mean of all jobs" } else { "sum of all jobs" };
    render(&format!("{}, {}, {what}", capital(kind.title()), direction.name()), kind, runs)
}

fn render(title: &str, kind: FioLogKind, drawn: &[Named]) -> Option<String> {
    let points = || drawn.iter().flat_map(|named| &named.points);
    let from = points().map(|point| point.start).reduce(f64::min)?;
    let to = points().map(|point| point.start + point.length).reduce(f64::max)?;
    let high = points().map(|point| point.extremes().1).fold(f64::MIN_POSITIVE, f64::max);
    let (y, unit, size) = if kind.is_latency() {
        let low = points().map(|point| point.extremes().0).fold(f64::INFINITY, f64::min).max(1.0);
        (Axis::log("latency", low, high.max(2.0), latency_tick), "ns", 1.0)
    } else {
        let (unit, size) = shown_unit(kind, &[]);
        (Axis::linear(unit, 0.0, high / size, |value| compact(value, 3)), unit, size)
    };
    let described = drawn.iter().map(|named| described(named, unit, size)).collect::<Vec<_>>().join("; ");
    let mut chart = Chart::over_time(title, &described, (from, to), y);
    let letters: usize = drawn.iter().map(|named| named.label.chars().count()).sum();
    for (at, named) in drawn.iter().enumerate() {
        // Long names stand in the table, with their numbers.
        let name = if letters > LEGEND_LETTERS { format!("{}", at + 1) } else { named.label.clone() };
        chart.series(&series(at, &name, named, (unit, size)));
    }
    Some(chart.render())
}

fn series(at: usize, name: &str, named: &Named, (unit, size): (&'static str, f64)) -> Series {
    let point = |point: &RatePoint| {
        let middle = point.start + point.length / 2.0;
        Point {
            x: middle,
            y: point.value / size,
            range: point.range.map(|(low, high)| (low / size, high / size)),
            x_text: format!("{middle:.2}"),
            y_text: significant(point.value / size, 4),
        }
    };
    // Neighbours begin one step apart; the half absorbs rounding.
    let stretches = named.points.chunk_by(|a, b| b.start - a.start < 1.5 * a.length.max(b.length));
    Series {
        class: class(at),
        name: name.to_owned(),
        unit,
        stretches: stretches.map(|some| some.iter().map(point).collect()).collect(),
        has_dots: named.points.len() <= 40,
    }
}

/// Colour and dashes of a series.
pub(super) fn class(at: usize) -> String {
    format!("c{}", at % CLASSES + 1)
}

fn described(named: &Named, unit: &str, size: f64) -> String {
    let values = || named.points.iter().map(|point| point.value / size);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    format!("{} between {} and {} {unit}", named.label, compact(low, 3), compact(high, 3))
}
