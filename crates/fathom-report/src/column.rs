//! A metric of the catalogue as a column of a table: its heading and its cells, in one unit of time.

use fathom_figures::is_thin;
use fathom_figures::metric::{Metric, MetricUnit, Reading};
use fathom_results::procedure::RoundFigures;
use fathom_results::{Latency, mean_of_enough};
use fathom_stats::{CEILING_NS, Histogram, Moments};
use fathom_text::number::{cell, multiple, significant};
use fathom_text::quantity::TimeUnit;

/// `p99 µs`, `MB/s`.
pub(crate) fn heading(metric: &Metric, unit: TimeUnit) -> String {
    match metric.unit {
        MetricUnit::Nanoseconds => format!("{} {}", metric.title, unit.symbol()),
        _ => metric.title.to_owned(),
    }
}

/// The heading of the uncertainty of a rate: half of its 95 % interval.
pub(crate) const HALF: &str = "± %";

/// The heading on a page, which has room for `mean latency`; the unit stands below it.
pub(crate) fn title_on_page(metric: &Metric) -> &'static str {
    if metric.id == "latency_mean" { metric.words } else { metric.title }
}

/// A value of a metric; a dash where there is none.
pub(crate) fn value(metric: &Metric, value: Option<f64>, unit: TimeUnit) -> String {
    let text = |value: f64| match metric.unit {
        MetricUnit::Nanoseconds => unit.cell(value),
        MetricUnit::BytesPerSecond => cell(value / 1e6),
        _ => cell(value),
    };
    value.map_or("-".to_owned(), text)
}

/// The figure of a job of a round; a percentile with few values beyond it is marked, as in the table of a run.
pub(crate) fn of_round(metric: &Metric, figures: &RoundFigures, unit: TimeUnit) -> String {
    value(metric, metric.of_round(figures), unit) + mark(is_thin_in_round(metric, figures))
}

/// What the mark behind a percentile says.
pub(crate) const THIN: &str = "·: fewer than ten I/Os lie beyond";

/// Behind a percentile with few values beyond it.
pub(crate) const fn mark(is_thin: bool) -> &'static str {
    if is_thin { "·" } else { "" }
}

/// Is it a percentile that the round has, with fewer than ten of its I/Os beyond it?
pub(crate) fn is_thin_in_round(metric: &Metric, figures: &RoundFigures) -> bool {
    let percent = metric.percentile().filter(|_| metric.of_round(figures).is_some());
    percent.is_some_and(|percent| is_thin(figures.ios, percent))
}

/// In place of a percentile with fewer than ten I/Os beyond it.
pub(crate) const TOO_FEW: &str = "too few";

/// In place of a percentile that a round did not keep.
pub(crate) const NOT_KEPT: &str = "not kept";

/// What a cell has in place of a percentile that a round with latencies does not have; `None` where it is known, and of other metrics.
pub(crate) fn instead_in_round(metric: &Metric, figures: &RoundFigures) -> Option<&'static str> {
    let percent = metric.percentile().filter(|_| figures.latency_ns_max.is_some())?;
    match is_thin(figures.ios, percent) {
        true => Some(TOO_FEW),
        false => metric.of_round(figures).is_none().then_some(NOT_KEPT),
    }
}

/// The same of a column that a person chose: why there is no percentile.
pub(crate) fn of_round_chosen(metric: &Metric, figures: &RoundFigures, unit: TimeUnit) -> String {
    instead_in_round(metric, figures).map_or_else(|| of_round(metric, figures, unit), str::to_owned)
}

/// The figure of a latency, and whether it has few values beyond it; `None` where there is none.
pub(crate) fn of_latency(
    metric: &Metric,
    latency: &Latency,
    write: impl Fn(f64) -> String,
) -> Option<(String, bool)> {
    metric.of_latency(latency).map(|reading| (text(reading, write), reading.is_thin))
}

/// The cell of a latency. A percentile with few values beyond it is marked; where a person chose that percentile, the cell has
/// `too few` instead of the figure.
pub(crate) fn latency_cell(
    metric: &Metric,
    latency: Option<&Latency>,
    is_chosen: bool,
    write: impl Fn(f64) -> String,
) -> String {
    let is_chosen = is_chosen && metric.percentile().is_some();
    let has_any = latency.is_some_and(|latency| latency.histogram.is_some() && latency.moments.count() > 0);
    match latency.and_then(|latency| of_latency(metric, latency, write)) {
        Some((text, false)) => text,
        Some((_, true)) | None if is_chosen && has_any => TOO_FEW.to_owned(),
        Some((text, true)) => text + "·",
        None => "-".to_owned(),
    }
}

/// The maximum as a multiple of the mean: `39.3×` (T-26); a dash where there is no mean, or too few values for one.
pub(crate) fn max_over_mean(moments: &Moments) -> String {
    let mean = mean_of_enough(moments).filter(|mean| *mean > 0.0);
    mean.zip(moments.max()).map_or("-".to_owned(), |(mean, max)| multiple(max as f64 / mean))
}

/// As `write` gives it, or `≥18.3 min` in any unit's column.
pub(crate) fn text(reading: Reading, write: impl Fn(f64) -> String) -> String {
    match reading.is_bound {
        false => write(reading.ns),
        true => format!("≥{} min", significant(CEILING_NS as f64 / 60e9, 3)),
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

    /// T-26: 13,505 µs are 39.3 times the mean of 344 µs, and not 14 times.
    #[test]
    fn the_maximum_is_a_multiple_of_the_mean() {
        let mut moments = Moments::new();
        assert_eq!(max_over_mean(&moments), "-");
        // A mean of 344 µs with this maximum.
        moments.record_n(330_839, 999);
        moments.record(13_505_000);
        assert_eq!(max_over_mean(&moments), "39.3×");
    }

    #[test]
    fn what_lies_beyond_the_ceiling_is_a_bound() {
        let told = [(2e9, false), (CEILING_NS as f64, true)].map(|(ns, is_bound)| {
            text(Reading { ns, is_thin: false, is_bound }, |ns| TimeUnit::S.number(ns, 4))
        });
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
