//! The notes below the table: what must be known to read the columns that are shown.

use super::Jobs;
use super::column::Column;
use crate::column::HALF;
use crate::text::THIN_MEANS;
use fathom_figures::workload::planned_jobs;
use fathom_figures::{DirectionFigures, Row, UnevenTimes};
use fathom_text::number::cell;
use fathom_text::quantity::{half_percent, rounded_time};
use fathom_text::shown::line;
use fathom_text::words::wrapped;

/// What the notes say, in their order.
pub(super) struct Notes {
    /// How uncertain the rates are, in a full sentence and in a few words.
    sureness: Option<(String, String)>,
    others: Vec<String>,
    /// The same, in the order in which a line without room for all of them takes them.
    by_need: Vec<String>,
    width: usize,
}

impl Notes {
    /// The notes of a table that has these columns; `remarks` stand behind all others.
    pub fn of(rows: &[Row<'_>], kind: Jobs, columns: &[&Column], remarks: &[String], width: usize) -> Self {
        let is_thin = columns.iter().any(|column| column.cells.iter().any(|cell| cell.ends_with('·')));
        let thin = is_thin.then(|| THIN_MEANS.to_owned());
        let (latency, sound, uneven) = (latency_note(rows), without_failure(rows), uneven_note(rows));
        let all = |notes: [&Option<String>; 4]| -> Vec<String> {
            notes.into_iter().flatten().chain(remarks).cloned().collect()
        };
        Notes {
            sureness: sureness(rows, kind, columns.iter().any(|column| column.heading == HALF)),
            others: all([&uneven, &latency, &thin, &sound]),
            // The mark of a thin tail is read wrongly without its note.
            by_need: all([&uneven, &thin, &sound, &latency]),
            width,
        }
    }

    /// One line: those notes that fit into it as a whole, the most needed first.
    pub fn one_line(&self, left_out: usize) -> String {
        let more = (left_out > 0).then(|| format!("{left_out} more with --details"));
        let short = self.sureness.as_ref().map(|(_, short)| short);
        let mut text = String::new();
        for note in more.iter().chain(short).chain(&self.by_need) {
            let longer = if text.is_empty() { note.clone() } else { format!("{text}; {note}") };
            if text.is_empty() || longer.chars().count() <= self.width {
                text = longer;
            }
        }
        text
    }

    /// The lines: in full sentences where they fit into `room`, else in a few words. How uncertain the rates are is always
    /// said, and first that lines are left out.
    pub fn lines(&self, left_out: usize, room: usize) -> Vec<String> {
        let more = (left_out > 0).then(|| format!("{left_out} more with --details"));
        let together = |first: Option<&String>| {
            let all: Vec<&str> = more.iter().chain(first).chain(&self.others).map(String::as_str).collect();
            wrapped(&all.join("; "), self.width)
        };
        let Some((long, short)) = &self.sureness else { return together(None) };
        let apart: Vec<String> = std::iter::once(long.clone()).chain(together(None)).collect();
        let is_roomy = left_out == 0 && apart.len() <= room && long.chars().count() <= self.width;
        if is_roomy { apart } else { together(Some(short)) }
    }
}

/// Whether I/Os failed is asked of every result; failures themselves stand in the answer.
fn without_failure(rows: &[Row<'_>]) -> Option<String> {
    let is_sound = |row: &Row<'_>| row.errors() == 0 && row.failure().is_none();
    (rows.iter().any(|row| row.ios() > 0) && rows.iter().all(is_sound)).then(|| "no I/O failed".to_owned())
}

/// Of the first row whose workers measured for different times, that its rate is not that of all of them: `a: 1 of 2 workers
/// measured only 1 s; while all did, 2,400 IOPS`.
fn uneven_note(rows: &[Row<'_>]) -> Option<String> {
    let (row, uneven) = rows.iter().find_map(|row| Some((row, row.uneven_times()?)))?;
    let UnevenTimes { workers, shorter, shortest_ns, iops_of_all } = uneven;
    let least = if shorter == 1 { "only" } else { "less, at least" };
    let of_all = iops_of_all.map(|iops| format!(", and while all did: {} IOPS", cell(iops)));
    let of_all = of_all.unwrap_or_default();
    let time = rounded_time(shortest_ns);
    Some(format!("{}: {shorter} of {workers} workers measured {least} {time}{of_all}", line(row.name())))
}

/// How uncertain the rates are, or why that is not known, in a sentence and in a few words. `None` where nothing was done.
fn sureness(rows: &[Row<'_>], kind: Jobs, has_column: bool) -> Option<(String, String)> {
    let flows: Vec<_> = rows.iter().flat_map(Row::flows_busy).collect();
    let known: Vec<f64> = flows.iter().filter_map(DirectionFigures::iops_half).collect();
    if flows.is_empty() {
        return None;
    }
    if known.is_empty() {
        let why = unsure(rows, kind);
        return Some((format!("rates: {why}"), why));
    }
    let unsettled = unsettled(rows, kind);
    if has_column {
        let is = match &unsettled {
            Some(time) => format!("95 % interval of the mean of {time}; {SLOWER}"),
            None => "95 % interval of the mean of this run, and another run may differ by more".to_owned(),
        };
        let unknown = "; - where the job was too short or its rate fell";
        let unknown = if known.len() == flows.len() { "" } else { unknown };
        let short = match unsettled {
            Some(time) => format!("{HALF}: of {time} only; {SLOWER}"),
            None => format!("{HALF}: of this run, another may differ by more"),
        };
        return Some((format!("{HALF}: {is}{unknown}"), short));
    }
    let ends = (known.iter().copied().reduce(f64::min), known.iter().copied().reduce(f64::max));
    if ends.0? > 1.0 {
        let why = "too different from window to window for a mean".to_owned();
        return Some((format!("rates: {why}"), why));
    }
    let told = match (half_percent(ends.0?, "over "), half_percent(ends.1?, "over ")) {
        (low, high) if low == high => format!("± {low} %"),
        (low, high) => format!("± {low} to {high} %"),
    };
    let unknown = flows.len() - known.len();
    let short = if unknown > 0 { format!("{told}, {unknown} not known") } else { told.clone() };
    let of = if unknown > 0 { format!(", not known for {unknown}") } else { String::new() };
    Some(match unsettled {
        Some(time) => (
            format!("rates: {told}{of} (95 %) for the mean of {time}; {SLOWER}"),
            format!("{short} of {time} only"),
        ),
        None => (format!("rates: {told}, with 95 % probability{of}"), short),
    })
}

/// What the interval of a rate of writes does not cover: a new drive, and a cache, write faster than they can for long.
const SLOWER: &str = "steady state may be slower";

/// What the intervals are of where jobs wrote and no rule found their rates steady: `these 30 s`, of jobs of different lengths
/// `this run`. Of the jobs of a procedure, the trust says how short their writes are.
fn unsettled(rows: &[Row<'_>], kind: Jobs) -> Option<String> {
    if kind == Jobs::OfProcedure || !rows.iter().any(Row::has_unsettled_writes) {
        return None;
    }
    let mut times = rows.iter().filter(|row| row.ios() > 0).map(|row| rounded_time(row.runtime_ns()));
    let first = times.next()?;
    Some(if times.all(|time| time == first) { format!("these {first}") } else { "this run".to_owned() })
}

/// Windows that an interval needs at least ([`fathom_stats::Estimate::of_series`]).
const WINDOWS_MIN: u64 = 10;

/// Why no rate has an interval: `no ± after 2 s, which is too short: --seconds 10 gives it`.
fn unsure(rows: &[Row<'_>], kind: Jobs) -> String {
    let busy = || rows.iter().filter(|row| row.ios() > 0);
    let longest = busy().map(Row::runtime_ns).max().unwrap_or(0);
    let needed = busy().map(Row::window_seconds).max().unwrap_or(1) * WINDOWS_MIN;
    if busy().any(|row| row.rate_fall().is_some()) {
        return "no ±: the rate fell meanwhile, so the mean is of two rates".to_owned();
    }
    if longest / 1_000_000_000 >= needed {
        return "no ±: the workers measured at different times".to_owned();
    }
    let needed = match kind {
        Jobs::OfProcedure => format!("--seconds {needed} gives it"),
        Jobs::OfUser => format!("{needed} s of a job give it"),
    };
    format!("no ± after {}, which is too short: {needed}", rounded_time(longest))
}

/// Jobs that are named one by one.
const NAMES_MAX: usize = 2;

/// Which latency the columns have: `latency: completion`; `latency: completion, of rated from the planned start`; where the
/// directions of a job differ `latency: completion, of rated read from the planned start`.
fn latency_note(rows: &[Row<'_>]) -> Option<String> {
    let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
    for (kind, name) in rows.iter().flat_map(latencies) {
        let of = match kinds.iter().position(|(known, _)| *known == kind) {
            Some(known) => known,
            None => {
                kinds.push((kind, Vec::new()));
                kinds.len() - 1
            }
        };
        // Clones of a job may have a row each.
        if kinds[of].1.last() != Some(&name) {
            kinds[of].1.push(name);
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

/// The latency of each job of a row with its name, and of each direction where they differ.
fn latencies(row: &Row<'_>) -> Vec<(&'static str, String)> {
    let flows = row.flows_busy();
    let kinds: Vec<_> =
        flows.iter().filter_map(|flow| Some((since(flow.main_latency()?.0), flow.name))).collect();
    let Some((first, _)) = kinds.first().copied() else { return Vec::new() };
    let jobs = planned_jobs(std::slice::from_ref(row)).into_iter().map(|job| line(&job.name).into_owned());
    match kinds.iter().all(|(kind, _)| *kind == first) {
        true => jobs.map(|name| (first, name)).collect(),
        false => kinds.iter().map(|(kind, of)| (*kind, format!("{} {of}", line(row.name())))).collect(),
    }
}

/// Since when a main latency counts, in words.
fn since(kind: &str) -> &'static str {
    match kind {
        "completion" => "completion",
        "response" => "from the planned start",
        _ => "from the start of the I/O",
    }
}
