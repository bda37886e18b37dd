//! The table of results: a line per job and direction.

use super::markup::escape;
use crate::flow::Flow;
use crate::group::Row;
use crate::number::{grouped, latency, ratio, significant};
use crate::terminal::thin;
use crate::text::{ended_by, workload};

const HEADINGS: [(&str, &str); 10] = [
    ("Job", ""),
    ("IOPS", "95 % interval"),
    ("MiB/s", "MB/s"),
    ("latency", "mean"),
    ("p50", ""),
    ("p99", ""),
    ("p99.9", ""),
    ("max", ""),
    ("CPU", "µs per I/O"),
    ("in flight", "asked"),
];

/// The first `most` rows.
pub(super) fn table(rows: &[Row<'_>], most: usize) -> String {
    let heads: String = HEADINGS
        .iter()
        .map(|(name, sub)| format!("<th scope=\"col\">{name}<small>{sub}</small></th>"))
        .collect();
    let lines: String = rows.iter().take(most).map(lines).collect();
    let rest = rows.len().saturating_sub(most);
    let more =
        if rest > 0 { format!("{rest} more jobs stand in the run's directory. ") } else { String::new() };
    format!(
        "<section>\n<h2>Results</h2>\n<div class=\"wide\">\n<table class=\"results\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n<p class=\"note\">{more}Latency is completion latency where its distribution was kept, else total latency. A value marked · has fewer than ten I/Os beyond it. Intervals come from the windows of one second, with their correlation taken into account; a dash means too few windows.</p>\n</section>\n"
    )
}

fn lines(row: &Row<'_>) -> String {
    let flows = row.flows_busy();
    let head = format!(
        "<th scope=\"row\" rowspan=\"{}\"><b>{}</b><small>{}</small><small>ended by: {}</small></th>",
        flows.len().max(1),
        escape(&row.first().name),
        escape(&workload(row)),
        escape(&ended_by(row))
    );
    if flows.is_empty() {
        return format!(
            "<tr>{head}<td colspan=\"{}\">no I/O in the measured window</td></tr>\n",
            HEADINGS.len() - 1
        );
    }
    let line = |(at, flow): (usize, &Flow<'_>)| {
        let head = if at == 0 { head.as_str() } else { "" };
        format!("<tr>{head}{}</tr>\n", cells(row, flow))
    };
    flows.iter().enumerate().map(line).collect()
}

fn cells(row: &Row<'_>, flow: &Flow<'_>) -> String {
    let rate = flow.bytes_per_second();
    let interval =
        flow.iops_estimate().map_or("-".to_owned(), |e| format!("{} to {}", whole(e.low), whole(e.high)));
    let mean = flow.main_latency().and_then(|(_, l)| l.moments.mean()).or(flow.totals.total.moments.mean());
    let cpu = ratio((row.usage.user_ns + row.usage.system_ns) as f64, row.ios() as f64) / 1e3;
    let reached = flow.in_flight().map_or("-".to_owned(), |n| significant(n, 3));
    let asked = row.first().depth.asked as usize * row.members.len();
    let two = |value: String, sub: String| format!("<td>{value}<small>{sub}</small></td>");
    [
        two(
            format!("<i class=\"key {0}\"></i>{1}", flow.name, grouped(flow.iops().round() as u64)),
            format!("{} · {interval}", flow.name),
        ),
        two(significant(rate / f64::from(1 << 20), 4), significant(rate / 1e6, 4)),
        two(mean.map_or("-".to_owned(), |ns| latency(ns, 4)), String::new()),
        percentile(flow, 50.0),
        percentile(flow, 99.0),
        percentile(flow, 99.9),
        percentile(flow, 100.0),
        two(significant(cpu, 3), String::new()),
        two(reached, asked.to_string()),
    ]
    .concat()
}

fn whole(rate: f64) -> String {
    grouped(rate.max(0.0).round() as u64)
}

fn percentile(flow: &Flow<'_>, p: f64) -> String {
    let histogram = flow.main_latency().and_then(|(_, latency)| latency.histogram.as_ref());
    let value = histogram.and_then(|h| Some((h.quantile(p / 100.0)?, h.count())));
    let text = value.map_or("-".to_owned(), |(ns, n)| {
        let mark = if p < 100.0 && thin(n, p) { " ·" } else { "" };
        format!("{}{mark}", latency(ns as f64, 4))
    });
    format!("<td>{text}</td>")
}
