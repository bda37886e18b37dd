//! How a rate varied from window to window.

use crate::number::ratio;

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
    /// The spread of these rates.
    pub fn of(rates: &[f64]) -> Self {
        if rates.is_empty() {
            return RateSpread::default();
        }
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        let squares: f64 = rates.iter().map(|r| (r - mean).powi(2)).sum();
        RateSpread {
            min: rates.iter().copied().fold(f64::INFINITY, f64::min),
            max: rates.iter().copied().fold(0.0, f64::max),
            mean,
            stddev: ratio(squares, n - 1.0).sqrt(),
            samples: rates.len() as u64,
        }
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

    #[test]
    fn worked_example_and_the_empty_case() {
        let spread = RateSpread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((spread.min, spread.max, spread.mean, spread.samples), (2.0, 9.0, 5.0, 8));
        assert!((spread.stddev - 2.138).abs() < 1e-3);
        assert_eq!(RateSpread::of(&[]), RateSpread::default());
        assert_eq!(RateSpread::of(&[3.0]).stddev, 0.0);
    }
}
