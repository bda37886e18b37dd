//! How the latency of one clone was distributed over time, in memory that does not grow with the run.
//!
//! There is one column per second, up to a number of columns that is finer than a chart can show. After
//! that, neighbours are merged two by two, and later columns cover as many seconds. Distributions
//! are merged and never averaged, so a percentile of a column is that of all its I/Os. Columns that are complete
//! are kept packed.
//!
//! The I/Os of the measured window count in the totals too. Most of the time in which a long run is loaded goes into
//! adding distributions, so each second is added once, to its column, and each column to the totals.

use crate::main_latency::MainLatency;
use crate::phase::Phase;
use crate::totals::JobTotals;
use crate::window::Window;
use fathom_job::direction::{Direction, PerDirection};
use fathom_stats::{Histogram, SparseHistogram};

const SECOND_NS: u64 = 1_000_000_000;

/// The most columns of a clone: twice as many as a chart has.
const COLUMNS_MAX: usize = 240;

/// The fewest columns that each clone may have, however many clones there are.
const COLUMNS_MIN: usize = 32;

/// The most columns of all clones of a run together: some 20 MB, at 700 bytes each.
const COLUMNS_OF_ALL: usize = 1 << 15;

/// The latency of one clone over time, ramp included: response for I/Os with an intended start, else completion latency,
/// else total latency.
#[derive(Clone, Debug)]
pub struct LatencyLine {
    columns_max: usize,
    /// Start of the first window, ns since the start of the run.
    origin_ns: u64,
    /// Seconds that a column covers: a power of two.
    stride: u64,
    done: Vec<Packed>,
    open: Option<Open>,
}

/// The distributions of some seconds.
#[derive(Clone, Debug, Default)]
pub struct LatencyColumn {
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// Length, ns: whole seconds.
    pub length_ns: u64,
    /// The distribution of each direction; empty where it had no I/O, or where no distribution was kept.
    pub latency: PerDirection<Histogram>,
}

/// A complete column; its place counts in strides.
#[derive(Clone, Debug)]
struct Packed {
    place: u64,
    latency: PerDirection<Option<Box<[u8]>>>,
}

/// The column to which windows are added.
#[derive(Clone, Debug)]
struct Open {
    place: u64,
    phase: Phase,
    /// Which latency of each direction is here.
    kinds: PerDirection<Option<MainLatency>>,
    latency: PerDirection<Histogram>,
}

impl LatencyLine {
    pub(crate) fn among(clones: usize) -> Self {
        let columns_max = (COLUMNS_OF_ALL / clones.max(1)).clamp(COLUMNS_MIN, COLUMNS_MAX);
        LatencyLine { columns_max, origin_ns: 0, stride: 1, done: Vec::new(), open: None }
    }

    /// Length of a column, ns: whole seconds, a power of two.
    pub fn step_ns(&self) -> u64 {
        self.stride * SECOND_NS
    }

