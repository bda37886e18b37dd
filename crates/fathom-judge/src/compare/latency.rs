//! The latency of a direction, and its interval within a single run, from its spans of time.
//!
//! I/Os that are near in time are alike, so the interval is not made from single I/Os. It is made from
//! the same figure of each span of about a second, whose likeness is taken into account, and its
//! relative width is given to the figure of the whole run (batch quantiles: methodology of T. P.
//! Chen and W. D. Kelton, "Quantile and tolerance-interval estimation in simulation", European
//! Journal of Operational Research 168 (2006) 520-540).

use fathom_figures::{DirectionFigures, LatencySpan, Percentile, TAIL_MIN, is_thin};
use fathom_stats::{Estimate, Histogram};

/// The most spans that a run is cut into.
const SPANS_MAX: usize = 120;

/// A span of average length has so many times the I/Os beyond the percentile that it needs, because
/// the spans do not all have the same number.
const SPAN_TAIL: f64 = 2.0;

/// Of the mean latency.
pub(super) fn latency_mean(flow: &DirectionFigures<'_>) -> Option<Estimate> {
    scaled(flow, flow.main_latency_ns_mean()?, SPANS_MAX, |histogram| histogram.totals().mean())
}

/// Of a percentile of the latency.
pub(super) fn quantile(flow: &DirectionFigures<'_>, percent: f64) -> Option<Estimate> {
    let of = |histogram: &Histogram| {
        let is_known = !is_thin(histogram.count(), percent);
        is_known.then(|| histogram.quantile(percent / 100.0)).flatten().map(|ns| ns as f64)
    };
    let beyond = flow.main_latency()?.1.moments.count() as f64 * (1.0 - percent / 100.0);
    let spans = (beyond / (SPAN_TAIL * TAIL_MIN)) as usize;
    scaled(flow, percentile(flow, percent)?, spans.min(SPANS_MAX), of)
}

/// The interval of the mean over the spans, around the figure of the whole run.
fn scaled(
    flow: &DirectionFigures<'_>,
    value: f64,
    spans: usize,
    of: impl Fn(&Histogram) -> Option<f64>,
) -> Option<Estimate> {
    if flow.is_staggered() || spans == 0 {
        return None;
    }
    let spans: Vec<LatencySpan> = flow.latency_spans_measured(spans);
    let values: Option<Vec<f64>> = spans.iter().map(|span| of(&span.latency)).collect();
    let mean = Estimate::of_series(&values?, 0.95).filter(|mean| mean.value > 0.0)?;
    let factor = value / mean.value;
    let (low, high) = ((mean.low * factor).max(0.0), mean.high * factor);
    Some(Estimate { value, low, high, n: mean.n, confidence: mean.confidence })
}

/// A percentile of the main latency; `None` where fewer than ten I/Os lie beyond it.
pub(super) fn percentile(flow: &DirectionFigures<'_>, percent: f64) -> Option<f64> {
    let histogram = flow.main_latency()?.1.histogram.as_ref()?;
    match Percentile::of(histogram, percent)? {
        Percentile::At(ns) if !is_thin(histogram.count(), percent) => Some(ns as f64),
        _ => None,
    }
}
