//! The time line of one clone, in memory that does not grow with the run.
//!
//! There is one point per window, as in the spool, up to a number of points that is
//! enough for three days of a single clone. After that, neighbours are merged two by
//! two, and later points cover as many windows. Counts are added. Standstills stay
//! visible, because windows without I/O are merged only with each other.

use crate::phase::Phase;
use crate::window::Window;
use fathom_job::direction::PerDirection;

/// The most points of all clones of a run together: some 40 MB.
const POINTS_MAX: usize = 1 << 18;

/// Each clone may have so many points, however many clones there are: an hour of seconds.
const POINTS_MIN: usize = 1 << 12;

/// One window of the series, or several that were merged.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesPoint {
    /// Ramp or measure.
    pub phase: Phase,
    /// Start, ns since the start of the run.
    pub start_ns: u64,
    /// End, ns since the start of the run.
    pub end_ns: u64,
    /// How many windows it covers: 1, except in very long runs.
    pub windows: u32,
    /// I/Os completed.
    pub ios: PerDirection<u64>,
    /// Bytes moved.
    pub bytes: PerDirection<u64>,
    /// Mean total latency, ns; 0 without I/O.
    pub latency_ns_mean: PerDirection<f64>,
    /// 99th percentile of latency, ns, where a distribution was kept; for merged
    /// windows the largest.
    pub latency_ns_p99: PerDirection<Option<u64>>,
}

/// Merges points so that a series stays short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thinning {
    points_max: usize,
    /// The most windows that a point covers.
    stride: u32,
    /// Windows with and without I/O are merged too, because they alternate.
    mixes: bool,
}

impl SeriesPoint {
    pub(crate) fn of(window: &Window) -> Self {
        let find = |d| window.directions.iter().find(|(x, _)| *x == d).map(|(_, w)| w);
        let distribution = |d| {
            let w = find(d)?;
            let sparse = w.completion.histogram.as_ref().or(w.total.histogram.as_ref())?;
            sparse.quantile(0.99)
        };
        SeriesPoint {
            phase: window.phase,
            start_ns: window.start_ns,
            end_ns: window.end_ns,
            windows: 1,
            ios: PerDirection::from_fn(|d| find(d).map_or(0, |w| w.ios)),
            bytes: PerDirection::from_fn(|d| find(d).map_or(0, |w| w.bytes)),
            latency_ns_mean: PerDirection::from_fn(|d| {
                find(d).map_or(0.0, |w| w.total.moments.mean().unwrap_or(0.0))
            }),
            latency_ns_p99: PerDirection::from_fn(distribution),
        }
    }

    fn is_empty(&self) -> bool {
        self.ios.iter().all(|(_, ios)| *ios == 0)
    }

    /// Adds the point that follows.
    fn merge(&mut self, next: &SeriesPoint) {
        self.latency_ns_mean = PerDirection::from_fn(|d| {
            let (mine, theirs) = (self.ios[d] as f64, next.ios[d] as f64);
            let sum = self.latency_ns_mean[d] * mine + next.latency_ns_mean[d] * theirs;
            if mine + theirs > 0.0 { sum / (mine + theirs) } else { 0.0 }
        });
        self.latency_ns_p99 = PerDirection::from_fn(|d| self.latency_ns_p99[d].max(next.latency_ns_p99[d]));
        self.ios = PerDirection::from_fn(|d| self.ios[d].saturating_add(next.ios[d]));
        self.bytes = PerDirection::from_fn(|d| self.bytes[d].saturating_add(next.bytes[d]));
        self.windows += next.windows;
        self.end_ns = next.end_ns;
    }
}

impl Thinning {
    pub(crate) fn among(clones: usize) -> Thinning {
        Thinning { points_max: (POINTS_MAX / clones.max(1)).max(POINTS_MIN), stride: 1, mixes: false }
    }

    pub(crate) fn push(&mut self, series: &mut Vec<SeriesPoint>, point: SeriesPoint) {
        self.append(series, point);
        while series.len() > self.points_max {
            self.stride *= 2;
            let before = series.len();
            for point in std::mem::take(series) {
                self.append(series, point);
            }
            self.mixes |= series.len() > before / 4 * 3;
        }
    }

    fn append(&self, series: &mut Vec<SeriesPoint>, point: SeriesPoint) {
        match series.last_mut() {
            Some(last) if self.are_one(last, &point) => last.merge(&point),
            _ => series.push(point),
        }
    }

    fn are_one(&self, last: &SeriesPoint, next: &SeriesPoint) -> bool {
        last.phase == next.phase
            && last.windows + next.windows <= self.stride
            && (self.mixes || last.is_empty() == next.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(second: u64, ios: u64) -> SeriesPoint {
        SeriesPoint {
            phase: if second == 0 { Phase::Ramp } else { Phase::Measure },
            start_ns: second,
            end_ns: second + 1,
            windows: 1,
            ios: PerDirection { read: ios, ..PerDirection::default() },
            bytes: PerDirection { read: ios * 512, ..PerDirection::default() },
            latency_ns_mean: PerDirection { read: ios as f64, ..PerDirection::default() },
            latency_ns_p99: PerDirection { read: Some(ios), ..PerDirection::default() },
        }
    }

    fn series(points_max: usize, ios: impl IntoIterator<Item = u64>) -> Vec<SeriesPoint> {
        let (mut series, mut thin) = (Vec::new(), Thinning { points_max, stride: 1, mixes: false });
        ios.into_iter().zip(0..).for_each(|(ios, second)| thin.push(&mut series, point(second, ios)));
        series
    }

    #[test]
    fn a_long_series_stays_short_and_loses_no_io() {
        let long = series(16, (0..10_000).map(|n| n % 7 + 1));
        assert!((8..=16).contains(&long.len()), "{}", long.len());
        let ios: u64 = long.iter().map(|p| p.ios.read).sum();
        assert_eq!(ios, (0..10_000).map(|n| n % 7 + 1).sum::<u64>());
        assert!(long.windows(2).all(|two| two[0].end_ns == two[1].start_ns));
        assert_eq!((long[0].phase, long[0].windows), (Phase::Ramp, 1), "phases are not mixed");
        assert_eq!(long[1].latency_ns_p99.read, Some(7));
        // A weighted mean: Σn²/Σn of 1…7 is 5.
        assert!((long[2].latency_ns_mean.read - 5.0).abs() < 0.1, "{:?}", long[2]);
    }

    #[test]
    fn a_short_one_stays_as_it_is() {
        let short = series(16, 1..=16);
        assert_eq!(short.len(), 16);
        assert!(short.iter().all(|p| p.windows == 1));
    }

    #[test]
    fn a_standstill_stays_visible() {
        let stalled = series(16, (0..200).map(|n| if (100..103).contains(&n) { 0 } else { 5 }));
        let empty: Vec<&SeriesPoint> = stalled.iter().filter(|p| p.ios.read == 0).collect();
        assert_eq!(empty.iter().map(|p| p.windows).sum::<u32>(), 3);
    }

    #[test]
    fn what_alternates_is_short_too() {
        assert!(series(16, (0..1000).map(|n| n % 2)).len() <= 16);
    }
}
