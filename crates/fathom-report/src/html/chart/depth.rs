//! How many I/Os were in flight when another was submitted.

use crate::html::axis::Axis;
use crate::html::svg::Chart;
use fathom_figures::Row;
use fathom_figures::latency_classes::depth_shares;

const CLASSES: [&str; 7] = ["1", "2", "4", "8", "16", "32", "≥64"];

/// Bars in fio's classes; `None` when nothing was submitted.
pub(in crate::html) fn depth(row: &Row<'_>) -> Option<String> {
    let shares = depth_shares(&row.totals.maps.depth);
    if shares.iter().all(|share| *share == 0.0) {
        return None;
    }
    let ticks = CLASSES.iter().enumerate().map(|(at, class)| (at as f64, (*class).to_owned())).collect();
    let x = Axis::fixed("I/Os in flight at submission, up to", -0.6, 6.6, ticks);
    let y = Axis::linear("% of I/Os", 0.0, 100.0, |v| format!("{v}"));
    let seen = || CLASSES.iter().zip(shares).filter(|(_, share)| *share > 0.0);
    let described: Vec<String> = seen().map(|(class, share)| format!("{class}: {share:.1} %")).collect();
    let mut chart = Chart::new("Queue depth", &described.join(", "), x, y);
    for (at, share) in shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0) {
        chart.bar("depth", (at as f64, 0.7), share, &format!("{share:.1}"));
    }
    Some(chart.render())
}
