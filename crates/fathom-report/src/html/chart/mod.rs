//! The charts of one row, and of the machine.

mod classes;
mod depth;
mod heat;
mod machine;
mod over_time;
mod percentiles;
mod tail;
mod throughput;

pub(super) use classes::classes;
pub(super) use depth::depth;
pub(super) use heat::heat;
pub(super) use machine::{MachineLine, USES};
pub(super) use over_time::{Moment, moments};
use over_time::{mark, reach};
pub(super) use percentiles::percentiles;
pub(super) use tail::tail;
pub(super) use throughput::{bandwidth, iops};

use crate::text::latency_kind;
use fathom_figures::DirectionFigures;

/// Most spans of time in a chart of latency: a column of a heat map is at least 3 pixels wide.
const SPANS_MAX: usize = 120;

/// Which latency these flows have: `latency: completion (clat)`; without the kind where they have several.
fn axis_title(flows: &[DirectionFigures<'_>]) -> String {
    let mut kinds = flows.iter().filter_map(|flow| Some(latency_kind(flow.main_latency()?.0)));
    match kinds.next().filter(|first| kinds.all(|kind| kind == *first)) {
        Some(kind) => format!("latency: {kind}"),
        None => "latency".to_owned(),
    }
}

/// A round latency: `20 µs`, `1 ms`.
pub(in crate::html) fn latency_tick(ns: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let (unit, symbol) = UNITS.into_iter().find(|(unit, _)| ns >= unit * 0.999).unwrap_or((1.0, "ns"));
    format!("{} {symbol}", (ns / unit).round())
}
