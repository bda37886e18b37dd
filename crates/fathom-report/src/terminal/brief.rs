//! The table of a first screen: a line for each job and direction, one unit for each column, and as
//! many columns as there is room for.

use super::answer::cut;
use crate::number::{TimeUnit, cell, significant};
use crate::text::without_io;
use fathom_figures::workload::{sizes_and_depth, workload};
use fathom_figures::{DirectionFigures, Percentile, Row, is_thin};
use fathom_job::units::Nanos;
use fathom_results::Latency;
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_text::words::wrapped;
use std::ops::Range;

/// Columns between two columns of the table.
const GAP: usize = 2;

/// The heading of the uncertainty of a rate: half of its 95 % interval.
const HALF: &str = "± %";

/// The first column is at most this share of the width.
const NAME_SHARE: usize = 3;
/// Names are cut to this before a column of figures is left out: the longest name of `quick`.
const NAME_MIN: usize = 19;

/// A column: its place among the others is that of the list; `rank` says which are kept where there
/// is no room for all.
struct Column {
    heading: String,
    rank: u8,
    cells: Vec<String>,
    /// A column of words begins at its left edge.
    is_words: bool,
}

/// One line: what it is of, and its figures.
pub(super) struct Line {
    pub name: String,
    /// What the job does, as in a job file: `4k randread QD32`; empty where the name says it.
    pub workload: String,
    /// IOPS, ±, MB/s, then mean, p50, p99, p99.9, max.
    pub cells: [String; 8],
}

