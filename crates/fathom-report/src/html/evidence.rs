//! What else was seen while the run went on: the kernel's counters of the disks, and events.

use super::markup::{element, escape, folded, more, pairs};
use crate::disk_counts::of_disk;
use fathom_figures::Row;
use fathom_figures::disk::{busy_percent, in_device, issued, shown, syncs};
use fathom_job::direction::Direction;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::{DiskDelta, RunResult};
use fathom_text::number::{grouped, significant};
use fathom_text::quantity::percent_of;

/// Events shown before the rest is only counted.
const EVENTS_MAX: usize = 50;

pub(super) fn disks(run: &RunResult, rows: &[Row<'_>]) -> String {
    let disks = shown(run, rows);
    if disks.is_empty() {
        return String::new();
    }
    let heads = ["Disk", "in device", "busy", "", "I/Os", "of fathom's", "merged", "data"];
    let heads: String = heads.iter().map(|h| format!("<th scope=\"col\">{h}</th>")).collect();
    let (ours, syncs) = (issued(rows), syncs(rows));
    let lines: String = disks.iter().map(|disk| disk_lines(disk, ours, disks.len(), syncs)).collect();
    let body = format!(
        "<div class=\"wide\" tabindex=\"0\">\n<table class=\"results\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n<p class=\"note\">“In device” is the average number of I/Os that the device had at a time. “Busy” is the share of time with at least one; on a device that serves I/Os in parallel, 100 % does not mean saturated.</p>\n"
    );
    folded("Disks, as the kernel counted", &body)
}

/// A line per direction in which anything was counted.
fn disk_lines(disk: &DiskDelta, ours: [u64; 3], disks: usize, syncs: Option<u64>) -> String {
    let directions: Vec<usize> =
        (0..3).filter(|at| disk.ios[*at] + disk.merges[*at] + ours[*at] > 0).collect();
    let line = |(nth, at): (usize, &usize)| {
        let cells = [
            Direction::ALL[*at].name().to_owned(),
            grouped(disk.ios[*at]),
            of_disk(disk, *at, ours[*at], disks, syncs),
            grouped(disk.merges[*at]),
            Bytes(disk.sectors[*at] * 512).to_string(),
        ];
        let cells: String = cells.iter().map(|c| element("td", c)).collect();
        let head = if nth == 0 { disk_head(disk, directions.len()) } else { String::new() };
        format!("<tr>{head}{cells}</tr>\n")
    };
    directions.iter().enumerate().map(line).collect()
}

fn disk_head(disk: &DiskDelta, span: usize) -> String {
    format!(
        "<th scope=\"row\" rowspan=\"{span}\"><b>{}</b></th><td rowspan=\"{span}\">{}</td><td rowspan=\"{span}\">{}</td>",
        escape(&disk.disk),
        significant(in_device(disk), 3),
        percent_of(busy_percent(disk), 100.0)
    )
}

pub(super) fn events(run: &RunResult) -> String {
    let listed = run.events.iter().take(EVENTS_MAX);
    let table = pairs(listed.map(|e| (format!("+{} {}", Nanos(e.at_ns), e.kind.name()), e.text.clone())));
    let rest = run.events.len().saturating_sub(EVENTS_MAX);
    let more = more(rest, "directory");
    folded("Events", &(table + &more))
}
