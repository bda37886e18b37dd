//! A judged run at a glance: the answer first, one line per measurement.

use super::table::Table;
use crate::number::{compact, grouped, latency};
use crate::percentile::text as percentile_text;
use fathom_figures::{DirectionFigures, Percentile, Row, is_thin};
use fathom_results::Latency;
use fathom_text::style::Style;

const HEADINGS: [&str; 9] = ["", "IOPS", "95 % interval", "MB/s", "mean", "p50", "p99", "p99.9", "max"];

pub(super) fn table(rows: &[Row<'_>], style: Style) -> String {
    let mut cells = vec![HEADINGS.map(str::to_owned).to_vec()];
    for row in rows {
        let flows = row.flows_busy();
        for flow in &flows {
            let name = &row.first().name;
            let label = if flows.len() > 1 { format!("{name} {}", flow.name) } else { name.clone() };
            cells.push(line(label, flow));
            cells.extend(service_line(flow));
        }
    }
    let windows =
        rows.iter().flat_map(|r| r.flows_busy().first().map(|f| f.iops_series().values.len())).min();
    let each = rows.iter().map(Row::window_seconds).max().unwrap_or(1);
    let is_paced = rows.iter().any(|r| r.flows_busy().iter().any(|f| service_line(f).is_some()));
    let paced = if is_paced { ", for paced jobs response (from the intended start)" } else { "" };
    let note = format!(
        "intervals are within this run, from windows of {each} s, at least {} per line; latency is completion{paced}; · marks fewer than 10 values beyond",
        windows.unwrap_or(0)
    );
    Table { rows: cells }.render(style) + &style.labelled("", &note)
}

fn line(label: String, flow: &DirectionFigures<'_>) -> Vec<String> {
    let interval = match flow.iops_estimate() {
        Some(e) => format!("{} to {}", compact(e.low.max(0.0), 3), compact(e.high, 3)),
        None => (if flow.is_staggered() { "apart in time" } else { "too few" }).to_owned(),
    };
    let mut cells = vec![
        label,
        grouped(flow.iops().round() as u64),
        interval,
        grouped((flow.bytes_per_second() / 1e6).round() as u64),
    ];
    match flow.main_latency() {
        Some((_, kept)) => cells.extend(latencies(kept)),
        None => cells.extend(["-"; 5].map(str::to_owned)),
    }
    cells
}

/// For a paced flow, the target's own part of the response, on a second line.
fn service_line(flow: &DirectionFigures<'_>) -> Option<Vec<String>> {
    let (name, service) = flow.main_latencies().into_iter().nth(1)?;
    let blank = ["", "", ""].map(str::to_owned);
    Some([format!("  {name}")].into_iter().chain(blank).chain(latencies(service)).collect())
}

/// Mean, p50, p99, p99.9, max.
fn latencies(kept: &Latency) -> [String; 5] {
    let text = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| latency(ns, 3));
    let quantile = |percent: f64| {
        let told = kept.histogram.as_ref().and_then(|h| Percentile::of(h, percent));
        let mark = if is_thin(kept.moments.count(), percent) { "·" } else { "" };
        told.map_or_else(|| text(None), |told| percentile_text(told, |ns| latency(ns, 3))) + mark
    };
    let max = text(kept.moments.max().map(|v| v as f64));
    [text(kept.moments.mean()), quantile(50.0), quantile(99.0), quantile(99.9), max]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::{Histogram, Moments};

    #[test]
    fn thin_tails_are_marked() {
        let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
        moments.record_n(1_500, 500);
        histogram.record_n(1_500, 500);
        let kept = Latency { moments, histogram: Some(histogram) };
        let cells = latencies(&kept);
        assert!(cells[2].ends_with('·') && !cells[1].ends_with('·'), "{cells:?}");
    }
}