    /// The columns in order; one without I/O is left out. Where the ramp ends within a column, there are two that
    /// begin at the same time.
    pub fn columns(&self) -> impl Iterator<Item = LatencyColumn> + '_ {
        self.done.iter().map(|column| LatencyColumn {
            start_ns: self.origin_ns + column.place * self.step_ns(),
            length_ns: self.step_ns(),
            latency: column.unpacked(),
        })
    }

    /// Adds a window of ramp or measurement; columns that are complete then count in `totals`.
    pub(crate) fn add(&mut self, window: &Window, totals: &mut JobTotals) {
        let kind =
            |d| window.directions.iter().find(|(at, _)| *at == d).and_then(|(_, one)| MainLatency::of(one));
        let kinds = PerDirection::from_fn(kind);
        if kinds.iter().all(|(_, kind)| kind.is_none()) {
            return;
        }
        if self.open.is_none() {
            self.origin_ns = window.start_ns;
        }
        // Windows begin a second apart; the half absorbs rounding.
        let second = (window.start_ns.saturating_sub(self.origin_ns) + SECOND_NS / 2) / SECOND_NS;
        let open = self.column(second, window.phase, kinds, totals);
        open.kinds = PerDirection::from_fn(|d| open.kinds[d].or(kinds[d]));
        for (direction, counts) in &window.directions {
            if let Some(sparse) = kinds[*direction].and_then(|kind| kind.of_window(counts).histogram.as_ref())
            {
                open.latency[*direction].add_sparse(sparse);
            }
        }
    }

    /// Counts the last column in `totals` too.
    pub(crate) fn finish(&mut self, totals: &mut JobTotals) {
        if let Some(open) = self.open.take() {
            open.count_in(totals);
            self.done.push(packed(open.place, &open.latency));
        }
    }

    /// The column of a second; a second never lies before the column of the one added last.
    fn column(
        &mut self,
        second: u64,
        phase: Phase,
        kinds: PerDirection<Option<MainLatency>>,
        totals: &mut JobTotals,
    ) -> &mut Open {
        let is_past = |open: &mut Open| !open.takes(second / self.stride, phase, kinds);
        if let Some(past) = self.open.take_if(is_past) {
            past.count_in(totals);
            self.done.push(packed(past.place, &past.latency));
        }
        while self.done.len() >= self.columns_max {
            self.halve();
        }
        let place = second / self.stride;
        self.open.get_or_insert_with(|| Open { place, phase, kinds, latency: PerDirection::default() })
    }

    /// Merges neighbours two by two.
    fn halve(&mut self) {
        self.stride *= 2;
        let mut merged: Vec<Packed> = Vec::with_capacity(self.columns_max);
        for mut column in std::mem::take(&mut self.done) {
            column.place /= 2;
            match merged.last_mut().filter(|last| last.place == column.place) {
                Some(last) => last.merge(&column),
                None => merged.push(column),
            }
        }
        self.done = merged;
    }
}

impl Open {
    /// May a window of this second be added to it?
    fn takes(&self, place: u64, phase: Phase, kinds: PerDirection<Option<MainLatency>>) -> bool {
        let same = |d: Direction| kinds[d].is_none() || self.kinds[d].is_none() || kinds[d] == self.kinds[d];
        place <= self.place && phase == self.phase && Direction::ALL.into_iter().all(same)
    }

    fn count_in(&self, totals: &mut JobTotals) {
        if self.phase != Phase::Measure {
            return;
        }
        for (direction, kind) in self.kinds.iter() {
            if let Some(kind) = kind {
                let kept = &mut totals.directions[direction].main_mut(*kind).histogram;
                kept.get_or_insert_with(Histogram::new).merge(&self.latency[direction]);
            }
        }
    }
}

impl Packed {
    fn unpacked(&self) -> PerDirection<Histogram> {
        let mut latency = PerDirection::default();
        self.add_to(&mut latency);
        latency
    }

    fn add_to(&self, latency: &mut PerDirection<Histogram>) {
        let mut sparse = SparseHistogram::default();
        for (direction, bytes) in self.latency.iter() {
            if let Some(bytes) = bytes {
                sparse.unpack(bytes).expect("it was packed here");
                latency[direction].add_sparse(&sparse);
            }
        }
    }

    /// Adds the column that follows.
    fn merge(&mut self, next: &Packed) {
        let mut both = self.unpacked();
        next.add_to(&mut both);
        *self = packed(self.place, &both);
    }
}

