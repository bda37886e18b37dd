//! fio's status groups: the rows that share a group id, added up.

use crate::flow::DirectionFigures;
use crate::measured_time::measured_ns;
use crate::row::Row;
use crate::{per_second, ratio};
use fathom_results::JobResult;

/// One direction of a status group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupFlow {
    /// `read`, `write`, `trim` or `mixed`.
    pub name: &'static str,
    /// Bytes moved by all rows.
    pub bytes: u64,
    /// Bytes per second of the time in which its rows measured: the longest runtime, where they measured at the same time, else
    /// the time that their windows cover.
    pub bytes_per_second: f64,
    /// Slowest and fastest row, bytes per second.
    pub row_rates: (f64, f64),
    /// Shortest and longest row, milliseconds.
    pub row_runtimes_ms: (u64, u64),
}

impl GroupFlow {
    fn of(name: &'static str, flows: &[DirectionFigures<'_>]) -> Option<Self> {
        let busy: Vec<&DirectionFigures<'_>> =
            flows.iter().filter(|f| f.name == name && f.totals.ios > 0).collect();
        let rates = || busy.iter().map(|f| f.bytes_per_second());
        let measured =
            measured_ns(busy.iter().flat_map(|f| f.row().members).filter_map(JobResult::window_ns));
        let bytes = busy.iter().map(|f| f.totals.bytes).sum();
        Some(GroupFlow {
            name,
            bytes,
            bytes_per_second: per_second(bytes, measured),
            row_rates: (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max)),
            row_runtimes_ms: (
                busy.iter().map(|f| f.runtime_ms()).min()?,
                busy.iter().map(|f| f.runtime_ms()).max()?,
            ),
        })
    }
}

/// The status groups of a run.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Group id, and its directions in fio's order.
    pub groups: Vec<(u32, Vec<GroupFlow>)>,
}

impl Groups {
    /// Adds up the rows of each group. Rows that report a mix appear as
    /// `mixed`; where they report both, the mix follows the parts.
    pub fn of(rows: &[Row<'_>]) -> Self {
        let mut ids: Vec<u32> = rows.iter().map(|row| row.first().group).collect();
        ids.dedup();
        let flows = |id: u32| {
            let members = rows.iter().filter(|row| row.first().group == id);
            let flows: Vec<DirectionFigures<'_>> = members.flat_map(|row| row.flows_busy()).collect();
            let names = ["read", "write", "trim", "mixed"].into_iter();
            names.filter_map(|name| GroupFlow::of(name, &flows)).collect()
        };
        Groups { groups: ids.into_iter().map(|id| (id, flows(id))).collect() }
    }

    /// Mean window bandwidth of a flow in percent of its group's, at most 100,
    /// as fio's `per=` and `bw_agg`; 0 without windows.
    pub fn percent(&self, row: &Row<'_>, flow: &DirectionFigures<'_>) -> f64 {
        let id = row.first().group;
        let group = self.groups.iter().find(|(group, _)| *group == id);
        let total = group.and_then(|(_, flows)| flows.iter().find(|g| g.name == flow.name));
        let mean = flow.bandwidth_spread_kib().mean * 1024.0;
        ratio(100.0 * mean, total.map_or(0.0, |g| g.bytes_per_second)).min(100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::rows;

    const SECOND: u64 = 1_000_000_000;

    /// Bandwidth of the first status group, of jobs whose second one begins so late.
    fn rate(options: &str, begins_ns: u64) -> f64 {
        let text =
            format!("[global]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n{options}[a]\n[b]\n");
        let reads = [DirectionLoad::reads(1_000, 4096, 100_000)];
        let run = RunBuilder::text(&text).seconds(0, 10, &reads).after(1, begins_ns);
        Groups::of(&rows(&run.seconds(1, 10, &reads).run())).groups[0].1[0].bytes_per_second
    }

    #[test]
    fn what_one_after_the_other_moved_is_over_the_time_of_both() {
        for options in ["", "group_reporting\n"] {
            assert_eq!(rate(options, 0), 2_000.0 * 4096.0, "{options:?}: at the same time");
            assert_eq!(rate(options, 10 * SECOND), 1_000.0 * 4096.0, "{options:?}: one after the other");
            assert_eq!(
                rate(options, 60 * SECOND),
                1_000.0 * 4096.0,
                "{options:?}: with a pause between them"
            );
        }
    }
}
