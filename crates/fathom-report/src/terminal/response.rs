//! What a schedule adds to the latency of a paced job, in a few lines.

use super::latency_table::percentiles;
use crate::number::{TimeUnit, grouped, latency};
use crate::percentile::interval;
use fathom_figures::{DirectionFigures, Percentile, Row, is_thin};
use fathom_results::Latency;
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
        ("lateness", lateness(row, response, service)),
        ("response", sureness(row, response)),
        ("service", sureness(row, service)),
    ];
    let told = lines.into_iter().filter_map(|(label, text)| Some((label, text?)));
    told.map(|(label, text)| style.labelled(label, &text)).collect()
}

/// Response less service: what waiting for a slot added.
fn lateness(row: &Row<'_>, response: &Latency, service: &Latency) -> Option<String> {
    let (response, service) = (response.histogram.as_ref()?, service.histogram.as_ref()?);
    let at = |p: &f64| match (Percentile::of(response, *p)?, Percentile::of(service, *p)?) {
        (Percentile::At(whole), Percentile::At(part)) => {
            Some(format!("p{p} {}", latency(whole.saturating_sub(part) as f64, 3)))
        }
        _ => None,
    };
    let supported = percentiles(row).iter().filter(|p| !is_thin(response.count(), **p));
    let parts: Vec<String> = supported.filter_map(at).collect();
    Some(format!("{} (response less service at equal percentiles)", parts.join(", ")))
}

/// Each percentile that enough I/Os support, with its interval.
fn sureness(row: &Row<'_>, latency: &Latency) -> Option<String> {
    let histogram = latency.histogram.as_ref()?;
    let supported = percentiles(row).iter().filter(|p| !is_thin(histogram.count(), **p));
    let parts: Vec<String> = supported
        .filter_map(|p| {
            let unit = TimeUnit::for_typical(histogram.quantile(p / 100.0)? as f64);
            Some(format!("p{p} {} {}", interval(histogram, *p, unit)?, unit.symbol()))
        })
        .collect();
    let n = grouped(histogram.count());
    let note = format!("95 % intervals if I/Os are independent of each other; n = {n}");
    (!parts.is_empty()).then(|| format!("{} ({note})", parts.join(", ")))
}
