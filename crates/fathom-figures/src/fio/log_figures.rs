//! The figures of one direction of a log: what is in a line of a report.
//!
//! How they are computed depends on what a line means.
//!
//! | | each line is an I/O | each line is a window |
//! |---|---|---|
//! | latency | of all I/Os, with percentiles; from histograms within the width of a bucket | of the windows' means, weighted by their length |
//! | bandwidth, IOPS | I/Os and bytes of each second: fio's value is block size ÷ latency of one I/O, and 1 | weighted by length; time without a line counts as 0, because fio writes none when nothing completes |

use super::lines_are::LinesAre;
use super::log_name::FioLogKind;
use super::log_track::LogTrack;
use super::time_bins::SECOND_SHIFT;
use crate::metric::{Metric, Output, percentiles_of};
use fathom_stats::Series;

/// Bytes in a unit of a bandwidth log.
pub(super) const KIB: f64 = 1024.0;

/// The figures of one direction of a log, in the unit of [`FioLogKind::unit`].
#[derive(Clone, Debug, PartialEq)]
pub struct LogFigures {
    /// What its values are.
    pub kind: FioLogKind,
    /// What a line means.
    pub lines_are: LinesAre,
    /// Lines; I/Os where lines are histograms.
    pub n: u64,
    /// Length of the time that is measured, s.
    pub seconds: f64,
    /// Weighted by time, or the mean of all I/Os; of rates of single I/Os, that of the whole seconds, as min and max are. `None`
    /// for a rate without time.
    pub mean: Option<f64>,
    /// Of an I/O, a window, or a second.
    pub min: Option<f64>,
    /// Of an I/O, a window, or a second.
    pub max: Option<f64>,
    /// Standard deviation, weighted as the mean is.
    pub stddev: Option<f64>,
    /// The percentiles of an import, each with its value; only where the log has every I/O.
    pub percentiles: Vec<(&'static Metric, f64)>,
    /// Time for which there is no line, s: nothing completed.
    pub silent_seconds: f64,
}

impl LogFigures {
    /// A percentile; `None` where it is not known.
    pub fn percentile(&self, metric: &Metric) -> Option<f64> {
        self.percentiles.iter().find(|(known, _)| *known == metric).map(|(_, value)| *value)
    }

    /// The maximum as a multiple of the mean (T-26).
    pub fn max_over_mean(&self) -> Option<f64> {
        self.max.zip(self.mean.filter(|mean| *mean > 0.0)).map(|(max, mean)| max / mean)
    }
}

impl LogTrack {
    /// Its figures; `None` without a line.
    pub fn figures(&self) -> Option<LogFigures> {
        self.figures_with(&percentiles_of(Output::Import).collect::<Vec<_>>())
    }

