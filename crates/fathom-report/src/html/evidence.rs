//! The evidence for the figures: charts, disks, events.

use super::chart;
use super::markup::{element, escape, more, pairs};
use super::percentile_table::percentile_table;
use crate::disk_counts::compared;
use crate::number::{grouped, percent, significant};
use crate::text::workload;
use fathom_figures::Row;
use fathom_figures::disk::{busy_percent, in_device, issued, shown};
use fathom_job::direction::Direction;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::{DiskDelta, RunResult};

/// Events shown before the rest is only counted.
const EVENTS_MAX: usize = 50;

/// The charts of one job.
pub(super) fn job(row: &Row<'_>) -> String {
    let charts = [chart::iops(row), chart::bandwidth(row), chart::percentiles(row), chart::depth(row)];
    let figures: String =
        charts.into_iter().flatten().map(|svg| format!("<figure>\n{svg}</figure>\n")).collect();
    let short = match row.grid().steps.iter().any(|step| step.is_whole()) {
        true => "",
        false => "<p class=\"note\">Shorter than one window of a second, so there is no time line.</p>\n",
    };
    format!(
        "<article>\n<h2>{}</h2>\n<p class=\"meta\"><span>{}</span></p>\n{}{short}<div class=\"charts\">\n{figures}</div>\n{}</article>\n",
        escape(&row.first().name),
        escape(&workload(row)),
        if row.asked.description.is_empty() { String::new() } else { element("p", &row.asked.description) },
        percentile_table(row)
    )
}

pub(super) fn disks(run: &RunResult, rows: &[Row<'_>]) -> String {
    let disks = shown(run, rows);
    if disks.is_empty() {
        return String::new();
    }
    let heads = ["Disk", "in device", "busy", "", "I/Os", "of fathom's", "merged", "data"];
    let heads: String = heads.iter().map(|h| format!("<th scope=\"col\">{h}</th>")).collect();
    let ours = issued(rows);
    let lines: String = disks.iter().map(|disk| disk_lines(disk, ours, disks.len())).collect();
    format!(
        "<section>\n<h2>Disks, as the kernel counted</h2>\n<div class=\"wide\" tabindex=\"0\">\n<table class=\"results\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n<p class=\"note\">“In device” is the average number of I/Os that the device had at a time. “Busy” is the share of time with at least one; on a device that serves I/Os in parallel, 100 % does not mean saturated.</p>\n</section>\n"
    )
}

/// A line per direction in which anything was counted.
fn disk_lines(disk: &DiskDelta, ours: [u64; 3], disks: usize) -> String {
    let seen: Vec<usize> = (0..3).filter(|at| disk.ios[*at] + disk.merges[*at] + ours[*at] > 0).collect();
    let line = |(nth, at): (usize, &usize)| {
        let cells = [
            Direction::ALL[*at].name().to_owned(),
            grouped(disk.ios[*at]),
            compared(disk.ios[*at], ours[*at], disks),
            grouped(disk.merges[*at]),
            Bytes(disk.sectors[*at] * 512).to_string(),
        ];
        let cells: String = cells.iter().map(|c| element("td", c)).collect();
        let head = if nth == 0 { disk_head(disk, seen.len()) } else { String::new() };
        format!("<tr>{head}{cells}</tr>\n")
    };
    seen.iter().enumerate().map(line).collect()
}

fn disk_head(disk: &DiskDelta, span: usize) -> String {
    format!(
        "<th scope=\"row\" rowspan=\"{span}\"><b>{}</b></th><td rowspan=\"{span}\">{}</td><td rowspan=\"{span}\">{}</td>",
        escape(&disk.disk),
        significant(in_device(disk), 3),
        percent(busy_percent(disk), 100.0)
    )
}

pub(super) fn events(run: &RunResult) -> String {
    let listed = run.events.iter().take(EVENTS_MAX);
    let table = pairs(listed.map(|e| (format!("+{} {}", Nanos(e.at_ns), e.kind.name()), e.text.clone())));
    let rest = run.events.len().saturating_sub(EVENTS_MAX);
    let more = more(rest, "directory");
    if table.is_empty() { table } else { format!("<section>\n<h2>Events</h2>\n{table}{more}</section>\n") }
}