/// The table of at most `lines` lines, its headings and what it says of itself included.
pub(super) fn table(rows: &[Row<'_>], kind: Jobs, lines: usize, style: Style) -> String {
    let all = all_lines(rows, kind);
    if all.is_empty() {
        return String::new();
    }
    let unit = unit(rows);
    // `quick` fills a target before it reads it: that is told only where there is room.
    let is_fill = |line: &Line| kind == Jobs::OfQuick && line.name == FILL;
    let (fill, measured): (Vec<Line>, Vec<Line>) = all.into_iter().partition(is_fill);
    let has_room = measured.len() + fill.len() + LINES_BESIDE <= lines;
    let fill = fill
        .into_iter()
        .filter(|_| has_room)
        .map(|line| Line { name: format!("{FILL} (preparation)"), ..line });
    let all: Vec<Line> = fill.chain(measured).collect();
    let table = Table::of(all, unit, style.width);
    let (shown, notes) = fitting_lines(rows, &table, kind, lines, style.width);
    let mut out = table.headings(style) + &table.render(0..shown, style);
    notes.iter().for_each(|note| out += &(style.faint(&cut(note, style.width)) + "\n"));
    out
}

/// How many lines of the table are shown, and the notes below it: all of them, or as many as there is room for.
fn fitting_lines(
    rows: &[Row<'_>],
    table: &Table,
    kind: Jobs,
    lines: usize,
    width: usize,
) -> (usize, Vec<String>) {
    let all = table.names.len();
    let beside = |left_out| notes(rows, table, kind, left_out, lines, width);
    let fits = |shown: &usize| 1 + shown + beside(all - shown).len() <= lines;
    let shown = (1..=all).rev().find(fits).unwrap_or(1);
    (shown, beside(all - shown))
}

/// The job of `quick` that writes what is read later.
const FILL: &str = "fill";

/// Lines of the headings and of the notes.
const LINES_BESIDE: usize = 3;

/// Whose jobs they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jobs {
    /// Their names say what they do, but for block size and depth.
    OfQuick,
    OfUser,
}

fn all_lines(rows: &[Row<'_>], kind: Jobs) -> Vec<Line> {
    let unit = unit(rows);
    let of = |row: &Row<'_>| {
        let mut lines = of_row(row, unit);
        if kind == Jobs::OfQuick {
            lines.iter_mut().for_each(|line| line.workload = sizes_and_depth(row));
        }
        lines
    };
    rows.iter().flat_map(of).collect()
}

/// Is there room for the column that says what each job does?
pub(super) fn shows_workloads(rows: &[Row<'_>], kind: Jobs, width: usize) -> bool {
    Table::of(all_lines(rows, kind), unit(rows), width).columns.iter().any(|column| column.is_words)
}

/// The unit of all latencies of these rows.
fn unit(rows: &[Row<'_>]) -> TimeUnit {
    TimeUnit::for_fastest(rows.iter().flat_map(|row| {
        let flows = row.flows_busy();
        flows.iter().filter_map(|flow| flow.main_latency_ns_mean()).collect::<Vec<_>>()
    }))
}

fn of_row(row: &Row<'_>, unit: TimeUnit) -> Vec<Line> {
    let flows = row.flows_busy();
    // As it is shown, so that an escape counts with all its columns.
    let name = line(row.name());
    if flows.is_empty() {
        let state = if row.failure().is_some() { "failed" } else { without_io(row) };
        let mut cells = [const { String::new() }; 8];
        cells[0] = match state {
            "failed" | "not started" => state.to_owned(),
            _ if row.runtime_ns() == 0 => "not measured".to_owned(),
            _ => "0".to_owned(),
        };
        return vec![Line { name: name.into_owned(), workload: workload(row), cells }];
    }
    let told = |flow: &DirectionFigures<'_>| {
        let name = if flows.len() > 1 { format!("{name} {}", flow.name) } else { name.to_string() };
        Line { name, workload: workload(row), cells: cells(flow, unit) }
    };
    flows.iter().map(told).chain(syncs(row, unit)).collect()
}

/// The syncs of a job, which its rate does not count but its time contains.
fn syncs(row: &Row<'_>, unit: TimeUnit) -> Option<Line> {
    let kept = &row.totals.sync;
    let n = kept.moments.count();
    if n == 0 || row.is_too_short() {
        return None;
    }
    let [mean, p50, p99, p999, max] = latencies(kept, unit);
    let rate = cell(n as f64 / row.seconds());
    let cells = [rate, String::new(), "-".to_owned(), mean, p50, p99, p999, max];
    Some(Line { name: format!("{} sync", line(row.name())), workload: workload(row), cells })
}

fn cells(flow: &DirectionFigures<'_>, unit: TimeUnit) -> [String; 8] {
    let [mean, p50, p99, p999, max] = match flow.main_latency() {
        Some((_, kept)) => latencies(kept, unit),
        None => ["-"; 5].map(str::to_owned),
    };
    if flow.is_too_short() {
        return ["too short".to_owned(), String::new(), "-".to_owned(), mean, p50, p99, p999, max];
    }
    let half = flow.iops_estimate().map(|e| 100.0 * (e.high - e.low) / 2.0 / flow.iops());
    let half = half.map_or_else(|| "-".to_owned(), |percent| significant(percent, 2));
    [cell(flow.iops()), half, cell(flow.bytes_per_second() / 1e6), mean, p50, p99, p999, max]
}

/// Mean, p50, p99, p99.9, max.
fn latencies(kept: &Latency, unit: TimeUnit) -> [String; 5] {
    let number = |ns: f64| unit.cell(ns);
    let text = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), number);
    let quantile = |percent: f64| {
        let told = kept.histogram.as_ref().and_then(|h| Percentile::of(h, percent));
        let mark = if is_thin(kept.moments.count(), percent) { "·" } else { "" };
        told.map_or_else(|| text(None), |told| crate::percentile::text(told, number)) + mark
    };
    let max = text(kept.moments.max().map(|v| v as f64));
    [text(kept.moments.mean()), quantile(50.0), quantile(99.0), quantile(99.9), max]
}

