//! One percentile, as exactly as it is known.
//!
//! The histogram resolves latencies up to its ceiling. What lies beyond is only counted, so a rank
//! that falls there is known to be at least the ceiling and at most the exact maximum; the
//! maximum in its place could give half of the I/Os the latency of the slowest one.

use fathom_results::Latency;
use fathom_stats::{CEILING_NS, Histogram, quantile_rank};

/// A percentile with fewer values beyond it than this is hardly more than a
/// few single events: its relative error is above a third.
pub const TAIL_MIN: f64 = 10.0;

/// What is known of a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Percentile {
    /// ns, within the histogram's 0.4 % and between its exact extremes.
    At(u64),
    /// At least the histogram's ceiling.
    BeyondCeiling,
}

impl Percentile {
    /// The percentile at `percent`; `None` for an empty histogram.
    pub fn of(histogram: &Histogram, percent: f64) -> Option<Self> {
        let (q, n) = (percent / 100.0, histogram.count());
        let ns = histogram.quantile(q)?;
        let rank = quantile_rank(q, n)?;
        let is_resolved = ns < CEILING_NS || rank == 1 || rank == n;
        Some(if is_resolved { Percentile::At(ns) } else { Percentile::BeyondCeiling })
    }

    /// A percentile of a latency for those who read it; `None` where no distribution was kept, and of fewer than
    /// [`RATE_IOS_MIN`](fathom_results::RATE_IOS_MIN) I/Os, of which only the slowest (100 %) is told.
    pub fn of_latency(latency: &Latency, percent: f64) -> Option<Self> {
        let is_told = percent >= 100.0 || !latency.has_too_few();
        Self::of(latency.histogram.as_ref().filter(|_| is_told)?, percent)
    }
}

/// Are there too few values beyond this percentile (in percent)?
pub fn is_thin(n: u64, percent: f64) -> bool {
    // One part in 10^9 of slack: 99.9 of 10,000 leaves 10 values, not 9.9999….
    n as f64 * (1.0 - percent / 100.0) < TAIL_MIN * (1.0 - 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An hour, beyond the ceiling.
    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn beyond_the_ceiling_only_the_extremes_are_known() {
        let mut histogram = Histogram::new();
        histogram.record_n(1_000_000_000, 40);
        histogram.record_n(CEILING_NS + 1, 50);
        histogram.record_n(HOUR, 10);
        let told = [25.0, 50.0, 99.0, 99.9, 100.0].map(|p| Percentile::of(&histogram, p));
        let (ceiling, hour) = (Some(Percentile::BeyondCeiling), Some(Percentile::At(HOUR)));
        assert_eq!(told[1..], [ceiling, ceiling, hour, hour], "ranks 50, 99, 100, 100");
        assert!(matches!(told[0], Some(Percentile::At(ns)) if ns.abs_diff(1_000_000_000) < 4_000_000));
    }

    #[test]
    fn a_lone_outlier_is_exact() {
        let mut histogram = Histogram::new();
        histogram.record(HOUR);
        assert_eq!(Percentile::of(&histogram, 50.0), Some(Percentile::At(HOUR)));
        assert_eq!(Percentile::of(&Histogram::new(), 50.0), None);
    }

    #[test]
    fn ten_values_must_lie_beyond() {
        assert!(!is_thin(10_000, 99.9));
        assert!(is_thin(9_999, 99.9));
        assert!(!is_thin(20, 50.0));
    }
}
