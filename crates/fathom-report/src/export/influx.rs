//! InfluxDB's line protocol: a point for each job and direction, at the start of the result; and one for each second.

use super::exported::{Label, labels_of_second};
use super::{Exported, ExportedFigure};
use fathom_results::SeriesRecord;
use fathom_text::shown;

pub(super) fn text(result: &Exported) -> String {
    let run = tags(&result.labels());
    let points = result.figures.chunk_by(is_of_one_point).filter_map(|figures| point(result, &run, figures));
    let seconds = result.seconds.iter().map(|second| of_second(result, &run, second));
    points.chain(seconds).collect()
}

/// Are they figures of one job, direction and round, which are neighbours?
fn is_of_one_point(one: &ExportedFigure, other: &ExportedFigure) -> bool {
    one.labels() == other.labels()
}

fn point(result: &Exported, run: &str, figures: &[ExportedFigure]) -> Option<String> {
    let first = figures.first()?;
    let tags = tags(&first.labels());
    let mut fields = Vec::new();
    for ExportedFigure { of, .. } in figures {
        let end = unit(&of.unit);
        let name = of.metric.clone() + if end.ends_with(&of.metric) { "" } else { end };
        let ends = [("", Some(of.value)), ("_low", of.low), ("_high", of.high)];
        for (end, value) in ends {
            let Some(value) = value.filter(|value| value.is_finite()) else { continue };
            fields.push(format!("{}={value}", key(&format!("{name}{end}"))));
        }
        // One value is the whole of it.
        if of.n > 1 {
            fields.push(format!("{}={}i", key(&format!("{}_n", of.metric)), of.n));
        }
    }
    Some(format!("fathom{run}{tags} {} {}\n", fields.join(","), result.started_unix_ns.unwrap_or_default()))
}

fn of_second(result: &Exported, run: &str, of: &SeriesRecord) -> String {
    let tags = tags(&labels_of_second(of));
    let mut fields =
        vec![format!("iops={}", of.iops), format!("bandwidth_bytes_per_s={}", of.bytes_per_second)];
    fields.extend(of.latency_ns_mean.map(|ns| format!("latency_mean_ns={ns}")));
    fields.extend(of.latency_ns_p99.map(|ns| format!("latency_p99_ns={ns}i")));
    let at_ns = result.started_unix_ns.unwrap_or_default() + ((of.at_s + of.covered_s) * 1e9) as u64;
    format!("fathom_second{run}{tags} {} {at_ns}\n", fields.join(","))
}

/// What ends the name of a field, for the unit of its figure.
fn unit(symbol: &str) -> &'static str {
    match symbol {
        "ns" => "_ns",
        "s" => "_s",
        "B" => "_bytes",
        "B/s" => "_bytes_per_s",
        "%" => "_percent",
        _ => "",
    }
}

/// Tags, each behind a comma.
fn tags(labels: &[Label]) -> String {
    labels.iter().map(|(name, value)| format!(",{name}={}", key(value))).collect()
}

/// A key, or the value of a tag. A backslash at its end would escape the comma behind it, and the protocol has no sign for
/// one there, so a slash takes its place.
fn key(text: &str) -> String {
    let text = shown::line(text);
    let text = match text.strip_suffix('\\') {
        Some(rest) => format!("{rest}/"),
        None => text.into_owned(),
    };
    text.replace(',', r"\,").replace('=', r"\=").replace(' ', r"\ ")
}
