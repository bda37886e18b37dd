//! Latencies of a row in one unit, with marks where the tail is thin.

use super::Layout;
use crate::column::latency_cell;
use crate::column::max_over_mean;
use crate::latency_classes::class_rows;
use fathom_figures::metric::{Columns, Metric, Output, of_percent, percentiles_of};
use fathom_figures::{Row, TAIL_MIN};
use fathom_job::priorities;
use fathom_results::{Latency, PriorityLatency};
use fathom_text::number::compact;
use fathom_text::quantity::TimeUnit;
use fathom_text::table::Table;

/// The table; empty when nothing was measured.
pub(super) fn latency_table(row: &Row<'_>, layout: Layout<'_>) -> String {
    let style = layout.style;
    let lines = lines(row);
    let typical = lines.iter().filter_map(|(_, latency)| latency.moments.mean()).fold(0.0, f64::max);
    if lines.is_empty() {
        return String::new();
    }
    let unit = TimeUnit::for_typical(typical);
    let (columns, digits) = (columns(row, layout.columns), row.asked.figures);
    let mut rows = vec![headings(unit, &columns)];
    rows.extend(lines.iter().map(|(name, latency)| {
        let figure = |metric: &&Metric| {
            let are_chosen = layout.columns.are_chosen();
            latency_cell(metric, Some(latency), are_chosen, |ns| unit.number(ns, digits))
        };
        let n = latency.moments.count();
        let before = [name.to_owned(), if n == 0 { "-".to_owned() } else { compact(n as f64, 4) }];
        let after = [max_over_mean(&latency.moments)];
        before.into_iter().chain(columns.iter().map(figure)).chain(after).collect()
    }));
    let thin = rows.iter().flatten().any(|cell| cell.ends_with('·'));
    let note = if thin {
        style.labelled("", &format!("· fewer than {TAIL_MIN} of the n values lie beyond"))
    } else {
        String::new()
    };
    let by_class = class_rows(row);
    let by_class = if by_class.is_empty() { String::new() } else { Table { rows: by_class }.render(style) };
    Table { rows }.render(style) + &note + &by_class
}

/// The columns of the table. Its percentiles are those that a person chose, else those that the job names, if it names any.
fn columns(row: &Row<'_>, chosen: &Columns) -> Vec<&'static Metric> {
    let of_job = Columns::new(Vec::new(), percentiles(row));
    let chosen = if chosen.are_chosen() { chosen } else { &of_job };
    chosen.of(Output::Details).into_iter().filter(|metric| metric.is_latency()).collect()
}

/// The percentiles that the job names, else the usual ones.
pub(super) fn percentiles(row: &Row<'_>) -> Vec<&'static Metric> {
    match row.asked.percentiles_given {
        true => row.asked.percentiles.iter().map(|percent| of_percent(*percent)).collect(),
        false => percentiles_of(Output::Details).collect(),
    }
}

/// Every latency that was kept and asked for, named by direction where there
/// is more than one.
fn lines(row: &Row<'_>) -> Vec<(String, Latency)> {
    let asked = &row.asked;
    let flows = row.flows_busy();
    let mut lines = Vec::new();
    let named =
        |flow: &str, kind: &str| if flows.len() > 1 { format!("{flow} {kind}") } else { kind.to_owned() };
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
            // One that was not measured is a line of dashes.
            let is_kept = match kind {
                "submission" => flow.totals.submission.moments.count() > 0,
                _ => latency.moments.count() > 0,
            };
            if shown && is_kept {
                lines.push((named(flow.name, kind), latency.clone()));
            }
        }
        let kind = if asked.total_by_priority { "total" } else { "completion" };
        for PriorityLatency { ioprio, latency } in flow.priorities() {
            let name = named(flow.name, &format!("{kind}, {}", priorities::words(ioprio)));
            lines.push((name, latency));
        }
    }
    if row.totals.sync.moments.count() > 0 {
        lines.push(("sync".to_owned(), row.totals.sync.clone()));
    }
    lines
}

fn headings(unit: TimeUnit, columns: &[&Metric]) -> Vec<String> {
    let names = columns.iter().map(|metric| metric.title.to_owned());
    let before = [format!("latency, {}", unit.symbol()), "n".to_owned()];
    before.into_iter().chain(names).chain(["max/mean".to_owned()]).collect()
}
