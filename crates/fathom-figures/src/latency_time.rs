//! The latency of a flow over time: distributions of short spans, and how many I/Os each range of latency had in
//! each span (a heat map).
//!
//! Clones are laid on one time line, and their distributions are merged. So are those of several spans where
//! there are more than wanted: a percentile of a span is that of all its I/Os.

use crate::flow::DirectionFigures;
use fathom_results::{LatencyColumn, LatencyLine};
use fathom_stats::Histogram;
use std::collections::BTreeMap;

/// Rows of a heat map for each doubling of the latency, at most. The histogram resolves 128; with fewer than 8
/// buckets a row, neighbouring rows would differ only by how the buckets fall.
const ROWS_PER_DOUBLING: f64 = 16.0;

/// The distribution of one span of time.
#[derive(Clone, Debug, Default)]
pub struct LatencySpan {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
    /// The latency of all I/Os that completed in it: response where they had an intended start, else completion
    /// latency, else total latency.
    pub latency: Histogram,
}

/// How many I/Os each range of latency had in each span of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatMap {
    /// Ends of the ranges of latency, ns, ascending: one more than there are ranges.
    pub edges_ns: Vec<u64>,
    /// The spans in order; those without I/O are left out.
    pub columns: Vec<HeatColumn>,
}

/// One span of a heat map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatColumn {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
    /// I/Os in each range of latency, fastest first.
    pub ios: Vec<u64>,
}

impl DirectionFigures<'_> {
    /// Its latency over time, ramp included, in at most `most` spans of equal length. Spans without I/O are left
    /// out. Empty where no distribution was kept.
    pub fn latency_spans(&self, most: usize) -> Vec<LatencySpan> {
        let lines = || self.row().members.iter().map(|member| &member.latency);
        let columns = || lines().flat_map(LatencyLine::columns);
        let ours = |column: &LatencyColumn| self.directions().iter().any(|d| !column.latency[*d].is_empty());
        let starts = || columns().filter(ours).map(|column| column.start_ns);
        let Some((first_ns, last_ns)) = starts().min().zip(starts().max()) else {
            return Vec::new();
        };
        let step_ns = lines().map(LatencyLine::step_ns).max().unwrap_or(1);
        let reach = (last_ns - first_ns) / step_ns + 1;
        let length_ns = step_ns * reach.div_ceil(most.max(1) as u64);
        let mut spans: BTreeMap<u64, Histogram> = BTreeMap::new();
        for column in columns().filter(ours) {
            // Clones begin some milliseconds apart; the half puts their first seconds into one span.
            let place = (column.start_ns - first_ns + step_ns.min(column.length_ns) / 2) / length_ns;
            let span = spans.entry(place).or_default();
            self.directions().iter().for_each(|d| span.merge(&column.latency[*d]));
        }
        let span =
            |(place, latency)| LatencySpan { start_ns: first_ns + place * length_ns, length_ns, latency };
        spans.into_iter().map(span).collect()
    }

    /// The same without the ramp: the spans of which at least half lies in the measured window.
    pub fn latency_spans_measured(&self, most: usize) -> Vec<LatencySpan> {
        let from_ns = self.row().measured_from_ns().unwrap_or(0);
        let measured = from_ns..=from_ns + self.row().runtime_ns();
        let mut spans = self.latency_spans(most);
        spans.retain(|span| measured.contains(&(span.start_ns + span.length_ns / 2)));
        spans
    }
}

impl HeatMap {
    /// Counts the I/Os of some spans in at most `most` ranges of latency between `low_ns` and `high_ns`. The
    /// ranges are equal on a logarithmic scale, and I/Os beyond them count in the first or the last one.
    pub fn of(spans: &[LatencySpan], (low_ns, high_ns): (f64, f64), most: usize) -> Self {
        let (low_ns, high_ns) = (low_ns.max(1.0), high_ns.max(low_ns * 1.01).max(2.0));
        let doublings = (high_ns / low_ns).log2();
        let rows = ((doublings * ROWS_PER_DOUBLING) as usize).clamp(1, most.max(1));
        let edge = |row: usize| (low_ns * (high_ns / low_ns).powf(row as f64 / rows as f64)).round() as u64;
        let edges_ns: Vec<u64> = (0..=rows).map(edge).collect();
        let columns = spans.iter().map(|span| span.counted(&edges_ns)).collect();
        HeatMap { edges_ns, columns }
    }

