//! All percentiles that a job asked for as numbers, each with its interval.

use super::markup::{element, escape};
use crate::column::{interval, of_latency};
use crate::latency_classes::class_rows;
use crate::text::latency_kind;
use fathom_figures::Row;
use fathom_figures::metric::of_percent;
use fathom_results::Latency;
use fathom_stats::Histogram;
use fathom_text::number::grouped;
use fathom_text::quantity::TimeUnit;

/// The table, folded away; empty where no distribution was kept, or of too few I/Os.
pub(super) fn percentile_table(row: &Row<'_>) -> String {
    let flows = row.flows_busy();
    let main = flows.iter().flat_map(|flow| flow.main_latencies().into_iter().map(|main| (flow.name, main)));
    let kept: Vec<(String, &Latency, &Histogram)> = main
        .filter(|(_, (_, latency))| !latency.has_too_few())
        .filter_map(|(name, (kind, latency))| {
            Some((format!("{name} {}", latency_kind(kind)), latency, latency.histogram.as_ref()?))
        })
        .collect();
    if kept.is_empty() {
        return String::new();
    }
    let median = kept.iter().filter_map(|(.., h)| h.quantile(0.5)).max().unwrap_or(0);
    let unit = TimeUnit::for_typical(median as f64);
    let line = |p: &f64| {
        let cells: String = kept.iter().map(|(_, latency, h)| cell(latency, h, *p, unit)).collect();
        format!("<tr><th scope=\"row\">{p} %</th>{cells}</tr>\n")
    };
    let by_class = by_class(row);
    let lines: String = row.asked.percentiles.iter().map(line).collect();
    let heads: String = kept.iter().map(|(name, _, h)| head(name, h, unit)).collect();
    format!(
        "<details>\n<summary>Percentiles as numbers</summary>\n<div class=\"wide\" tabindex=\"0\">\n<table class=\"numbers\">\n<thead><tr><th scope=\"col\">percentile</th>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n<p class=\"note\">In small type: the interval that contains the percentile with 95 % confidence if I/Os are independent of each other. Where many I/Os share a stall, the confidence is lower. A dash means too few I/Os for an interval.</p>\n</details>\n{by_class}\n"
    )
}

/// The I/Os of each latency class, folded away; empty where they are all in one.
fn by_class(row: &Row<'_>) -> String {
    let rows = class_rows(row);
    let Some((heads, rows)) = rows.split_first() else { return String::new() };
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", escape(head))).collect();
    let line = |row: &Vec<String>| {
        let cells: String = row[1..].iter().map(|cell| element("td", cell)).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(&row[0]))
    };
    let lines: String = rows.iter().map(line).collect();
    format!(
        "<details>\n<summary>I/Os by latency</summary>\n<div class=\"wide\" tabindex=\"0\">\n<table class=\"numbers\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n<p class=\"note\">The classes are those of fio. A sum is the share of all I/Os that were faster than the end of the class.</p>\n</details>\n"
    )
}

fn head(name: &str, histogram: &Histogram, unit: TimeUnit) -> String {
    let (name, n) = (escape(name), grouped(histogram.count()));
    format!("<th scope=\"col\">{name}, {}<small>n = {n}</small></th>", unit.symbol())
}

fn cell(latency: &Latency, histogram: &Histogram, p: f64, unit: TimeUnit) -> String {
    let Some((text, _)) = of_latency(of_percent(p), latency, |ns| unit.number(ns, 4)) else {
        return element("td", "-");
    };
    let range = interval(histogram, p, unit).unwrap_or("-".to_owned());
    format!("<td>{text}<small>{range}</small></td>")
}
