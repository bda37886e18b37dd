//! Latency by percentile, with a stretched tail: each step to the right adds a nine.
//!
//! A paced job has two lines: what a user waited (response) and the target's part of it (service).
//! They differ where the schedule was missed.

use super::{axis_title, latency_tick};
use crate::html::axis::Axis;
use crate::html::svg::{Chart, Point, Series};
use crate::text::latency_kind;
use fathom_figures::{DirectionFigures, Row};
use fathom_results::{Latency, has_too_few};
use fathom_stats::Histogram;
use fathom_text::number::significant;
use fathom_text::quantity::{TimeUnit, latency};

/// Points per nine: more would be finer than a pixel.
const POINTS_PER_NINE: f64 = 14.0;

/// One line per direction, and one for syncs; `None` where no distribution was
/// kept, or of too few I/Os. A line ends where one value in the sample is left.
pub(in crate::html) fn percentiles(row: &Row<'_>) -> Option<String> {
    let flows = row.flows_apart_or_mixed();
    let mut lines: Vec<(String, String, &Histogram)> = flows.iter().flat_map(lines_of).collect();
    let sync = row.totals.sync.histogram.as_ref().filter(|h| !h.is_empty() && !has_too_few(h.count()));
    lines.extend(sync.map(|histogram| ("sync".to_owned(), "sync".to_owned(), histogram)));
    let nines = lines.iter().map(|(_, _, h)| (h.count() as f64).log10()).fold(0.0, f64::max).max(1.0);
    let low = lines.iter().filter_map(|(_, _, h)| h.min()).min()?.max(1) as f64;
    let high = lines.iter().filter_map(|(_, _, h)| h.max()).max()?.max(2) as f64;
    let x =
        Axis::fixed("% of I/Os that took at most this long (not a linear axis)", 0.0, nines, ticks(nines));
    let y = Axis::log(&axis_title(&flows), low, high, latency_tick);
    let mut chart = Chart::new("Latency by percentile", &described(&lines), x, y);
    for (class, name, histogram) in &lines {
        chart.series(&series(class, name, histogram));
    }
    Some(chart.render())
}

/// Class, name and distribution of each main latency of a flow.
fn lines_of<'a>(flow: &'a DirectionFigures<'_>) -> Vec<(String, String, &'a Histogram)> {
    let main = flow.main_latencies().into_iter().enumerate();
    let line = |(at, (kind, latency)): (usize, (&str, &'a Latency))| {
        let class = if at == 0 { flow.name.to_owned() } else { format!("{} second", flow.name) };
        Some((class, format!("{}, {}", flow.name, latency_kind(kind)), latency.histogram.as_ref()?))
    };
    main.filter(|(_, (_, latency))| !latency.has_too_few()).filter_map(line).collect()
}

fn series(class: &str, name: &str, histogram: &Histogram) -> Series {
    let unit = TimeUnit::for_typical(histogram.quantile(0.5).unwrap_or(0) as f64);
    let point = |(nines, ns): (f64, f64)| Point {
        x: nines,
        y: ns,
        range: None,
        x_text: percent(nines),
        y_text: unit.number(ns, 4),
    };
    Series {
        class: class.to_owned(),
        name: name.to_owned(),
        unit: unit.symbol(),
        stretches: vec![curve(histogram).into_iter().map(point).collect()],
        has_dots: false,
    }
}

/// The percentile at so many nines, with enough digits to tell it from its neighbours.
fn percent(nines: f64) -> String {
    let beyond = 100.0 * 10f64.powf(-nines);
    let decimals =
        (1.0 - significant(beyond, 2).parse::<f64>().unwrap_or(beyond).log10().floor()).clamp(0.0, 9.0);
    format!("{:.*}", decimals as usize, 100.0 - beyond)
}

fn curve(histogram: &Histogram) -> Vec<(f64, f64)> {
    let end = (histogram.count() as f64).log10();
    let steps = (end * POINTS_PER_NINE).ceil() as usize;
    let inner = (0..steps).filter_map(|k| {
        let nines = k as f64 / POINTS_PER_NINE;
        Some((nines, histogram.quantile(1.0 - 10f64.powf(-nines))? as f64))
    });
    inner.chain(histogram.max().map(|max| (end, max as f64))).collect()
}

/// 50, 90, 99, 99.9 … as far as the data goes.
fn ticks(nines: f64) -> Vec<(f64, String)> {
    let named = [(0.5f64.log10().abs(), "50".to_owned()), (1.0, "90".to_owned())];
    let more = (2..=nines.floor() as i32).map(|n| {
        let decimals = (n - 2).max(0) as usize;
        (f64::from(n), format!("{:.decimals$}", 100.0 - 100.0 * 10f64.powi(-n)))
    });
    named.into_iter().chain(more).collect()
}

fn described(lines: &[(String, String, &Histogram)]) -> String {
    let each = lines.iter().map(|(_, name, h)| {
        let at = |q| h.quantile(q).map_or("-".to_owned(), |ns| latency(ns as f64));
        format!("{name}: half within {}, 99 % within {}, slowest {}", at(0.5), at(0.99), at(1.0))
    });
    each.collect::<Vec<_>>().join("; ")
}