/// The columns in their order. IOPS, bandwidth and the latencies are kept longest.
fn columns(lines: &[Line], unit: TimeUnit) -> Vec<Column> {
    let of = unit.symbol();
    let headings: [(String, u8); 8] = [
        ("IOPS".to_owned(), 0),
        (HALF.to_owned(), 7),
        ("MB/s".to_owned(), 1),
        (format!("mean {of}"), 2),
        (format!("p50 {of}"), 4),
        (format!("p99 {of}"), 3),
        (format!("p99.9 {of}"), 5),
        (format!("max {of}"), 8),
    ];
    let column = |(at, (heading, rank)): (usize, (String, u8))| Column {
        heading,
        rank,
        cells: lines.iter().map(|line| line.cells[at].clone()).collect(),
        is_words: false,
    };
    let workloads = Column {
        heading: "job".to_owned(),
        rank: 6,
        cells: lines.iter().map(|line| line.workload.clone()).collect(),
        is_words: true,
    };
    let columns = std::iter::once(workloads).chain(headings.into_iter().enumerate().map(column));
    // Where no rate has an interval, the note says why.
    let tells = |column: &Column| {
        column.cells.iter().any(|cell| !cell.is_empty() && (column.heading != HALF || cell != "-"))
    };
    columns.filter(tells).collect()
}

