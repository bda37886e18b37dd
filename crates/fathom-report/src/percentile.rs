//! One percentile, as exactly as it is known.
//!
//! The histogram resolves latencies up to its ceiling. What lies beyond is only counted, so a rank
//! that falls there is known to be at least the ceiling and at most the exact maximum; printing the
//! maximum for it could give half of the I/Os the latency of the slowest one.

use crate::number::{TimeUnit, significant};
use fathom_stats::{CEILING_NS, Histogram, quantile_rank};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Percentile {
    /// ns, within the histogram's 0.4 % and between its exact extremes.
    At(u64),
    /// At least the histogram's ceiling.
    BeyondCeiling,
}

impl Percentile {
    /// The percentile at `percent`; `None` for an empty histogram.
    pub(crate) fn of(histogram: &Histogram, percent: f64) -> Option<Self> {
        let (q, n) = (percent / 100.0, histogram.count());
        let ns = histogram.quantile(q)?;
        let rank = quantile_rank(q, n)?;
        let is_resolved = ns < CEILING_NS || rank == 1 || rank == n;
        Some(if is_resolved { Percentile::At(ns) } else { Percentile::BeyondCeiling })
    }

    /// As `write` gives it, or `≥18.3 min` in any unit's column.
    pub(crate) fn text(self, write: impl Fn(f64) -> String) -> String {
        match self {
            Percentile::At(ns) => write(ns as f64),
            Percentile::BeyondCeiling => format!("≥{} min", significant(CEILING_NS as f64 / 60e9, 3)),
        }
    }
}

/// `116.2 to 117.4`, in which the true percentile lies with 95 % confidence
/// if I/Os are taken as independent; `None` where the sample is too small.
pub(crate) fn interval(histogram: &Histogram, percent: f64, unit: TimeUnit) -> Option<String> {
    let (low, high) = histogram.quantile_interval(percent / 100.0, 0.95)?;
    Some(format!("{} to {}", unit.number(low as f64, 4), unit.number(high as f64, 4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An hour, beyond the ceiling.
    const HOUR: u64 = 3_600_000_000_000;

    fn text(histogram: &Histogram, percent: f64) -> String {
        Percentile::of(histogram, percent).unwrap().text(|ns| TimeUnit::S.number(ns, 4))
    }

    #[test]
    fn beyond_the_ceiling_only_the_extremes_are_known() {
        let mut histogram = Histogram::new();
        histogram.record_n(1_000_000_000, 40);
        histogram.record_n(CEILING_NS + 1, 50);
        histogram.record_n(HOUR, 10);
        let told = [25.0, 50.0, 99.0, 99.9, 100.0].map(|p| text(&histogram, p));
        assert_eq!(told, ["1.000", "≥18.3 min", "≥18.3 min", "3600", "3600"], "ranks 25, 50, 99, 100, 100");
    }

    #[test]
    fn a_lone_outlier_is_exact() {
        let mut histogram = Histogram::new();
        histogram.record(HOUR);
        assert_eq!(text(&histogram, 50.0), "3600");
        assert_eq!(Percentile::of(&Histogram::new(), 50.0), None);
    }

    #[test]
    fn an_interval_holds_the_percentile() {
        let mut histogram = Histogram::new();
        (1..=1000).for_each(|us| histogram.record(us * 1000));
        // Ranks 500 ± 1.96 √250: 469 and 532, each the outer edge of its bucket.
        let told = interval(&histogram, 50.0, TimeUnit::Us).unwrap();
        let ends: Vec<f64> = told.split(" to ").map(|end| end.parse().unwrap()).collect();
        assert!((467.0..=469.0).contains(&ends[0]) && (532.0..=534.5).contains(&ends[1]), "{told}");
        assert_eq!(interval(&histogram, 99.999, TimeUnit::Us), None, "too few I/Os beyond");
    }
}