    /// The same, with these percentiles.
    pub fn figures_with(&self, percentiles: &[&'static Metric]) -> Option<LogFigures> {
        let (begin, end) = self.span_ms();
        let nothing = LogFigures {
            kind: self.kind(),
            lines_are: self.lines_are(),
            n: self.lines,
            seconds: (end - begin) / 1e3,
            mean: None,
            min: None,
            max: None,
            stddev: None,
            percentiles: Vec::new(),
            silent_seconds: self.silent_ms / 1e3,
        };
        match (self.lines > 0, self.lines_are()) {
            (false, _) => None,
            (_, LinesAre::EachIo) if self.kind().is_latency() => {
                Some(self.of_latencies(nothing, percentiles))
            }
            (_, LinesAre::Histograms { .. }) => Some(self.of_latencies(nothing, percentiles)),
            (_, LinesAre::EachIo) => Some(self.of_seconds(nothing)),
            (_, LinesAre::Windows { .. }) => Some(self.of_windows(nothing)),
        }
    }

    fn of_latencies(&self, rest: LogFigures, percentiles: &[&'static Metric]) -> LogFigures {
        let (histogram, totals) = (&self.histogram, self.histogram.totals());
        let at = |metric: &&'static Metric| {
            Some((*metric, histogram.quantile(metric.percentile()? / 100.0)? as f64))
        };
        LogFigures {
            mean: totals.mean(),
            min: totals.min().map(|ns| ns as f64),
            max: totals.max().map(|ns| ns as f64),
            stddev: totals.stddev(),
            percentiles: percentiles.iter().filter_map(at).collect(),
            ..rest
        }
    }

    /// Rates of whole seconds; the mean is that of the same seconds, so a last one that is cut counts in none of them.
    fn of_seconds(&self, rest: LogFigures) -> LogFigures {
        let steps = self.whole_steps(self.bins().shift().max(SECOND_SHIFT));
        let covered: f64 = steps.iter().map(|step| step.covered).sum();
        let amount: f64 = steps.iter().map(|step| step.point.value * step.covered).sum();
        let values = steps.iter().map(|step| step.point.value).collect();
        let seconds = Series { start_ns: 0, step_ns: 0, values };
        // A log whose I/Os all have one time has no rate.
        let mean = (covered > 0.0).then(|| amount / covered);
        LogFigures { mean, min: seconds.min(), max: seconds.max(), stddev: seconds.stddev(), ..rest }
    }

    fn of_windows(&self, rest: LogFigures) -> LogFigures {
        // A stall is time with the rate 0, but it is no latency of any I/O.
        let silent_ms = if self.kind().is_latency() { 0.0 } else { self.silent_ms };
        let weight = self.weight + silent_ms;
        if weight <= 0.0 {
            return rest;
        }
        let mean = self.sum / weight;
        let min = if silent_ms > 0.0 { 0.0 } else { self.min as f64 };
        LogFigures {
            mean: Some(self.scaled(mean)),
            min: Some(self.scaled(min)),
            max: Some(self.scaled(self.max as f64)),
            stddev: self.deviation(mean, weight, silent_ms).map(|sd| self.scaled(sd)),
            ..rest
        }
    }

    /// The standard deviation of windows: the sum of weighted squares ÷ (W − ΣW² ÷ W), which for n windows of one length is the
    /// usual division by n − 1. `None` for one window.
    fn deviation(&self, mean: f64, weight: f64, silent_ms: f64) -> Option<f64> {
        // Silence counts as windows of the usual length.
        let length_ms = match self.lines_are() {
            LinesAre::Windows { length_ms } => length_ms as f64,
            LinesAre::EachIo | LinesAre::Histograms { .. } => 0.0,
        };
        let squares = self.weight_squares + silent_ms * length_ms.min(silent_ms);
        let free = weight - squares / weight;
        let is_several = self.lines > 1 || silent_ms > 0.0;
        let sum = (self.sum_squares - mean * mean * weight).max(0.0);
        (is_several && free > 0.0).then(|| (sum / free).sqrt())
    }

    /// A value of the log in the unit of the figures.
    pub(super) fn scaled(&self, value: f64) -> f64 {
        if self.kind() == FioLogKind::Bandwidth { value * KIB } else { value }
    }
}

#[cfg(test)]
mod tests {
    use crate::fio::{FioLogKind, LinesAre, LogFigures, LogReader, LogTerms};
    use crate::metric::of_id;
    use fathom_job::direction::Direction;

    fn figures(kind: FioLogKind, lines: impl Iterator<Item = String>) -> LogFigures {
        let mut reader = LogReader::new(LogTerms::of(kind));
        lines.for_each(|line| reader.feed(line.as_bytes()));
        let log = reader.finish();
        assert_eq!(log.left_out.lines, 0);
        log.parts[0].tracks[Direction::Read].as_ref().expect("reads").figures().expect("lines")
    }

    #[test]
    fn single_ios_are_counted_by_the_second_and_fios_value_is_not_averaged() {
        // 8 in flight, 1 ms each: every line says 4 MiB/s, and the target moves 32 MiB/s.
        let line = |at: u64| format!("{}, 4096, 0, 4096\n", at / 8);
        let told = figures(FioLogKind::Bandwidth, (0..=80_000).map(line));
        assert_eq!(told.lines_are, LinesAre::EachIo);
        assert!((told.mean.unwrap() / (8000.0 * 4096.0) - 1.0).abs() < 1e-3, "{told:?}");
        assert_eq!((told.min, told.max), (Some(8000.0 * 4096.0), Some(8000.0 * 4096.0)));
        let told = figures(FioLogKind::Iops, (0..=80_000).map(|at| format!("{}, 1, 0, 4096\n", at / 8)));
        assert!((told.mean.unwrap() / 8000.0 - 1.0).abs() < 1e-3 && told.stddev == Some(0.0), "{told:?}");
    }

    #[test]
    fn the_deviation_of_windows_divides_by_one_less_than_their_number() {
        let lines =
            [(1_000, 100), (2_000, 200), (3_000, 300)].map(|(ms, iops)| format!("{ms}, {iops}, 0, 0\n"));
        let three = figures(FioLogKind::Iops, lines.into_iter());
        assert_eq!((three.lines_are, three.mean), (LinesAre::Windows { length_ms: 1_000 }, Some(200.0)));
        // √(20,000 ÷ 2), and not √(20,000 ÷ 3), which is 81.6.
        assert!((three.stddev.unwrap() - 100.0).abs() < 1e-9, "{three:?}");
    }

