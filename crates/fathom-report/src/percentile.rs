//! How a percentile is written.

use crate::number::{TimeUnit, significant};
use fathom_figures::Percentile;
use fathom_stats::{CEILING_NS, Histogram};

/// As `write` gives it, or `≥18.3 min` in any unit's column.
pub(crate) fn text(percentile: Percentile, write: impl Fn(f64) -> String) -> String {
    match percentile {
        Percentile::At(ns) => write(ns as f64),
        Percentile::BeyondCeiling => format!("≥{} min", significant(CEILING_NS as f64 / 60e9, 3)),
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

    #[test]
    fn what_lies_beyond_the_ceiling_is_a_bound() {
        let told = [Percentile::At(2_000_000_000), Percentile::BeyondCeiling]
            .map(|percentile| text(percentile, |ns| TimeUnit::S.number(ns, 4)));
        assert_eq!(told, ["2.000", "≥18.3 min"]);
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
