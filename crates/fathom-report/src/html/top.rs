//! The top of the page: which run, what it means, its main figures.

use super::markup::{element, escape};
use crate::calendar::Moment;
use crate::fio_json::elapsed_ns;
use crate::flow::Flow;
use crate::group::Row;
use crate::number::{grouped, latency, significant};
use crate::text::{blocks, doubts, pattern};
use fathom_job::units::Nanos;
use fathom_results::RunResult;

/// From this block size on, bandwidth says more than IOPS.
const LARGE_BLOCK: u64 = 64 << 10;

/// Tiles above the table.
const TILES_MAX: usize = 6;

pub(super) fn header(run: &RunResult) -> String {
    let record = &run.record;
    let badge = match &run.incomplete {
        None => "<span class=\"badge good\">complete</span>".to_owned(),
        Some(why) => format!("<span class=\"badge bad\">incomplete</span> {}", escape(why)),
    };
    format!(
        "<header>\n<p class=\"kicker\">fathom · storage measurement</p>\n<h1>{}</h1>\n<p class=\"meta\">{badge} <span>{}</span> <span>took {}</span> <span>{}</span></p>\n</header>\n",
        escape(&record.name),
        Moment::of_unix_ns(record.started_unix_ns),
        Nanos(elapsed_ns(run)),
        escape(&record.id),
    )
}

/// The verdict; without one, what can be said of the run itself.
pub(super) fn verdict(run: &RunResult, rows: &[Row<'_>]) -> String {
    let verdict = run.record.verdict.as_ref();
    let headline = verdict.map_or_else(|| condition(run, rows), |v| v.headline.clone());
    let limits: String = verdict.iter().flat_map(|v| &v.limits).map(|l| element("li", l)).collect();
    let distrust: String = doubts(run).iter().map(|d| element("li", d)).collect();
    let list = |title: &str, items: &str| {
        if items.is_empty() { String::new() } else { format!("<h3>{title}</h3>\n<ul>{items}</ul>\n") }
    };
    let class = if run.incomplete.is_some() || rows.iter().any(|r| r.failure().is_some()) {
        "bad"
    } else if distrust.is_empty() {
        "good"
    } else {
        "careful"
    };
    format!(
        "<section class=\"verdict {class}\">\n<h2>{}</h2>\n{}{}</section>\n",
        escape(&headline),
        list("What limited it", &limits),
        list("What to distrust", &distrust)
    )
}

fn condition(run: &RunResult, rows: &[Row<'_>]) -> String {
    let failed = rows.iter().filter(|row| row.failure().is_some()).count();
    let jobs = match rows.len() {
        1 => "The job".to_owned(),
        n => format!("All {n} jobs"),
    };
    match (&run.incomplete, failed, run.record.taints.len()) {
        (_, f, _) if f > 0 => {
            format!("{f} of {} jobs failed; figures cover the time before the failure.", rows.len())
        }
        (Some(_), ..) => "The run was cut short; figures cover what was measured until then.".to_owned(),
        (None, _, 0) => {
            format!("{jobs} ran to the end, and nothing was found that speaks against the figures.")
        }
        (None, _, 1) => {
            format!("{jobs} ran to the end; one thing should be known about the figures.")
        }
        (None, _, n) => {
            format!("{jobs} ran to the end; {n} things should be known about the figures.")
        }
    }
}

/// The main figure of each of the first flows.
pub(super) fn tiles(rows: &[Row<'_>]) -> String {
    let tiles: Vec<String> = rows
        .iter()
        .flat_map(|row| row.flows_apart_or_mixed().iter().map(|flow| tile(row, flow)).collect::<Vec<_>>())
        .take(TILES_MAX)
        .collect();
    if tiles.is_empty() {
        String::new()
    } else {
        format!("<section class=\"tiles\">\n{}</section>\n", tiles.concat())
    }
}

fn tile(row: &Row<'_>, flow: &Flow<'_>) -> String {
    let rate = flow.bytes_per_second();
    let (value, unit) = match row.first().block_max().0 >= LARGE_BLOCK {
        true => (significant(rate / f64::from(1 << 20), 4), "MiB/s"),
        false => (grouped(flow.iops().round() as u64), "IOPS"),
    };
    let tail = flow.main_latency().and_then(|(_, l)| l.histogram.as_ref()?.quantile(0.99));
    let tail = tail.map(|ns| format!("p99 {}", latency(ns as f64, 3))).unwrap_or_default();
    format!(
        "<div class=\"tile {}\"><p class=\"what\">{} · {}</p><p class=\"value\">{value} <span>{unit}</span></p><p class=\"how\">{}</p><p class=\"how\">{tail}</p></div>\n",
        flow.name,
        escape(&row.first().name),
        flow.name,
        escape(&format!(
            "{} {} · depth {}",
            blocks(row.first()),
            pattern(row.first()),
            row.first().depth.asked
        )),
    )
}
