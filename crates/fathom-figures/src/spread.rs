//! How a rate varied from window to window.

use fathom_stats::Series;

/// Extremes, mean and deviation of a rate over whole windows; all 0 without one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSpread {
    /// Slowest window.
    pub min: f64,
    /// Fastest window.
    pub max: f64,
    /// Mean of the windows.
    pub mean: f64,
    /// Standard deviation as of a sample (n − 1), as fio reports it.
    pub stddev: f64,
    /// Number of windows.
    pub samples: u64,
}

impl RateSpread {
    /// The spread of these rates. A standstill that is only a part of a window is the slowest.
    pub fn of(rates: &Series, has_standstill: bool) -> Self {
        let (Some(min), Some(max), Some(mean)) = (rates.min(), rates.max(), rates.mean()) else {
            return RateSpread::default();
        };
        let min = if has_standstill { 0.0 } else { min };
        let samples = rates.values.len() as u64;
        RateSpread { min, max, mean, stddev: rates.stddev().unwrap_or(0.0), samples }
    }

    /// Standard deviation as a share of the mean; `None` with fewer than two windows, or at a
    /// standstill.
    pub fn variation(&self) -> Option<f64> {
        (self.samples > 1 && self.mean != 0.0).then(|| self.stddev / self.mean)
    }

    /// The same in another unit.
    pub fn scaled(self, factor: f64) -> Self {
        RateSpread {
            min: self.min * factor,
            max: self.max * factor,
            mean: self.mean * factor,
            stddev: self.stddev * factor,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(rates: &[f64]) -> RateSpread {
        RateSpread::of(&Series { values: rates.to_vec(), ..Series::default() }, false)
    }

    #[test]
    fn worked_example_and_the_empty_case() {
        let told = spread(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((told.min, told.max, told.mean, told.samples), (2.0, 9.0, 5.0, 8));
        assert!((told.stddev - 2.138).abs() < 1e-3);
        assert_eq!(spread(&[]), RateSpread::default());
        assert_eq!(spread(&[3.0]).stddev, 0.0);
    }
}
