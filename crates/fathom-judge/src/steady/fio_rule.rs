//! fio's rule of steady state: the values of a window lie close to their mean, or on a line that is nearly flat.
//!
//! The figures are fio's to the digit (`tests/steady_of_fio` has the series and verdicts of fio 3.33): values are whole
//! numbers, and a slope in percent refers to the mean rounded down, while a deviation refers to the exact mean. One
//! thing differs: a window in which nothing was done has a deviation of 0, and is not steady here.

use super::seconds::Second;
use super::stop_rule::StopRule;
use fathom_job::steady::{SteadyFigure, SteadyLimit, SteadyState, SteadyTest};
use fathom_results::{SteadyWindow, StopRecord};
use std::collections::VecDeque;

/// The rule with the values that it has seen.
#[derive(Debug)]
pub struct FioRule {
    asked: SteadyState,
    /// The value that is being put together, and how many seconds are in it.
    open: Second,
    open_s: u64,
    /// The last values, at most as many as a window has.
    values: VecDeque<[u64; 3]>,
}

impl FioRule {
    /// The rule that a job asks for.
    pub fn of(asked: SteadyState) -> FioRule {
        FioRule { asked, open: Second::default(), open_s: 0, values: VecDeque::new() }
    }

    /// The values of a figure.
    fn values_of(&self, figure: SteadyFigure) -> Vec<u64> {
        self.values.iter().map(|value| value[figure as usize]).collect()
    }

    /// What is compared with the limit, and the same in the figure's unit; `None` while the window is not full,
    /// and if its mean is 0.
    fn criterion(&self) -> Option<(f64, f64)> {
        if self.values.len() < self.asked.values() {
            return None;
        }
        let values = self.values_of(self.asked.terms.figure);
        let measured = match self.asked.terms.test {
            SteadyTest::Deviation => deviation(&values),
            SteadyTest::Slope => slope(&values),
        };
        let mean = match self.asked.terms.test {
            SteadyTest::Deviation => mean(&values),
            SteadyTest::Slope => SteadyWindow::mean_of(&values) as f64,
        };
        let criterion = match self.asked.terms.limit {
            SteadyLimit::Percent(_) => 100.0 * measured / mean,
            SteadyLimit::Absolute(_) => measured,
        };
        (mean > 0.0).then_some((criterion, measured))
    }

    fn limit(&self) -> f64 {
        let (SteadyLimit::Percent(limit) | SteadyLimit::Absolute(limit)) = self.asked.terms.limit;
        limit
    }
}

impl StopRule for FioRule {
    fn text(&self) -> String {
        self.asked.terms.to_string()
    }

    fn take(&mut self, second: &Second) -> bool {
        if second.number < self.asked.ramp_s {
            return false;
        }
        let open = &mut self.open;
        open.iops += second.iops;
        open.bw_bytes += second.bw_bytes;
        open.latencies += second.latencies;
        open.latency_sum_ns += second.latency_sum_ns;
        self.open_s += 1;
        if self.open_s < self.asked.interval_s {
            return false;
        }
        let latency = open.latency_sum_ns.checked_div(open.latencies.into()).unwrap_or(0) as u64;
        if self.values.len() == self.asked.values() {
            self.values.pop_front();
        }
        self.values.push_back([open.iops / self.open_s, open.bw_bytes / self.open_s, latency]);
        (self.open, self.open_s) = (Second::default(), 0);
        self.criterion().is_some_and(|(criterion, _)| criterion.abs() < self.limit())
    }

    fn found(&self, record: &mut StopRecord) {
        let SteadyState { terms, window_s, interval_s, .. } = self.asked;
        let criterion = self.criterion();
        record.steady = Some(SteadyWindow {
            figure: terms.figure,
            is_slope: terms.test == SteadyTest::Slope,
            limit: self.limit(),
            is_percent: matches!(terms.limit, SteadyLimit::Percent(_)),
            window_s,
            interval_s,
            criterion: criterion.map(|(criterion, _)| criterion),
            measured: criterion.map(|(_, measured)| measured),
            iops: self.values_of(SteadyFigure::Iops),
            bw_bytes: self.values_of(SteadyFigure::Bw),
            lat_ns: self.values_of(SteadyFigure::Lat),
        });
    }
}

fn sum(values: &[u64]) -> i128 {
    values.iter().map(|value| i128::from(*value)).sum()
}

fn mean(values: &[u64]) -> f64 {
    sum(values) as f64 / values.len() as f64
}

/// The largest distance of a value from the mean.
fn deviation(values: &[u64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (*value as f64 - mean).abs()).fold(0.0, f64::max)
}

/// Slope of the least-squares line, from one value to the next. The sums are exact.
fn slope(values: &[u64]) -> f64 {
    let n = values.len() as i128;
    let xy: i128 = values.iter().zip(0..).map(|(value, x)| x * i128::from(*value)).sum();
    let (x, xx) = (n * (n - 1) / 2, (n - 1) * n * (2 * n - 1) / 6);
    (n * xy - x * sum(values)) as f64 / (n * xx - x * x) as f64
}
