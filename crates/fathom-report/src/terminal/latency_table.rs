//! Latencies of a row in one unit, with marks where the tail is thin.

use super::table::Table;
use crate::number::{TimeUnit, compact, max_over_mean};
use crate::percentile::text as percentile_text;
use fathom_figures::{Percentile, Row, TAIL_MIN, is_thin};
use fathom_results::Latency;
use fathom_text::style::Style;

/// Percentiles shown when the job names none.
const USUAL: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

/// The table; empty when nothing was measured.
pub(super) fn latency_table(row: &Row<'_>, style: Style) -> String {
    let lines = lines(row);
    let typical = lines.iter().filter_map(|(_, latency)| latency.moments.mean()).fold(0.0, f64::max);
    if lines.is_empty() {
        return String::new();
    }
    let unit = TimeUnit::for_typical(typical);
    let percentiles = percentiles(row);
    let mut rows = vec![headings(unit, percentiles)];
    rows.extend(
        lines.iter().map(|(name, latency)| cells(name, latency, unit, percentiles, row.asked.figures)),
    );
    let thin = rows.iter().flatten().any(|cell| cell.ends_with('·'));
    let note = if thin {
        style.labelled("", &format!("· fewer than {TAIL_MIN} of the n values lie beyond"))
    } else {
        String::new()
    };
    Table { rows }.render(style) + &note
}

/// Those that the job names, else the usual ones.
pub(super) fn percentiles<'a>(row: &'a Row<'_>) -> &'a [f64] {
    if row.asked.percentiles_given { row.asked.percentiles.as_slice() } else { &USUAL }
}

/// Every latency that was kept and asked for, named by direction where there
/// is more than one.
fn lines(row: &Row<'_>) -> Vec<(String, Latency)> {
    let asked = &row.asked;
    let flows = row.flows_busy();
    let mut lines = Vec::new();
    for flow in &flows {
        let submission = flow.submission();
        let kinds = [
            ("response", true, &flow.totals.response),
            (
                if flow.response().is_some() { "service (lat)" } else { "total" },
                asked.total,
                &flow.totals.total,
            ),
            ("completion", asked.completion, &flow.totals.completion),
            ("submission", asked.submission, &submission),
        ];
        for (kind, shown, latency) in kinds {
            let name = if flows.len() > 1 { format!("{} {kind}", flow.name) } else { kind.to_owned() };
            // One that was not measured is a line of dashes.
            let is_kept = match kind {
                "submission" => flow.totals.submission.moments.count() > 0,
                _ => latency.moments.count() > 0,
            };
            if shown && is_kept {
                lines.push((name, latency.clone()));
            }
        }
    }
    if row.totals.sync.moments.count() > 0 {
        lines.push(("sync".to_owned(), row.totals.sync.clone()));
    }
    lines
}

fn headings(unit: TimeUnit, percentiles: &[f64]) -> Vec<String> {
    let mut cells = vec![format!("latency, {}", unit.symbol())];
    cells.extend(["n", "min", "mean", "± sd"].map(str::to_owned));
    cells.extend(percentiles.iter().map(|p| format!("p{p}")));
    cells.extend(["max", "max/mean"].map(str::to_owned));
    cells
}

fn cells(name: &str, latency: &Latency, unit: TimeUnit, percentiles: &[f64], figures: usize) -> Vec<String> {
    let in_unit = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| unit.number(ns, figures));
    let moments = &latency.moments;
    let n = moments.count();
    let mut cells = vec![name.to_owned(), if n == 0 { "-".to_owned() } else { compact(n as f64, 4) }];
    cells.push(in_unit(moments.min().map(|ns| ns as f64)));
    cells.push(in_unit(latency.mean_ns()));
    cells.push(in_unit(moments.stddev().filter(|_| !latency.has_too_few())));
    for p in percentiles {
        let told = Percentile::of_latency(latency, *p);
        let mark = if told.is_some() && is_thin(n, *p) { "·" } else { "" };
        let text = told.map_or("-".to_owned(), |told| percentile_text(told, |ns| unit.number(ns, figures)));
        cells.push(text + mark);
    }
    cells.push(in_unit(moments.max().map(|ns| ns as f64)));
    cells.push(max_over_mean(moments));
    cells
}
