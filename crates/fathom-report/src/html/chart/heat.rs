//! Latency over time as a heat map: the darker a field, the more I/Os had this latency in this time.
//!
//! It shows what percentiles hide: two groups of latencies, a slow phase, a stall that comes back.

use super::{Moment, SPANS_MAX, axis_title, latency_tick, mark, reach};
use crate::html::axis::Axis;
use crate::html::svg::{Chart, PLOT_HEIGHT};
use fathom_figures::{DirectionFigures, HeatColumn, HeatMap, Row};
use fathom_text::number::compact;
use fathom_text::quantity::{TimeUnit, latency};

/// Ranges of latency.
const ROWS_MAX: usize = 60;

/// Shades; their CSS classes are `h1` to `h9`.
const SHADES: usize = 9;

/// Width of one shade in the legend.
const SWATCH: f64 = 10.0;

/// The heat map of one flow; `None` where no distribution was kept.
pub(in crate::html) fn heat(
    row: &Row<'_>,
    flow: &DirectionFigures<'_>,
    moments: &[Moment],
) -> Option<String> {
    let spans = flow.latency_spans(SPANS_MAX);
    let low = spans.iter().filter_map(|span| span.latency.min()).min()?.max(1) as f64;
    let high = spans.iter().filter_map(|span| span.latency.max()).max()?.max(2) as f64;
    let (start, end) = reach(row)?;
    let y = Axis::log(&axis_title(std::slice::from_ref(flow)), low, high, latency_tick);
    let map = HeatMap::of(&spans, y.range(), ROWS_MAX);
    let title = format!("Latency over time, {}", flow.name);
    let described = format!(
        "{}: each field counts the I/Os of one range of latency in one span of time, up to {}; the fastest took {}, the slowest {}",
        row.name(),
        map.ios_max(),
        latency(low),
        latency(high)
    );
    let mut chart = Chart::over_time(&title, &described, (start, end), y);
    let fields = fields(&chart, &map, (start, end));
    chart.drawing(&format!("<g class=\"s heat {}\" {}>\n{}</g>\n", flow.name, values(&chart, &map), fields));
    mark(&mut chart, row, moments, (start, end));
    chart.scale(scale(flow.name, map.ios_max()));
    Some(chart.render())
}

/// One path for each shade; neighbours in a column that have the same shade are one rectangle.
fn fields(chart: &Chart, map: &HeatMap, (start, end): (f64, f64)) -> String {
    let mut paths = vec![String::new(); SHADES];
    let height = PLOT_HEIGHT / (map.edges_ns.len() - 1) as f64;
    for column in &map.columns {
        let (from, to) = times(column);
        if to <= start || from >= end {
            continue;
        }
        let (left, right) = (chart.px(from), chart.px(to));
        let shades: Vec<usize> = column.ios.iter().map(|ios| shade(*ios, map.ios_max())).collect();
        let mut row = 0;
        for run in shades.chunk_by(|a, b| a == b) {
            let (top, high) = (PLOT_HEIGHT - (row + run.len()) as f64 * height, run.len() as f64 * height);
            row += run.len();
            if run[0] > 0 {
                paths[run[0] - 1]
                    .push_str(&format!("M{left:.1} {top:.1}h{0:.1}v{high:.1}h-{0:.1}z", right - left));
            }
        }
    }
    let path = |(at, path): (usize, &String)| format!("<path class=\"h{}\" d=\"{path}\"/>\n", at + 1);
    paths.iter().enumerate().filter(|(_, path)| !path.is_empty()).map(path).collect()
}

/// 0 for none, else 1 to [`SHADES`] on a logarithmic scale.
fn shade(ios: u64, most: u64) -> usize {
    if ios == 0 {
        return 0;
    }
    let share = (ios as f64).ln() / (most.max(2) as f64).ln();
    1 + (share * (SHADES as f64 - 0.001)) as usize
}

/// The counts for the script: ends of the ranges of latency, and of each column its place, its times, its first row
/// with I/Os, and the counts from there on.
fn values(chart: &Chart, map: &HeatMap) -> String {
    let typical = map.edges_ns[map.edges_ns.len() / 2] as f64;
    let unit = TimeUnit::for_typical(typical);
    let edges: Vec<String> = map.edges_ns.iter().map(|ns| unit.number(*ns as f64, 4)).collect();
    let column = |column: &HeatColumn| {
        let (from, to) = times(column);
        let first = column.ios.iter().position(|ios| *ios > 0).unwrap_or(0);
        let last = column.ios.iter().rposition(|ios| *ios > 0).unwrap_or(0);
        let count = |ios: &u64| if *ios == 0 { String::new() } else { ios.to_string() };
        let counts: Vec<String> = column.ios[first..=last].iter().map(count).collect();
        let (left, right) = (chart.px(from), chart.px(to));
        format!("{left:.1},{right:.1},{from},{to},{first},{}", counts.join(","))
    };
    let columns: Vec<String> = map.columns.iter().map(column).collect();
    format!("data-u=\"{}\" data-e=\"{}\" data-c=\"{}\"", unit.symbol(), edges.join(" "), columns.join(" "))
}

/// Start and end in seconds, to a tenth.
fn times(column: &HeatColumn) -> (f64, f64) {
    let tenths = |ns: u64| (ns as f64 / 1e8).round() / 10.0;
    (tenths(column.start_ns), tenths(column.start_ns + column.length_ns))
}

/// The shades with the counts at their ends; it ends at x = 0.
fn scale(class: &str, most: u64) -> String {
    let label = format!("{} I/Os", compact(most as f64, 3));
    let right = -(label.chars().count() as f64) * 5.9 - 5.0;
    let left = right - SHADES as f64 * SWATCH;
    let swatch = |at: usize| {
        format!(
            "<rect class=\"h{}\" x=\"{:.1}\" y=\"-9\" width=\"{SWATCH}\" height=\"9\"/>",
            at + 1,
            left + at as f64 * SWATCH
        )
    };
    format!(
        "<g class=\"heat {class}\"><text class=\"tick end\" x=\"{:.1}\" y=\"0\">1</text>{}<text class=\"tick end\" x=\"0\" y=\"0\">{label}</text></g>",
        left - 4.0,
        (0..SHADES).map(swatch).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_span_the_counts() {
        let shades: Vec<usize> =
            [0, 1, 2, 31, 1_000, 999_999, 1_000_000].map(|n| shade(n, 1_000_000)).to_vec();
        assert_eq!(shades, [0, 1, 1, 3, 5, 9, 9]);
        assert_eq!(shade(1, 1), 1);
    }
}
