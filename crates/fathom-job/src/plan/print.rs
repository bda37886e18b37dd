//! The plan as text: what `--plan` shows before anything runs.
//!
//! Clones of a job are shown together, with their regions in one table. Lines stay within 100
//! columns unless names are too long.

use super::print_words::{exact, layout_bytes};
use super::{Plan, PlannedFile, PlannedJob, TargetKind, print_words as words, ranges, written_data};
use crate::diagnostic::{Diagnostic, Severity, bounded};
use crate::units::Bytes;
use fathom_text::table;
use fathom_text::words::counted;
use fathom_text::words::wrapped;
use std::fmt::Write;

/// Text column where values begin.
const VALUE: usize = 14;
/// Screen width that the text keeps to.
const WIDTH: usize = 100;

impl Plan {
    /// The plan for a reader: each job with its target, exact ranges, blocks,
    /// depth, end and forecast; totals; findings.
    pub fn explain(&self) -> String {
        let mut out = String::new();
        let jobs: Vec<&[PlannedJob]> =
            self.jobs.chunk_by(|a, b| a.id - a.subjob == b.id - b.subjob).collect();
        for clones in &jobs {
            job(&mut out, clones);
        }
        totals(&mut out, self, jobs.len());
        for finding in bounded(&self.findings) {
            out.push('\n');
            print_finding(&mut out, &finding);
        }
        out
    }
}

fn job(out: &mut String, clones: &[PlannedJob]) {
    let first = &clones[0];
    let copies = if clones.len() > 1 { format!(" ×{}", clones.len()) } else { String::new() };
    let after = first.wait_for.as_ref().map(|name| format!(", after {name}")).unwrap_or_default();
    let _ = writeln!(out, "{}{copies}  (stage {}, group {}{after})", first.name, first.stage, first.group);
    line(out, "engine", &engine(clones));
    if first.burns_cpu() {
        return load(out, clones);
    }
    line(out, "pattern", &words::pattern(first));
    if !first.is_of_names() {
        line(out, "blocks", &words::blocks(first));
    }
    line(out, "depth", &words::depth(first));
    for (label, text) in first.terms() {
        line(out, label, &text);
    }
    if let Some(target) = one_target(clones) {
        line(out, "target", &target);
    }
    rows(out, "region", &region_rows(clones));
    if let Some(text) = written_data::words(clones) {
        line(out, "data", &text);
    }
    if let Some(verify) = &first.verify {
        line(out, "verify", &verify.words());
    }
    line(out, "ends", &words::end(first));
    if let Some(text) = words::steady(first) {
        line(out, "steady", &text);
    }
    line(out, "phases", &words::phases(clones));
    if !first.is_of_names() {
        line(out, "expected", &words::expected(clones));
    }
    line(out, "memory", &memory(clones));
    out.push('\n');
}

/// A job without I/O has neither a target nor data.
fn load(out: &mut String, clones: &[PlannedJob]) {
    let first = &clones[0];
    line(out, "load", &first.load_words().unwrap_or_default());
    for (label, text) in first.terms() {
        line(out, label, &text);
    }
    line(out, "ends", &words::end_of_load(first));
    line(out, "phases", &words::phases(clones));
    out.push('\n');
}

fn engine(clones: &[PlannedJob]) -> String {
    let first = &clones[0];
    let cache = if first.direct { "direct" } else { "buffered" };
    let mut all: Vec<usize> = clones.iter().flat_map(|clone| clone.cpus.iter().flatten().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let one_each =
        all.len() > 1 && clones.iter().all(|clone| clone.cpus.as_ref().is_some_and(|cpus| cpus.len() == 1));
    match (all.is_empty(), one_each) {
        (true, _) if first.burns_cpu() => first.engine.clone(),
        (true, _) => format!("{}, {cache}", first.engine),
        (false, false) => format!("{}, {cache}, on CPU {}", first.engine, ranges(&all)),
        (false, true) => {
            format!("{}, {cache}, each clone on one CPU of {}", first.engine, ranges(&all))
        }
    }
}

fn memory(clones: &[PlannedJob]) -> String {
    let each = clones[0].memory;
    match clones.len() {
        1 => each.to_string(),
        n => format!("{each} each, {} in all", Bytes(each.0.saturating_mul(n as u64))),
    }
}

fn totals(out: &mut String, plan: &Plan, jobs: usize) {
    let clones = plan.jobs.len();
    let stages = plan.jobs.last().map_or(0, |job| job.stage + 1);
    line(
        out,
        "total",
        &format!(
            "{}, {}, {}",
            counted(jobs, "job"),
            counted(clones, "clone"),
            counted(stages as usize, "stage")
        ),
    );
    let layout = layout_bytes(&plan.jobs);
    if layout.0 > 0 {
        line(out, "layout", &format!("{layout} to write first"));
    }
    let bytes = plan
        .jobs
        .iter()
        .try_fold(0u64, |sum, job| job.expected.bytes.map(|bytes| sum.saturating_add(bytes.0)));
    let paced = if plan.jobs.iter().any(|job| job.pace.is_paced()) { ", at the rates asked" } else { "" };
    let foreseen = |text: Option<String>, else_: &str| text.map_or(else_.to_owned(), |text| text + paced);
    line(out, "bytes", &foreseen(bytes.map(|bytes| exact(Bytes(bytes))), "depend on the target"));
    line(out, "time", &foreseen(plan.expected_time().map(|time| time.to_string()), "depends on the target"));
    line(out, "memory", &format!("{} at once", super::memory::at_once(&plan.jobs)));
}

fn line(out: &mut String, label: &str, text: &str) {
    rows(out, label, &wrapped(text, WIDTH - VALUE));
}

fn rows(out: &mut String, label: &str, rows: &[String]) {
    for (index, row) in rows.iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        let _ = writeln!(out, "  {label:<width$}{row}", width = VALUE - 2);
    }
}