    /// The last second is cut and slow: it counts neither in the extremes nor in the mean.
    #[test]
    fn mean_and_extremes_of_single_ios_are_those_of_the_same_seconds() {
        let lines = (0..2_000).chain((2_000..2_900).step_by(3)).map(|ms| format!("{ms}, 1, 0, 4096\n"));
        let told = figures(FioLogKind::Iops, lines);
        assert_eq!((told.mean, told.min, told.max), (Some(1000.0), Some(1000.0), Some(1000.0)));
        assert_eq!(told.max_over_mean(), Some(1.0));
        let short = figures(FioLogKind::Iops, (0..=500).map(|ms| format!("{ms}, 1, 0, 4096\n")));
        assert_eq!((short.mean, short.min, short.max), (Some(1002.0), Some(1002.0), Some(1002.0)));
    }

    #[test]
    fn latencies_of_single_ios_have_percentiles() {
        let line = |at: u64| format!("{at}, {}, 0, 4096\n", if at == 500 { 13_505_000 } else { 344_000 });
        let told = figures(FioLogKind::Latency, (1..=1000).map(line));
        assert_eq!((told.n, told.min, told.max), (1000, Some(344_000.0), Some(13_505_000.0)));
        assert!(
            (told.mean.unwrap() - 357_161.0).abs() < 1.0
                && told.percentile(of_id("latency_p99")).unwrap() < 350_000.0
        );
        // T-26: 13,505 ÷ 344.
        let of_the_post = LogFigures { mean: Some(344.0), max: Some(13_505.0), ..told };
        assert_eq!((of_the_post.max_over_mean().unwrap() * 10.0).round() / 10.0, 39.3);
    }

    #[test]
    fn windows_are_weighted_by_time_and_a_stall_is_zero() {
        let lines = ["1000, 100, 0, 0\n", "2000, 100, 0, 0\n", "3000, 100, 0, 0\n", "3500, 400, 0, 0\n"];
        let told = figures(FioLogKind::Iops, lines.iter().map(|line| (*line).to_owned()));
        assert_eq!(told.lines_are, LinesAre::Windows { length_ms: 1000 });
        assert_eq!((told.mean, told.percentiles), (Some((300.0 + 0.5 * 400.0) / 3.5), Vec::new()));
        // The sample deviation of 1, 2, 3, 4 is 1.29; the one that divides by n is 1.12.
        let equal = figures(FioLogKind::Iops, (1..=4).map(|at| format!("{}, {at}, 0, 0\n", at * 1000)));
        assert!((equal.stddev.unwrap() - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{equal:?}");
        assert_eq!(figures(FioLogKind::Iops, std::iter::once("1000, 5, 0, 0\n".to_owned())).stddev, None);
        // The job ends within its last window, which counts with its part.
        for (lines, mean, seconds) in [
            ("1000, 500, 0, 0\n2000, 500, 0, 0\n2100, 5000, 0, 0\n", 1_500_000.0 / 2100.0, 2.1),
            ("1000, 10927, 0, 0\n2000, 10927, 0, 0\n2300, 10927, 0, 0\n", 10_927.0, 2.3),
            ("1000, 500, 0, 0\n1300, 5000, 0, 0\n", 2_000_000.0 / 1300.0, 1.3),
        ] {
            let told = figures(FioLogKind::Iops, std::iter::once(lines.to_owned()));
            assert_eq!(told.lines_are, LinesAre::Windows { length_ms: 1000 }, "{lines}");
            assert_eq!((told.seconds, told.silent_seconds), (seconds, 0.0), "{lines}");
            assert!((told.mean.unwrap() - mean).abs() < 1e-9 && told.min > Some(0.0), "{lines}: {told:?}");
        }
        let stalled = ["1000, 100, 0, 0\n", "2000, 100, 0, 0\n", "7000, 100, 0, 0\n"];
        let rate = figures(FioLogKind::Iops, stalled.iter().map(|line| (*line).to_owned()));
        assert_eq!((rate.silent_seconds, rate.min), (4.0, Some(0.0)));
        assert!((rate.mean.unwrap() - 300.0 / 7.0).abs() < 1e-9, "{rate:?}");
        let latency = figures(FioLogKind::Latency, stalled.iter().map(|line| (*line).to_owned()));
        assert_eq!((latency.mean, latency.min), (Some(100.0), Some(100.0)), "a stall is no latency");
    }
}
