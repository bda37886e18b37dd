//! The answer in one sentence.

use super::six::{Group, SIX};
use super::told::{Figure, Told, of};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint::{fell, spread};
use fathom_job::direction::Direction;
use fathom_text::quantity::{bandwidth, iops, latency};

/// The figures that were measured (at least one), in one sentence; what is missing, at its end.
pub(super) fn headline(case: &Case<'_>) -> Told {
    let cell = |name: &str| case.cells.iter().find(|cell| cell.name() == name && cell.ios() > 0);
    let parts = [
        group(&cell, Group::Random, "random", rate),
        single(&cell),
        group(&cell, Group::Bandwidth, "sequential", flow),
    ];
    let parts = parts.into_iter().flatten();
    let missing: Vec<&str> = SIX.iter().filter(|one| cell(one.name).is_none()).map(|one| one.name).collect();
    let missing = match missing.is_empty() {
        true => String::new(),
        false => format!("; not measured: {}", missing.join(", ")),
    };
    Told::joined(parts, "; ").within(|figures| format!("{figures}{missing}."))
}

type Find<'a, 'b> = dyn Fn(&str) -> Option<&'a Cell<'a>> + 'b;

/// The figures of a group, each with its unit, after the block size that they share.
fn group<'a>(cell: &Find<'a, '_>, group: Group, kind: &str, figure: fn(&Cell<'_>) -> Told) -> Option<Told> {
    let measured =
        || SIX.iter().filter(|one| one.group == group).filter_map(|one| Some((one, cell(one.name)?)));
    let each = measured().map(|(one, cell)| figure(cell).within(|figure| format!("{figure} {}", one.unit)));
    let figures = Told::joined(each, ", ");
    let (_, any) = measured().next()?;
    Some(figures.within(|figures| format!("{} {kind}: {figures} (QD{})", block(any), any.depth())))
}

fn single<'a>(cell: &Find<'a, '_>) -> Option<Told> {
    let single = SIX.iter().find(|one| one.group == Group::Latency).and_then(|one| cell(one.name))?;
    let reads = single.flow(Direction::Read);
    let mean = latency(reads.main_latency_ns_mean()?);
    let p99 = reads.distribution().and_then(|histogram| histogram.quantile(0.99));
    let p99 =
        p99.map(|ns| Told::new(format!(" (p99 {})", latency(ns as f64)), of(single, &[Figure::Percentiles])));
    let mean = format!("one read at a time takes {mean}");
    Some(Told::new(mean, of(single, &[Figure::Ios, Figure::Latency])).and(p99.unwrap_or_default()))
}

/// IOPS, with their range if they were not steady.
fn rate(cell: &Cell<'_>) -> Told {
    let range =
        spread(cell).map(|spread| format!(" ({} to {} between seconds)", iops(spread.min), iops(spread.max)));
    if let Some(fall) = cell.rate_fall() {
        return fallen(cell, iops(fall.lasting.iops));
    }
    Told::new(iops(cell.iops()), of(cell, &[Figure::Ios])).and(seconds(cell, range))
}

/// A rate that lasts after a fall.
fn fallen(cell: &Cell<'_>, lasting: String) -> Told {
    Told::new(lasting + &fell(cell), of(cell, &[Figure::Ios, Figure::Seconds]))
}

/// A text that is based on the seconds of a measurement.
fn seconds(cell: &Cell<'_>, text: Option<String>) -> Told {
    text.map_or_else(Told::default, |text| Told::new(text, of(cell, &[Figure::Seconds])))
}

/// Bandwidth, in the same way.
fn flow(cell: &Cell<'_>) -> Told {
    let bytes = cell.bytes_per_second() / cell.iops().max(1.0);
    let at = |ios: f64| bandwidth(ios * bytes);
    let range =
        spread(cell).map(|spread| format!(" ({} to {} between seconds)", at(spread.min), at(spread.max)));
    if let Some(fall) = cell.rate_fall() {
        return fallen(cell, bandwidth(fall.lasting.bytes_per_second));
    }
    Told::new(bandwidth(cell.bytes_per_second()), of(cell, &[Figure::Ios])).and(seconds(cell, range))
}

fn block(cell: &Cell<'_>) -> String {
    cell.planned().block_max().to_string()
}
