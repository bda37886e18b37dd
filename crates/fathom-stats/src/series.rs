//! A regular time series: one value per window of equal length.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::estimate::{mean, median, sample_variance};

/// Values at regular intervals, such as IOPS of each second.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Series {
    /// Start of the first window, in nanoseconds on the clock of the run.
    pub start_ns: u64,
    /// Length of a window, in nanoseconds.
    pub step_ns: u64,
    /// One value per window.
    pub values: Vec<f64>,
}

/// Consecutive windows in which next to nothing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// Index of its first window.
    pub first: usize,
    /// How many windows it lasted.
    pub windows: usize,
    /// When it began, in nanoseconds on the clock of the run.
    pub start_ns: u64,
    /// How long it lasted, in nanoseconds.
    pub duration_ns: u64,
}

/// A straight line through a series; x is the index of the window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Height at the first window, in the unit of the series.
    pub intercept: f64,
    /// Rise per window, in the unit of the series.
    pub slope: f64,
}

impl Line {
    /// Height of the line at window `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

impl Series {
    /// Arithmetic mean; `None` when empty.
    pub fn mean(&self) -> Option<f64> {
        (!self.values.is_empty()).then(|| mean(&self.values))
    }

    /// Median; `None` when empty.
    pub fn median(&self) -> Option<f64> {
        median(&mut self.values.clone())
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

    /// The part of the series with these indices, as far as it exists, at its place in time.
    pub fn window(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.values.len());
        let start = range.start.min(end);
        Self {
            start_ns: self.window_start_ns(start),
            step_ns: self.step_ns,
            values: self.values[start..end].to_vec(),
        }
    }

    /// Runs of windows that are zero, or below `threshold` times the median of the series.
    /// A threshold of 0 finds only windows of zero; so does any threshold if the median is 0.
    pub fn stalls(&self, threshold: f64) -> Vec<Stall> {
        let floor = self.median().map_or(0.0, |median| threshold * median);
        let stalled = |v: &f64| *v <= 0.0 || *v < floor;
        let mut first = 0;
        let mut stalls = Vec::new();
        for run in self.values.chunk_by(|a, b| stalled(a) == stalled(b)) {
            if stalled(&run[0]) {
                stalls.push(self.stall(first, run.len()));
            }
            first += run.len();
        }
        stalls
    }

    /// The line of least squares; needs two values.
    pub fn fit(&self) -> Option<Line> {
        let mean_y = self.mean().filter(|_| self.values.len() > 1)?;
        let mean_x = (self.values.len() - 1) as f64 / 2.0;
        let (mut products, mut squares) = (0.0, 0.0);
        for (index, y) in self.values.iter().enumerate() {
            let x = index as f64 - mean_x;
            products += x * (y - mean_y);
            squares += x * x;
        }
        let slope = products / squares;
        Some(Line { intercept: mean_y - slope * mean_x, slope })
    }

    /// Slope of the line of least squares, per second; needs two values and a step.
    pub fn slope_per_second(&self) -> Option<f64> {
        let line = self.fit().filter(|_| self.step_ns > 0)?;
        Some(line.slope * 1e9 / self.step_ns as f64)
    }

    fn stall(&self, first: usize, windows: usize) -> Stall {
        Stall {
            first,
            windows,
            start_ns: self.window_start_ns(first),
            duration_ns: windows as u64 * self.step_ns,
        }
    }

    fn window_start_ns(&self, index: usize) -> u64 {
        self.start_ns + index as u64 * self.step_ns
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
        assert_eq!(series.median(), Some(4.5));
        assert_eq!((series.min(), series.max()), (Some(2.0), Some(9.0)));
        assert_eq!(series.stddev(), Some((32.0_f64 / 7.0).sqrt()));
        let variation = series.coefficient_of_variation().unwrap();
        assert!((variation - 0.4276).abs() < 1e-4);
    }

    #[test]
    fn line_of_least_squares() {
        // Textbook: y = 1, 3, 2, 5 over 0..3 has slope 1.1 and intercept 1.1.
        let mut series = seconds(&[1.0, 3.0, 2.0, 5.0]);
        let line = series.fit().unwrap();
        assert!((line.slope - 1.1).abs() < 1e-12 && (line.intercept - 1.1).abs() < 1e-12);
        assert!((line.at(3.0) - 4.4).abs() < 1e-12);
        series.step_ns = 500_000_000;
        assert!((series.slope_per_second().unwrap() - 2.2).abs() < 1e-12);
    }

    #[test]
    fn stalls_have_place_and_length() {
        let series = seconds(&[0.0, 100.0, 0.0, 0.0, 98.0, 4.0, 102.0, 99.0, 101.0, 0.0]);
        let found = |threshold| {
            let stalls = series.stalls(threshold);
            stalls.iter().map(|s| (s.first, s.windows)).collect::<Vec<_>>()
        };
        assert_eq!(found(0.0), [(0, 1), (2, 2), (9, 1)]);
        assert_eq!(found(0.1), [(0, 1), (2, 2), (5, 1), (9, 1)]);
        let second = series.stalls(0.0)[1];
        assert_eq!(second.start_ns, 7_000_000_000);
        assert_eq!(second.duration_ns, 2_000_000_000);
    }

    #[test]
    fn a_dead_series_is_one_stall() {
        assert_eq!(seconds(&[0.0; 7]).stalls(0.5)[0].windows, 7);
        assert_eq!(seconds(&[0.0; 7]).coefficient_of_variation(), None);
        assert!(seconds(&[5.0; 7]).stalls(0.5).is_empty());
    }

    #[test]
    fn window_keeps_its_place_in_time() {
        let part = seconds(&[1.0, 2.0, 3.0, 4.0]).window(1..3);
        assert_eq!((part.start_ns, part.values), (6_000_000_000, vec![2.0, 3.0]));
        assert!(seconds(&[1.0]).window(4..9).values.is_empty());
    }

    #[test]
    fn nothing_and_one() {
        let empty = seconds(&[]);
        assert_eq!((empty.mean(), empty.min(), empty.median()), (None, None, None));
        assert!(empty.stalls(0.5).is_empty());
        let one = seconds(&[3.0]);
        assert_eq!((one.mean(), one.stddev(), one.fit()), (Some(3.0), None, None));
    }
}
