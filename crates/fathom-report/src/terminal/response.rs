//! What a schedule adds to the latency of a paced job, in a few lines.

use super::latency_table::percentiles;
use crate::column::interval;
use fathom_figures::metric::Metric;
use fathom_figures::{DirectionFigures, Row};
use fathom_results::Latency;
use fathom_text::number::grouped;
use fathom_text::quantity::{TimeUnit, latency};
use fathom_text::style::Style;

/// What response and service are, how far apart they are and how certain they are; empty for a flow
/// without a rate.
pub(super) fn block(row: &Row<'_>, flow: &DirectionFigures<'_>, style: Style) -> String {
    let Some(response) = flow.response() else {
        return String::new();
    };
    let service = &flow.totals.total;
    let meaning = "response (from the intended start) is how long a user waits; service (lat) is from when \
        the worker takes the I/O";
    let lines = [
        ("", Some(meaning.to_owned())),
        ("lateness", lateness(response, service)),
        ("response", sureness(row, response)),
        ("service", sureness(row, service)),
    ];
    let told = lines.into_iter().filter_map(|(label, text)| Some((label, text?)));
    told.map(|(label, text)| style.labelled(label, &text)).collect()
}

/// How late the I/Os began, on average. A difference of two percentiles is no percentile of the lateness: it is of two I/Os.
fn lateness(response: &Latency, service: &Latency) -> Option<String> {
    let late = response.moments.mean()? - service.moments.mean()?;
    Some(format!("{} on average (the mean response less the mean service)", latency(late.max(0.0))))
}

/// Each percentile that enough I/Os support, with its interval.
fn sureness(row: &Row<'_>, latency: &Latency) -> Option<String> {
    let histogram = latency.histogram.as_ref()?;
    let part = |metric: &&Metric| {
        let reading = metric.of_latency(latency).filter(|reading| !reading.is_thin)?;
        let unit = TimeUnit::for_typical(reading.ns);
        Some(format!(
            "{} {} {}",
            metric.title,
            interval(histogram, metric.percentile()?, unit)?,
            unit.symbol()
        ))
    };
    let parts: Vec<String> = percentiles(row).iter().filter_map(part).collect();
    let n = grouped(histogram.count());
    let note = format!("95 % intervals if I/Os are independent of each other; n = {n}");
    (!parts.is_empty()).then(|| format!("{} ({note})", parts.join(", ")))
}