fn packed(place: u64, latency: &PerDirection<Histogram>) -> Packed {
    let pack = |direction: Direction| {
        let mut bytes = Vec::new();
        (!latency[direction].is_empty()).then(|| {
            latency[direction].sparse().pack(&mut bytes);
            bytes.into_boxed_slice()
        })
    };
    Packed { place, latency: PerDirection::from_fn(pack) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latency_window::LatencyWindow;
    use crate::window::DirectionWindow;

    fn of_values(values: &[u64]) -> LatencyWindow {
        let mut histogram = Histogram::new();
        values.iter().for_each(|ns| histogram.record(*ns));
        LatencyWindow { moments: *histogram.totals(), histogram: Some(histogram.sparse()) }
    }

    /// A second with two reads: one of 1 µs, and one of as many µs as the second's number.
    fn window(second: u64) -> Window {
        let mut window =
            Window::quiet(0, Phase::Measure, 7 + second * SECOND_NS, 7 + (second + 1) * SECOND_NS);
        let completion = of_values(&[1_000, second * 1_000]);
        window.directions =
            vec![(Direction::Read, DirectionWindow { ios: 2, completion, ..DirectionWindow::default() })];
        window
    }

    fn line(seconds: impl Iterator<Item = u64>) -> LatencyLine {
        let mut line = LatencyLine::among(1);
        let mut totals = JobTotals::default();
        seconds.for_each(|second| line.add(&window(second), &mut totals));
        line.finish(&mut totals);
        line
    }

    #[test]
    fn a_short_run_has_a_column_a_second() {
        let columns: Vec<_> = line(0..COLUMNS_MAX as u64).columns().collect();
        assert_eq!(columns.len(), COLUMNS_MAX);
        let told: Vec<_> = columns.iter().map(|c| (c.start_ns, c.latency.read.count())).collect();
        assert_eq!((told[0], told[239]), ((7, 2), (7 + 239 * SECOND_NS, 2)));
        assert!(columns[3].latency.write.is_empty());
    }

    #[test]
    fn a_long_run_has_few_columns_and_each_the_distribution_of_all_its_ios() {
        let line = line(1..100_000);
        let columns: Vec<_> = line.columns().collect();
        assert_eq!(line.step_ns(), 512 * SECOND_NS);
        assert!((120..=COLUMNS_MAX + 1).contains(&columns.len()), "{}", columns.len());
        let ios: u64 = columns.iter().map(|c| c.latency.read.count()).sum();
        assert_eq!(ios, 2 * 99_999);
        // The column of the seconds 513 to 1024: the maximum is exact, the median is one of the fast ones.
        let second = &columns[1].latency.read;
        let median_ns = second.quantile(0.5).unwrap();
        assert!(second.max() == Some(1_024_000) && median_ns.abs_diff(1_000) < 4, "{median_ns}");
        assert!(columns.is_sorted_by_key(|c| c.start_ns));
        let bytes: usize = line.done.iter().filter_map(|c| c.latency.read.as_ref()).map(|b| b.len()).sum();
        assert!(bytes < COLUMNS_MAX * 1_000, "{bytes}");
    }

    #[test]
    fn seconds_without_io_have_no_column() {
        let line = line([0, 1, 5, 90_000].into_iter());
        let starts: Vec<u64> = line.columns().map(|c| (c.start_ns - 7) / SECOND_NS).collect();
        assert_eq!(starts, [0, 1, 5, 90_000]);
    }

    #[test]
    fn every_measured_io_counts_in_the_totals_and_no_other_does() {
        let mut paced = window(3);
        paced.directions[0].1.response = of_values(&[9_000_000, 8_000_000]);
        let ramp = Window { phase: Phase::Ramp, ..window(0) };
        let mut only_total = window(4);
        only_total.directions[0].1.total = std::mem::take(&mut only_total.directions[0].1.completion);
        let windows = [ramp, window(1), window(2), paced, only_total];
        let (mut whole, mut parts) = (JobTotals::default(), JobTotals::default());
        windows[1..].iter().for_each(|window| whole.add(window));
        let mut line = LatencyLine::among(1);
        for (at, window) in windows.iter().enumerate() {
            if at > 0 {
                parts.add_but_main(window);
            }
            line.add(window, &mut parts);
        }
        line.finish(&mut parts);
        let of = |totals: &JobTotals| {
            let read = &totals.directions.read;
            [&read.total, &read.completion, &read.response].map(|l| (l.moments, l.histogram.clone()))
        };
        assert_eq!(of(&parts), of(&whole));
        let slowest: Vec<_> = line.columns().map(|c| c.latency.read.max()).collect();
        let ns = [1_000, 1_000, 2_000, 9_000_000, 4_000].map(Some);
        assert_eq!(slowest, ns, "a paced I/O counts with its response");
    }

    #[test]
    fn a_thousand_clones_share_the_memory() {
        assert_eq!(LatencyLine::among(1_000).columns_max, 32);
        assert_eq!(LatencyLine::among(8).columns_max, COLUMNS_MAX);
    }
}