fn print_finding(out: &mut String, finding: &Diagnostic) {
    let word = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let text = format!("{word}: {} [{}]", finding.message, finding.code);
    let hints = finding.hints.iter().map(|hint| format!("hint: {hint}"));
    for (part, indent) in std::iter::once((text, 0)).chain(hints.map(|hint| (hint, 2))) {
        for (index, row) in wrapped(&part, WIDTH - 4).iter().enumerate() {
            let indent = if index == 0 { indent } else { 4 };
            let _ = writeln!(out, "{:indent$}{row}", "");
        }
    }
}

// The table of exact ranges: clones, bytes, LBAs, length, file.

/// Most rows shown; of more, the first and the last.
const ROWS_MAX: usize = 24;

/// Clones that touch the same region of the same file.
struct Row<'a> {
    first: u32,
    last: u32,
    file: &'a PlannedFile,
}

/// The target, when all clones share one.
pub(super) fn one_target(clones: &[PlannedJob]) -> Option<String> {
    let mut files = clones.iter().flat_map(|clone| &clone.files);
    let first = files.next()?;
    files.all(|file| file.path == first.path).then(|| describe(first))
}

/// Header and rows, aligned; the file only where there are several.
pub(super) fn region_rows(clones: &[PlannedJob]) -> Vec<String> {
    let rows = alike(clones);
    let mut header = vec!["clone", "bytes", "LBA", "size"];
    let several = one_target(clones).is_none();
    header.extend(several.then_some("target"));
    let mut cells = vec![header.into_iter().map(str::to_owned).collect()];
    let hidden = rows.len().saturating_sub(ROWS_MAX);
    for (index, row) in rows.iter().enumerate() {
        if hidden == 0 || index < ROWS_MAX - 1 || index + 1 == rows.len() {
            cells.push(cells_of(row, several));
        }
    }
    let mut lines = table::lines(&cells);
    if hidden > 0 {
        let last = lines.len() - 1;
        lines.insert(last, format!("… {hidden} more …"));
    }
    lines
}

/// Consecutive clones with equal regions become one row.
fn alike(clones: &[PlannedJob]) -> Vec<Row<'_>> {
    let groups = clones.chunk_by(|a, b| a.files == b.files);
    let rows = groups.flat_map(|group| {
        let (first, last) = (group[0].subjob, group[group.len() - 1].subjob);
        group[0].files.iter().map(move |file| Row { first, last, file })
    });
    rows.collect()
}

fn cells_of(row: &Row<'_>, with_target: bool) -> Vec<String> {
    let file = row.file;
    let last = (file.offset.0 + file.size.0).saturating_sub(1);
    let clones =
        if row.first == row.last { row.first.to_string() } else { format!("{}-{}", row.first, row.last) };
    let from = (file.offset.0, file.offset.0 / file.lba.0);
    let mut cells = match file.is_until_full() {
        true => vec![clones, format!("{}-", from.0), format!("{}-", from.1), "all free space".to_owned()],
        false => {
            let lbas = format!("{}-{}", from.1, last / file.lba.0);
            vec![clones, format!("{}-{last}", from.0), lbas, file.size.to_string()]
        }
    };
    cells.extend(with_target.then(|| describe(file)));
    cells
}

fn describe(file: &PlannedFile) -> String {
    let length = file.length.map(|length| format!(", {length}")).unwrap_or_default();
    match file.kind {
        TargetKind::None => "none".to_owned(),
        TargetKind::Name => format!("{} (a name)", file.path),
        TargetKind::Simulated => format!("{} (simulated drive{length})", file.path),
        TargetKind::Block => format!("{} (device{length}, {}-byte LBAs)", file.path, file.lba.0),
        TargetKind::Namespace => {
            format!("{} (NVMe namespace{length}, {}-byte LBAs, commands)", file.path, file.lba.0)
        }
        TargetKind::ScsiNode => {
            format!("{} (SCSI disk{length}, {}-byte LBAs, commands)", file.path, file.lba.0)
        }
        TargetKind::Missing | TargetKind::Closed => format!("{} (to be created)", file.path),
        TargetKind::Char => format!("{} (character device)", file.path),
        TargetKind::File | TargetKind::Directory => format!("{} (file{length})", file.path),
    }
}