impl Column {
    fn padded(&self, text: &str) -> String {
        let width = self.width();
        match self.is_words {
            true => format!("{:GAP$}{text:<1$}", "", width - GAP),
            false => format!("{text:>width$}"),
        }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().chain([&self.heading]);
        GAP + cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

/// A table whose columns fit.
pub(super) struct Table {
    names: Vec<String>,
    width_of_names: usize,
    columns: Vec<Column>,
}

impl Table {
    pub fn of(lines: Vec<Line>, unit: TimeUnit, width: usize) -> Self {
        let names = lines.iter().map(|line| line.name.as_str());
        let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let columns = fitting(columns(&lines, unit), width.saturating_sub(longest.min(NAME_MIN)));
        let left = width.saturating_sub(columns.iter().map(Column::width).sum());
        let width_of_names = longest.min(left.clamp(NAME_MIN, (width / NAME_SHARE).max(NAME_MIN)));
        let names = lines.into_iter().map(|line| line.name).collect();
        Table { names, width_of_names, columns }
    }

    pub fn headings(&self, style: Style) -> String {
        let name = self.width_of_names;
        let mut out = " ".repeat(name);
        self.columns.iter().for_each(|column| out += &column.padded(&column.heading));
        style.faint(&out) + "\n"
    }

    /// These lines.
    pub fn render(&self, lines: Range<usize>, style: Style) -> String {
        let name = self.width_of_names;
        let mut out = String::new();
        for at in lines {
            let mut line = format!("{:<name$}", cut_within(&self.names[at], name));
            for column in &self.columns {
                let cell = column.padded(&column.cells[at]);
                line += &if column.cells[at].ends_with('·') { style.faint(&cell) } else { cell };
            }
            out += line.trim_end();
            out.push('\n');
        }
        out
    }
}

/// A name of at most `room` characters: its beginning and its end, which has the direction and often
/// the number of the job.
fn cut_within(name: &str, room: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= room {
        return name.to_owned();
    }
    let end = room.saturating_sub(1) / 2;
    let begin = room.saturating_sub(1) - end;
    let kept = characters[..begin].iter().chain(&['…']).chain(&characters[characters.len() - end..]);
    kept.collect()
}

/// The columns of the lowest ranks that fit beside each other.
fn fitting(mut columns: Vec<Column>, room: usize) -> Vec<Column> {
    while columns.len() > 1 && columns.iter().map(Column::width).sum::<usize>() > room {
        let last = columns.iter().enumerate().max_by_key(|(_, column)| column.rank).map(|(at, _)| at);
        last.into_iter().for_each(|at| drop(columns.remove(at)));
    }
    columns
}

/// What must be known to read the columns that are shown, in full sentences where there is room for all rows and the
/// notes, else in a few words. How uncertain the rates are is always said, and first that lines are left out.
fn notes(
    rows: &[Row<'_>],
    table: &Table,
    kind: Jobs,
    left_out: usize,
    lines: usize,
    width: usize,
) -> Vec<String> {
    let has = |find: &dyn Fn(&Column) -> bool| table.columns.iter().any(find);
    let is_thin = has(&|column| column.cells.iter().any(|cell| cell.ends_with('·')));
    let thin = is_thin.then(|| "·: few I/Os, not certain".to_owned());
    let others = || [latency_note(rows), thin.clone(), without_failure(rows)].into_iter().flatten();
    let more = (left_out > 0).then(|| format!("{left_out} more with --details"));
    let together = |first: Option<String>| {
        let all: Vec<String> = more.clone().into_iter().chain(first).chain(others()).collect();
        wrapped(&all.join("; "), width)
    };
    let Some((long, short)) = sureness(rows, kind, has(&|column| column.heading == HALF)) else {
        return together(None);
    };
    let apart: Vec<String> = std::iter::once(long).chain(together(None)).collect();
    let is_roomy = lines > table.names.len() + apart.len() && apart[0].chars().count() <= width;
    if is_roomy { apart } else { together(Some(short)) }
}

/// Whether I/Os failed is asked of every result; failures themselves stand in the answer.
fn without_failure(rows: &[Row<'_>]) -> Option<String> {
    let is_sound = |row: &Row<'_>| row.errors() == 0 && row.failure().is_none();
    (rows.iter().any(|row| row.ios() > 0) && rows.iter().all(is_sound)).then(|| "no I/O failed".to_owned())
}

/// How uncertain the rates are, or why that is not known, in a sentence and in a few words. `None` where nothing was done.
fn sureness(rows: &[Row<'_>], kind: Jobs, has_column: bool) -> Option<(String, String)> {
    let flows: Vec<_> = rows.iter().flat_map(Row::flows_busy).collect();
    let half = |flow: &DirectionFigures<'_>| {
        let estimate = flow.iops_estimate()?;
        Some(100.0 * (estimate.high - estimate.low) / 2.0 / flow.iops())
    };
    let known: Vec<f64> = flows.iter().filter_map(half).collect();
    if flows.is_empty() {
        return None;
    }
    if known.is_empty() {
        let why = unsure(rows, kind);
        return Some((format!("rates: {why}"), why));
    }
    if has_column {
        let is = "with 95 % probability, the true mean is within this; - where the job was too short";
        let is = if known.len() == flows.len() { is.split(';').next().unwrap_or(is) } else { is };
        return Some((format!("{HALF}: {is}"), format!("{HALF}: 95 % interval")));
    }
    let ends = (known.iter().copied().reduce(f64::min), known.iter().copied().reduce(f64::max));
    let told = match (significant(ends.0?, 2), significant(ends.1?, 2)) {
        (low, high) if low == high => format!("± {low} %"),
        (low, high) => format!("± {low} to {high} %"),
    };
    let unknown = flows.len() - known.len();
    let short = if unknown > 0 { format!("{told}, {unknown} not known") } else { told.clone() };
    let of = if unknown > 0 { format!(", not known for {unknown}") } else { String::new() };
    Some((format!("rates: {told}, with 95 % probability{of}"), short))
}

/// Windows that an interval needs at least ([`fathom_stats::Estimate::of_series`]).
const WINDOWS_MIN: u64 = 10;

/// Why no rate has an interval: `± not known from 2 s: --seconds 10 gives it`.
fn unsure(rows: &[Row<'_>], kind: Jobs) -> String {
    let busy = || rows.iter().filter(|row| row.ios() > 0);
    let longest = busy().map(Row::runtime_ns).max().unwrap_or(0);
    let needed = busy().map(Row::window_seconds).max().unwrap_or(1) * WINDOWS_MIN;
    if longest / 1_000_000_000 >= needed {
        return "± not known: the workers measured at different times".to_owned();
    }
    let needed = match kind {
        Jobs::OfQuick => format!("--seconds {needed} gives it"),
        Jobs::OfUser => format!("it needs {needed} s of a job"),
    };
    format!("± not known from {}: {needed}", rounded(longest))
}

/// A time in seconds, to the tenth; of less than a second, in milliseconds.
fn rounded(ns: u64) -> String {
    match ns {
        ns if ns < 995_000_000 => Nanos(ns.next_multiple_of(1_000_000)).to_string(),
        ns => format!("{} s", (ns as f64 / 1e8).round() / 10.0),
    }
}

/// Jobs that are named one by one.
const NAMES_MAX: usize = 2;

/// Which latency the columns have: `latency: completion`; `latency: completion, of rated from the planned start`.
fn latency_note(rows: &[Row<'_>]) -> Option<String> {
    let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows {
        let flows = row.flows_busy();
        let Some((kind, _)) = flows.iter().find_map(DirectionFigures::main_latency) else { continue };
        let (kind, name) = (since(kind), line(row.name()).into_owned());
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(name),
            None => kinds.push((kind, vec![name])),
        }
    }
    // What most jobs have is told without their names.
    kinds.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let (most, others) = kinds.split_first()?;
    let whose = |(kind, names): &(&str, Vec<String>)| match names.len() {
        1..=NAMES_MAX => format!(", of {} {kind}", names.join(" and ")),
        n => format!(", of {n} jobs {kind}"),
    };
    Some(format!("latency: {}{}", most.0, others.iter().map(whose).collect::<String>()))
}

/// Since when a main latency counts, in words.
fn since(kind: &str) -> &'static str {
    match kind {
        "completion" => "completion",
        "response" => "from the planned start",
        _ => "from the start of the I/O",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::{Histogram, Moments};

    #[test]
    fn thin_tails_are_marked() {
        let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
        moments.record_n(1_500, 500);
        histogram.record_n(1_500, 500);
        let kept = Latency { moments, histogram: Some(histogram) };
        let cells = latencies(&kept, TimeUnit::Us);
        assert_eq!(cells[0], "1.50");
        assert!(cells[2].ends_with('·') && !cells[1].ends_with('·'), "{cells:?}");
    }

    #[test]
    fn a_long_name_is_cut_before_a_percentile_is_left_out() {
        let line = Line {
            name: "a-name-that-nobody-can-read-to-its-end".to_owned(),
            workload: "4k randread QD32".to_owned(),
            cells: ["123,456"; 8].map(str::to_owned),
        };
        let table = Table::of(vec![line], TimeUnit::Us, 80);
        let headings = table.headings(Style { width: 80, ..Style::PLAIN });
        assert!(headings.contains("p50 µs") && headings.contains("p99.9 µs"), "{headings}");
        let row = table.render(0..1, Style { width: 80, ..Style::PLAIN });
        assert!(row.starts_with("a-name-th") && row.contains("…") && row.chars().count() <= 81, "{row}");
    }

    #[test]
    fn the_least_important_columns_go_first() {
        let line = |name: &str| Line {
            name: name.to_owned(),
            workload: String::new(),
            cells: ["123,456"; 8].map(str::to_owned),
        };
        let lines = [line("a")];
        let kept = |width| {
            let kept = fitting(columns(&lines, TimeUnit::Us), width);
            kept.into_iter().map(|column| column.heading).collect::<Vec<_>>()
        };
        assert_eq!(kept(80).len(), 8);
        assert_eq!(kept(58), ["IOPS", "MB/s", "mean µs", "p50 µs", "p99 µs", "p99.9 µs"]);
        assert_eq!(kept(45), ["IOPS", "MB/s", "mean µs", "p50 µs", "p99 µs"]);
        assert_eq!(kept(36), ["IOPS", "MB/s", "mean µs", "p99 µs"]);
        assert_eq!(kept(1), ["IOPS"]);
    }
}
