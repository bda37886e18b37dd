//! The part below the rows: disks, events, verdict, and where the run is stored.

use crate::disk_counts::of_disk;
use crate::text::doubts;
use fathom_figures::Row;
use fathom_figures::disk::{in_device, issued, shown, syncs};
use fathom_job::direction::Direction;
use fathom_job::units::Nanos;
use fathom_results::{DiskDelta, Event, PlanFinding, RunResult};
use fathom_text::number::{grouped, significant};
use fathom_text::shown::path;
use fathom_text::style::Style;

/// Events shown before the rest is only counted.
const EVENTS_MAX: usize = 10;

/// The kernel's counters, compared with fathom's.
pub(super) fn disks(run: &RunResult, rows: &[Row<'_>], style: Style) -> String {
    let disks = shown(run, rows);
    if disks.is_empty() {
        return String::new();
    }
    let (ours, syncs) = (issued(rows), syncs(rows));
    let text = |disk: &DiskDelta| disk_text(disk, ours, disks.len(), syncs);
    let lines = disks.iter().map(|disk| style.labelled(&disk.disk, &text(disk)));
    style.strong("disks, as the kernel counted") + "\n" + &lines.collect::<String>()
}

fn disk_text(disk: &DiskDelta, ours: [u64; 3], disks: usize, syncs: Option<u64>) -> String {
    let directions = (0..3).filter(|at| disk.ios[*at] + disk.merges[*at] + ours[*at] > 0);
    let parts = directions.map(|at| {
        let (count, merged) = (grouped(disk.ios[at]), disk.merges[at]);
        let share = of_disk(disk, at, ours[at], disks, syncs);
        let merges = if merged > 0 { format!(", {} merged", grouped(merged)) } else { String::new() };
        format!("{count} {}s ({share}{merges}) · ", Direction::ALL[at].name())
    });
    format!("{}{} in the device on average", parts.collect::<String>(), significant(in_device(disk), 3))
}

/// The messages of the planner about the jobs, each once, such as that fio would keep another rate.
pub(super) fn notes(run: &RunResult, style: Style) -> String {
    let mut notes: Vec<String> = Vec::new();
    for PlanFinding { message, hints, .. } in &run.record.plan.findings {
        let hints: Vec<String> = hints.iter().map(ToString::to_string).collect();
        let hints = if hints.is_empty() { String::new() } else { format!(" ({})", hints.join("; ")) };
        let text = format!("{message}{hints}");
        if !notes.contains(&text) {
            notes.push(text);
        }
    }
    if notes.is_empty() {
        return String::new();
    }
    style.strong("notes of the plan")
        + "\n"
        + &notes.iter().map(|text| style.labelled("", text)).collect::<String>()
}

pub(super) fn events(run: &RunResult, style: Style) -> String {
    if run.events.is_empty() {
        return String::new();
    }
    let line = |e: &Event| {
        style.labelled(&format!("+{}", Nanos(e.at_ns)), &format!("{}: {}", e.kind.name(), e.text))
    };
    let shown: String = run.events.iter().take(EVENTS_MAX).map(line).collect();
    let rest = run.events.len().saturating_sub(EVENTS_MAX);
    let more = if rest > 0 {
        style.labelled("", &format!("and {rest} more, in the run's directory"))
    } else {
        String::new()
    };
    style.strong("events") + "\n" + &shown + &more
}

/// What limited the jobs, and what to distrust.
pub(super) fn judgement(run: &RunResult, style: Style) -> String {
    let mut out = String::new();
    let limits = run.record.answer.as_ref().and_then(|answer| answer.limit.as_ref());
    let evidence = limits.map(fathom_words::limit::evidence).unwrap_or_default();
    evidence.iter().for_each(|limit| out.push_str(&style.labelled("limit", limit)));
    let all = doubts(run);
    if !all.is_empty() {
        out.push_str(&format!("{}\n", style.careful("reasons for less trust")));
        all.iter().for_each(|doubt| out.push_str(&style.labelled("", doubt)));
    }
    out
}

/// Where the run is stored.
pub(super) fn files(run: &RunResult, style: Style) -> String {
    format!("{} {}\n", style.faint("saved in"), path(&run.dir))
}
