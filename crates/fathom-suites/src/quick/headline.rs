//! The answer in one sentence.

use super::six::SIX;
use crate::case::Case;
use crate::cell::{Cell, distribution};
use crate::quantity::{bandwidth, iops, latency};
use crate::taint::spread;

/// The figures that were measured (at least one), in one sentence; what is missing, at its end.
pub(super) fn headline(case: &Case<'_>) -> String {
    let cell = |name: &str| case.cells.iter().find(|cell| cell.name() == name && cell.ios() > 0);
    let parts: Vec<String> =
        [random(&cell), single(&cell), bandwidths(&cell)].into_iter().flatten().collect();
    let missing: Vec<&str> = SIX.iter().filter(|one| cell(one.name).is_none()).map(|one| one.name).collect();
    let missing = match missing.is_empty() {
        true => String::new(),
        false => format!("; not measured: {}", missing.join(", ")),
    };
    format!("{}{missing}.", parts.join("; "))
}

type Find<'a, 'b> = dyn Fn(&str) -> Option<&'a Cell<'a>> + 'b;

fn random<'a>(cell: &Find<'a, '_>) -> Option<String> {
    let names = [
        ("rand-read-iops", "read IOPS"),
        ("rand-write-iops", "write IOPS"),
        ("mixed-70-30", "IOPS at 70/30"),
    ];
    let figures: Vec<String> =
        names.iter().filter_map(|(name, unit)| Some(format!("{} {unit}", rate(cell(name)?)))).collect();
    let any = names.iter().find_map(|(name, _)| cell(name))?;
    Some(format!("{} random: {} (QD{})", block(any), figures.join(", "), any.depth()))
}

fn single<'a>(cell: &Find<'a, '_>) -> Option<String> {
    let single = cell("rand-read-latency")?;
    let mean = latency(single.latency_ns_mean()?);
    let reads = &single.totals.directions.read;
    let p99 = distribution(reads).and_then(|histogram| histogram.quantile(0.99));
    let p99 = p99.map(|ns| format!(" (p99 {})", latency(ns as f64))).unwrap_or_default();
    Some(format!("one read at a time takes {mean}{p99}"))
}

fn bandwidths<'a>(cell: &Find<'a, '_>) -> Option<String> {
    let names = [("seq-read-bandwidth", "read"), ("seq-write-bandwidth", "write")];
    let figures: Vec<String> =
        names.iter().filter_map(|(name, verb)| Some(format!("{} {verb}", flow(cell(name)?)))).collect();
    let any = names.iter().find_map(|(name, _)| cell(name))?;
    Some(format!("{} sequential: {} (QD{})", block(any), figures.join(", "), any.depth()))
}

/// IOPS, and between what they varied if they were not steady.
fn rate(cell: &Cell<'_>) -> String {
    let range = spread(cell).map(|spread| format!(" ({} to {})", iops(spread.min), iops(spread.max)));
    iops(cell.iops()) + &range.unwrap_or_default()
}

/// Bandwidth, in the same way.
fn flow(cell: &Cell<'_>) -> String {
    let bytes = cell.bytes_per_second() / cell.iops().max(1.0);
    let of = |ios: f64| bandwidth(ios * bytes);
    let range = spread(cell).map(|spread| format!(" ({} to {})", of(spread.min), of(spread.max)));
    bandwidth(cell.bytes_per_second()) + &range.unwrap_or_default()
}

fn block(cell: &Cell<'_>) -> String {
    cell.planned().block_max().to_string()
}
