//! A regular time series: one value per window of equal length.

use crate::estimate::{mean, sample_variance};

/// Values at regular intervals, such as IOPS of each second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Start of the first window, in nanoseconds on the clock of the run.
    pub start_ns: u64,
    /// Length of a window, in nanoseconds.
    pub step_ns: u64,
    /// One value per window.
    pub values: Vec<f64>,
}

impl Series {
    /// Arithmetic mean; `None` when empty.
    pub fn mean(&self) -> Option<f64> {
        (!self.values.is_empty()).then(|| mean(&self.values))
    }

    /// Smallest value; `None` when empty.
    pub fn min(&self) -> Option<f64> {
        self.values.iter().copied().reduce(f64::min)
    }

    /// Largest value; `None` when empty.
    pub fn max(&self) -> Option<f64> {
        self.values.iter().copied().reduce(f64::max)
    }

    /// Standard deviation as estimated from a sample (n − 1); needs two values.
    pub fn stddev(&self) -> Option<f64> {
        (self.values.len() > 1).then(|| sample_variance(&self.values).sqrt())
    }

    /// Standard deviation as a share of the mean; needs two values and a mean other than zero.
    pub fn coefficient_of_variation(&self) -> Option<f64> {
        let mean = self.mean().filter(|mean| *mean != 0.0)?;
        Some(self.stddev()? / mean.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(values: &[f64]) -> Series {
        Series { start_ns: 5_000_000_000, step_ns: 1_000_000_000, values: values.to_vec() }
    }

    #[test]
    fn worked_example() {
        let series = seconds(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(series.mean(), Some(5.0));
        assert_eq!((series.min(), series.max()), (Some(2.0), Some(9.0)));
        assert_eq!(series.stddev(), Some((32.0_f64 / 7.0).sqrt()));
        let variation = series.coefficient_of_variation().unwrap();
        assert!((variation - 0.4276).abs() < 1e-4);
    }

    #[test]
    fn nothing_and_one() {
        let empty = seconds(&[]);
        assert_eq!((empty.mean(), empty.min()), (None, None));
        let one = seconds(&[3.0]);
        assert_eq!((one.mean(), one.stddev()), (Some(3.0), None));
        assert_eq!(seconds(&[0.0; 7]).coefficient_of_variation(), None);
    }
}
