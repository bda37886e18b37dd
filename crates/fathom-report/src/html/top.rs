//! The top of the page: which run, what it means, its main figures.

use super::markup::{element, escape};
use crate::fio_json::elapsed_ns;
use crate::number::{compact, grouped, latency, significant};
use crate::percentile::text as percentile_text;
use crate::text::{blocks, doubts, pattern, without_io};
use fathom_figures::{DirectionFigures, Percentile, Row};
use fathom_job::direction::Direction;
use fathom_job::units::Nanos;
use fathom_results::{Latency, RunResult};
use fathom_text::calendar::Moment;

/// From this block size on, bandwidth says more than IOPS.
const LARGE_BLOCK: u64 = 64 << 10;

/// Tiles above the table.
const TILES_MAX: usize = 6;

/// Rows whose figures make the headline where the run has no verdict.
const ROWS_TOLD: usize = 3;

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

/// What went wrong, else the main figures.
fn condition(run: &RunResult, rows: &[Row<'_>]) -> String {
    let failed = rows.iter().filter(|row| row.failure().is_some()).count();
    match &run.incomplete {
        _ if failed > 0 => {
            format!("{failed} of {} jobs failed; figures cover the time before the failure.", rows.len())
        }
        Some(_) => "The run was cut short; figures cover what was measured until then.".to_owned(),
        None => main_figures(rows),
    }
}

/// `randread: 74.7k IOPS, 306 MB/s, p99 571 µs; …`.
fn main_figures(rows: &[Row<'_>]) -> String {
    let each: Vec<String> = rows.iter().take(ROWS_TOLD).map(told).collect();
    let more = match rows.len().saturating_sub(ROWS_TOLD) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    each.join("; ") + &more
}

fn told(row: &Row<'_>) -> String {
    let (all, name) = (row.mixed(), &row.first().name);
    if all.totals.ios == 0 {
        return format!("{name}: {}", without_io(row));
    }
    let megabytes = significant(all.bytes_per_second() / 1e6, 3);
    let tail = p99(&all).map(|p99| format!(", {p99}")).unwrap_or_default();
    let halves = halves(row).map(|halves| format!(" ({halves})")).unwrap_or_default();
    format!("{name}: {} IOPS{halves}, {megabytes} MB/s{tail}", compact(all.iops(), 3))
}

/// IOPS by direction, where a row has more than one: `52.3k read, 22.4k write`.
fn halves(row: &Row<'_>) -> Option<String> {
    let busy: Vec<_> = Direction::ALL.into_iter().map(|d| row.flow(d)).filter(|f| f.totals.ios > 0).collect();
    let each = busy.iter().map(|flow| format!("{} {}", compact(flow.iops(), 3), flow.name));
    (busy.len() > 1).then(|| each.collect::<Vec<_>>().join(", "))
}

fn p99(flow: &DirectionFigures<'_>) -> Option<String> {
    let told = |(_, kept): &(&str, &Latency)| {
        Some(percentile_text(Percentile::of(kept.histogram.as_ref()?, 99.0)?, |ns| latency(ns, 3)))
    };
    let main = flow.main_latencies();
    let first = told(main.first()?)?;
    Some(match main.get(1).and_then(told) {
        Some(service) => format!("p99 response {first}, service {service}"),
        None => format!("p99 {first}"),
    })
}

/// The main figure of each of the first rows.
pub(super) fn tiles(rows: &[Row<'_>]) -> String {
    let busy = rows.iter().filter(|row| row.ios() > 0);
    let tiles: String = busy.take(TILES_MAX).map(tile).collect();
    if tiles.is_empty() { tiles } else { format!("<section class=\"tiles\">\n{tiles}</section>\n") }
}

/// One row; a mix is shown as its sum, with its halves below.
fn tile(row: &Row<'_>) -> String {
    let job = row.first();
    let mut flows = row.flows_apart_or_mixed();
    let flow = if flows.len() == 1 { flows.remove(0) } else { row.mixed() };
    let (value, unit) = match job.block_max().0 >= LARGE_BLOCK {
        true => (significant(flow.bytes_per_second() / f64::from(1 << 20), 4), "MiB/s"),
        false => (grouped(flow.iops().round() as u64), "IOPS"),
    };
    let how = format!("{} {} · depth {}", blocks(job), pattern(job), job.depth.asked);
    let halves = halves(row).map(|halves| format!("IOPS: {halves}"));
    let lines = [Some(how), halves, p99(&flow)].into_iter().flatten();
    let lines: String = lines.map(|line| format!("<p class=\"how\">{}</p>", escape(&line))).collect();
    format!(
        "<div class=\"tile {0}\"><p class=\"what\">{1} · {0}</p><p class=\"value\">{value} <span>{unit}</span></p>{lines}</div>\n",
        flow.name,
        escape(&job.name),
    )
}
