//! The figures that matter, in one sentence.

use super::has_figures;
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::{bandwidth, grouped, iops, latency};
use fathom_job::direction::Direction;
use fathom_job::units::{Bytes, Nanos};

/// Jobs whose figures are told one by one.
const TOLD_MAX: usize = 2;

/// From this block size on, bandwidth says more than IOPS.
const LARGE: Bytes = Bytes::kib(64);

pub(super) fn result(case: &Case<'_>, is_quick: bool) -> String {
    if !has_figures(case) {
        return format!("nothing was measured: {}", why_nothing(case).trim_end_matches('.'));
    }
    let told = if is_quick { six(case) } else { None };
    told.unwrap_or_else(|| jobs(case))
}

/// The six of `quick`: random rates, bandwidth, one read alone.
fn six(case: &Case<'_>) -> Option<String> {
    let cell = |name: &str| {
        case.cells.iter().find(|cell| cell.name() == name && cell.ios() > 0 && !cell.is_too_short())
    };
    let rate = |name, what: &str| cell(name).map(|cell| format!("{} {what}/s", iops(cell.iops())));
    let random = [rate("rand-read-iops", "random reads"), rate("rand-write-iops", "random writes")];
    let block = cell("rand-read-iops").or(cell("rand-write-iops")).map(|cell| cell.planned().block_max());
    let random = listed(random).zip(block).map(|(rates, block)| format!("{rates} of {block}"));
    let flow = |name, what: &str| cell(name).map(|c| format!("{} {what}", bandwidth(c.bytes_per_second())));
    let flows = listed([flow("seq-read-bandwidth", "read"), flow("seq-write-bandwidth", "written")]);
    let alone = cell("rand-read-latency").and_then(|cell| cell.latency_ns_mean());
    let alone = alone.map(|ns| format!("one read takes {}", latency(ns)));
    let parts: Vec<String> = [random, flows, alone].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn listed<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The first jobs, and how many more there are.
fn jobs(case: &Case<'_>) -> String {
    let busy: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.ios() > 0).collect();
    let told: Vec<String> = busy.iter().take(TOLD_MAX).map(|cell| job(cell, busy.len() > 1)).collect();
    match busy.len().saturating_sub(TOLD_MAX) {
        0 => told.join("; "),
        1 => format!("{}; and 1 more job", told.join("; ")),
        more => format!("{}; and {more} more jobs", told.join("; ")),
    }
}

/// `randread: 74.7k IOPS, 306 MB/s, mean 93.0 µs, p99 571 µs`.
fn job(cell: &Cell<'_>, is_named: bool) -> String {
    let name = if is_named { format!("{}: ", cell.name()) } else { String::new() };
    if cell.is_too_short() {
        let took = Nanos(cell.runtime_ns());
        return format!("{name}{} I/Os in {took}, which is too short for a rate", grouped(cell.ios()));
    }
    let rate = format!("{} IOPS", iops(cell.iops()));
    let flow = bandwidth(cell.bytes_per_second());
    let first = match cell.planned().block_max() >= LARGE {
        true => format!("{flow} ({rate})"),
        false => format!("{rate}, {flow}"),
    };
    format!("{name}{first}{}", tail(cell).unwrap_or_default())
}

/// Mean and p99 of the latency that the job is judged by; for mixes, of its reads.
fn tail(cell: &Cell<'_>) -> Option<String> {
    let flow = Direction::ALL.into_iter().map(|d| cell.flow(d)).find(|flow| flow.totals.ios > 0)?;
    let (_, kept) = flow.main_latency()?;
    let mean = kept.moments.mean()?;
    let p99 = kept.histogram.as_ref().and_then(|histogram| histogram.quantile(0.99));
    let p99 = p99.map(|ns| format!(", p99 {}", latency(ns as f64))).unwrap_or_default();
    let whose = if cell.flows().count() > 1 { " of reads" } else { "" };
    Some(format!(", mean {}{p99}{whose}", latency(mean)))
}

/// The first failure, else how the run ended.
fn why_nothing<'a>(case: &'a Case<'_>) -> &'a str {
    let failures = case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let first = failures.map(|failure| failure.message.as_str()).next();
    first.or(case.run.incomplete.as_deref()).unwrap_or("no job was started")
}
