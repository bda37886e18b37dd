//! One row of a report: its columns become figures of its key.

use super::columns::{ALL_CPUS, Of, Slot};
use super::finding::Findings;
use super::gather::Gather;
use super::number::{Comma, Written, value};
use crate::metric::of_id;

/// A heading that is a figure.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its place in the row.
    at: usize,
    slot: &'static Slot,
    name: &'static str,
    factor: f64,
    /// The places of what it is the mean of.
    by: Vec<usize>,
}

/// The columns of a heading, in the order of the slots.
pub(super) fn columns(names: &[&str], slots: &'static [Slot]) -> Vec<Column> {
    let place = |name: &str| names.iter().position(|other| *other == name);
    let of = |slot: &'static Slot| {
        let (at, name, factor) =
            slot.names.iter().find_map(|(name, factor)| place(name).map(|at| (at, *name, *factor)))?;
        Some(Column { at, slot, name, factor, by: slot.by.iter().filter_map(|name| place(name)).collect() })
    };
    slots.iter().filter_map(of).collect()
}

/// Adds the figures of a row. Without a key each figure is of what its column is of.
pub(super) fn add_row(
    columns: &[Column],
    (line, key, cells): (u64, Option<&str>, &[&str]),
    gather: &mut Gather,
    findings: &mut Findings,
) {
    let (mut idle, mut iowait) = (None, None);
    for column in columns {
        let Some(text) = cells.get(column.at) else { continue };
        let metric = of_id(column.slot.metric);
        let written =
            Written { line, column: column.name, text, factor: column.factor, comma: Comma::MayBePoint };
        let Some(value) = value(written, metric, findings) else { continue };
        match metric.id {
            "cpu_idle" => idle = Some(value),
            "cpu_iowait" => iowait = Some(value),
            _ => {}
        }
        let key = key.unwrap_or_else(|| column.slot.of.key());
        gather.add((line, key, column.slot.direction), (metric, value, weight(column, cells)), findings);
    }
    let is_all = key.is_none_or(|key| key == ALL_CPUS);
    if let Some(idle) = idle.filter(|_| is_all) {
        let busy = (100.0 - idle - iowait.unwrap_or(0.0)).max(0.0);
        gather.add((line, ALL_CPUS, ""), (of_id("all_cpus"), busy, 1.0), findings);
    }
}

/// Of how many I/Os it is the mean.
fn weight(column: &Column, cells: &[&str]) -> f64 {
    if column.by.is_empty() {
        return 1.0;
    }
    let number = |at: &usize| cells.get(*at)?.replace(',', ".").parse::<f64>().ok();
    let sum: f64 = column.by.iter().filter_map(number).filter(|it| it.is_finite() && *it >= 0.0).sum();
    sum.min(1e12)
}

/// The key of a processor: `all` and a number.
pub(super) fn cpu_key(name: &str) -> String {
    match name {
        "all" => ALL_CPUS.to_owned(),
        _ => format!("CPU {name}"),
    }
}

/// Does a table have a figure that is of disks, where it has no key?
pub(super) fn is_of(columns: &[Column], of: Of) -> bool {
    columns.iter().any(|column| column.slot.of == of)
}