    /// The most I/Os of one range in one span.
    pub fn ios_max(&self) -> u64 {
        self.columns.iter().flat_map(|column| &column.ios).copied().max().unwrap_or(0)
    }
}

impl LatencySpan {
    fn counted(&self, edges_ns: &[u64]) -> HeatColumn {
        let rows = edges_ns.len() - 1;
        let mut ios = vec![0; rows];
        for bucket in self.latency.buckets() {
            let middle_ns = bucket.low_ns.midpoint(bucket.high_ns);
            let row = edges_ns.partition_point(|edge| *edge <= middle_ns).saturating_sub(1).min(rows - 1);
            ios[row] += bucket.count;
        }
        HeatColumn { start_ns: self.start_ns, length_ns: self.length_ns, ios }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::jobs;
    use fathom_job::direction::Direction;
    use fathom_results::RunResult;

    const SECOND: u64 = 1_000_000_000;
    const TWO: &str = "numjobs=2 rw=randread bs=4k ioengine=io_uring direct=1 iodepth=4 filename=/data/f";

    /// Two clones: for ten seconds 1,000 reads a second of 100 µs each, then one second of 2 ms.
    fn run() -> RunResult {
        let (fast, slow) =
            (DirectionLoad::reads(1_000, 4096, 100_000), DirectionLoad::reads(50, 4096, 2_000_000));
        RunBuilder::of(TWO).all(10, fast).all(1, slow).run()
    }

    #[test]
    fn clones_share_their_spans_and_no_io_is_lost() {
        let run = run();
        let row = &jobs(&run)[0];
        let spans = row.flow(Direction::Read).latency_spans(120);
        assert_eq!(spans.len(), 11);
        assert!(spans.iter().all(|span| span.length_ns == SECOND));
        let total: u64 = spans.iter().map(|span| span.latency.count()).sum();
        assert_eq!((total, spans[3].latency.count(), spans[10].latency.count()), (row.ios(), 2_000, 100));
        assert_eq!(spans[10].latency.min(), Some(2_000_000));
        assert!(row.flow(Direction::Write).latency_spans(120).is_empty());
    }

    #[test]
    fn fewer_spans_are_longer_and_keep_every_outlier() {
        let run = run();
        let spans = jobs(&run)[0].mixed().latency_spans(4);
        assert_eq!(spans.iter().map(|span| span.length_ns / SECOND).collect::<Vec<_>>(), [3, 3, 3, 3]);
        assert_eq!(spans[3].latency.count(), 2_100);
        assert_eq!(spans[3].latency.max(), Some(2_000_000));
    }

    #[test]
    fn a_heat_map_counts_every_io_once() {
        let run = run();
        let spans = jobs(&run)[0].mixed().latency_spans(120);
        let map = HeatMap::of(&spans, (50_000.0, 5_000_000.0), 60);
        assert_eq!((map.edges_ns.len(), map.columns.len()), (61, 11));
        assert_eq!((map.edges_ns[0], map.edges_ns[60]), (50_000, 5_000_000));
        let sum = |column: &HeatColumn| column.ios.iter().sum::<u64>();
        assert_eq!((sum(&map.columns[0]), sum(&map.columns[10])), (2_000, 100));
        let row = map.columns[10].ios.iter().position(|ios| *ios > 0).unwrap();
        assert!((map.edges_ns[row]..map.edges_ns[row + 1]).contains(&2_000_000));
        assert_eq!(map.ios_max(), 2_000);
        // What lies beyond the edges is not lost.
        let narrow = HeatMap::of(&spans, (200_000.0, 400_000.0), 60);
        assert_eq!(
            (narrow.edges_ns.len(), sum(&narrow.columns[0]), sum(&narrow.columns[10])),
            (17, 2_000, 100)
        );
    }
}
