//! How many I/Os were in flight when another was submitted.

use crate::html::axis::Axis;
use crate::html::svg::{Chart, PLOT_HEIGHT};
use fathom_figures::Row;
use fathom_figures::latency_classes::depth_shares;

const CLASSES: [&str; 7] = ["1", "2", "4", "8", "16", "32", "≥64"];

/// A class with less than this is not a depth that the job worked at, percent.
const SHARE_MIN: f64 = 1.0;

/// Bars in fio's classes; `None` where the depth was the same all the time, because one bar says nothing.
pub(in crate::html) fn depth(row: &Row<'_>) -> Option<String> {
    let shares = depth_shares(&row.totals.maps.depth);
    if shares.iter().filter(|share| **share >= SHARE_MIN).count() < 2 {
        return None;
    }
    let ticks = CLASSES.iter().enumerate().map(|(at, class)| (at as f64, (*class).to_owned())).collect();
    let x = Axis::fixed("I/Os in flight at submission, up to", -0.6, 6.6, ticks);
    let y = Axis::linear("% of I/Os", 0.0, 100.0, |v| format!("{v}"));
    let reached = || CLASSES.iter().zip(shares).filter(|(_, share)| *share > 0.0);
    let described: Vec<String> = reached().map(|(class, share)| format!("{class}: {share:.1} %")).collect();
    let mut chart = Chart::new("I/Os in flight", &described.join(", "), x, y);
    let bars: String = shares.iter().enumerate().map(|(at, share)| bar(&chart, at as f64, *share)).collect();
    chart.drawing(&bars);
    Some(chart.render())
}

fn bar(chart: &Chart, at: f64, share: f64) -> String {
    let (left, right, top) = (chart.px(at - 0.35), chart.px(at + 0.35), chart.py(share));
    format!(
        "<rect class=\"bar\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{share:.1} %</title></rect>\n",
        right - left,
        PLOT_HEIGHT - top
    )
}
