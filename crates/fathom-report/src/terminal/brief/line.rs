//! The lines of the table: one for each direction of a row, and one for its syncs.

use super::Jobs;
use crate::column::of_latency;
use crate::number::{TimeUnit, cell, half_percent};
use crate::text::{instead_of_rate, names_of, without_io};
use fathom_figures::metric::{Metric, Output, of_output};
use fathom_figures::workload::{sizes_and_depth, syncs as syncs_of, workload_of};
use fathom_figures::{DirectionFigures, Row};
use fathom_results::{JobResult, Latency, Unrated};
use fathom_text::shown::line;

/// The measurements of `quick` that most people ask for: their lines are left out last.
const FIRST: [&str; 2] = ["rand-read-iops", "rand-write-iops"];

/// One line: what it is of, and its figures.
pub(super) struct Line {
    pub name: String,
    /// What the jobs do, as in a job file: `4k randread QD32`; empty where the name says it.
    pub workload: String,
    /// IOPS, ±, MB/s, then the latencies of a first screen.
    pub cells: Vec<String>,
    /// How many lines of the same jobs come before it.
    pub before: usize,
    /// It is of a measurement of `quick` that is left out last.
    pub is_first: bool,
}

/// The jobs of a row that a line is of, each as its clones.
type Parts<'a> = Vec<&'a [JobResult]>;

/// All lines, in plan order.
pub(super) fn lines(rows: &[Row<'_>], kind: Jobs, unit: TimeUnit) -> Vec<Line> {
    rows.iter().flat_map(|row| of_row(row, kind, unit)).collect()
}

/// The places of the `room` lines that are shown, in their order: of each job the first line, before any job has two.
pub(super) fn shown(lines: &[Line], room: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    places.sort_by_key(|at| (lines[*at].before, !lines[*at].is_first));
    places.truncate(room);
    places.sort_unstable();
    places
}

fn of_row(row: &Row<'_>, kind: Jobs, unit: TimeUnit) -> Vec<Line> {
    let flows = row.flows_busy();
    let is_quick = kind == Jobs::OfQuick;
    let mut known: Vec<String> = Vec::new();
    let mut told = |parts: Parts<'_>, direction: &str, cells| {
        // As it is shown, so that an escape counts with all its columns.
        let jobs = line(&names_of(&parts)).into_owned();
        let before = known.iter().filter(|name| **name == jobs).count();
        known.push(jobs.clone());
        Line {
            name: if direction.is_empty() { jobs } else { format!("{jobs} {direction}") },
            workload: match is_quick {
                true => sizes_and_depth(row.first()),
                false => workload_of(parts.into_iter()),
            },
            cells,
            before,
            is_first: is_quick && FIRST.contains(&row.name()),
        }
    };
    if flows.is_empty() {
        return vec![told(row.parts().collect(), "", without_figures(row))];
    }
    // Jobs that share a row may use one direction each.
    let is_one = flows.len() == 1;
    let name = |flow: &DirectionFigures<'_>| if is_one { "" } else { flow.name };
    let mut lines: Vec<Line> =
        flows.iter().map(|flow| told(flow.parts().collect(), name(flow), cells(flow, unit))).collect();
    if let Some(cells) = syncs(row, unit) {
        let did = |part: &&[JobResult]| part.iter().any(|it| it.totals.sync.moments.count() > 0);
        let parts: Parts<'_> = row.parts().filter(did).collect();
        let option = parts.iter().find_map(|part| syncs_of(&part[0].planned));
        let line = told(parts, "sync", cells);
        let workload = option.filter(|_| !is_quick).unwrap_or(line.workload);
        lines.push(Line { workload, ..line });
    }
    lines
}

/// Why a row has no figures, in the column of the rates.
fn without_figures(row: &Row<'_>) -> Vec<String> {
    let state = if row.failure().is_some() { "failed" } else { without_io(row) };
    let state = match state {
        "failed" | "not started" => state,
        _ if row.runtime_ns() == 0 => "not measured",
        _ => "0",
    };
    // The uncertainty of the rate is a column that is no metric.
    std::iter::once(state.to_owned()).chain(of_output(Output::Screen).map(|_| String::new())).collect()
}

/// The syncs of a row, which its rate does not count but its time contains.
fn syncs(row: &Row<'_>, unit: TimeUnit) -> Option<Vec<String>> {
    let kept = &row.totals.sync;
    let n = kept.moments.count();
    if n == 0 || row.is_too_short() {
        return None;
    }
    let rate = match Unrated::of(n, row.runtime_ns()) {
        Some(unrated) => instead_of_rate(unrated, n).replace("I/O", "sync"),
        None => cell(n as f64 / row.seconds()),
    };
    Some(with_latencies([rate, String::new(), "-".to_owned()], Some(kept), unit))
}

fn cells(flow: &DirectionFigures<'_>, unit: TimeUnit) -> Vec<String> {
    let kept = flow.main_latency().map(|(_, kept)| kept);
    if let Some(unrated) = flow.unrated() {
        let instead = instead_of_rate(unrated, flow.totals.ios);
        return with_latencies([instead, String::new(), "-".to_owned()], kept, unit);
    }
    let half = flow.iops_half().map_or_else(|| "-".to_owned(), |half| half_percent(half, ">"));
    with_latencies([cell(flow.iops()), half, cell(flow.bytes_per_second() / 1e6)], kept, unit)
}

/// The cells of the rates, and those of the latencies.
fn with_latencies(rates: [String; 3], kept: Option<&Latency>, unit: TimeUnit) -> Vec<String> {
    rates.into_iter().chain(latencies(kept, unit)).collect()
}

/// The latencies of a first screen; of too few I/Os only the slowest.
fn latencies(kept: Option<&Latency>, unit: TimeUnit) -> Vec<String> {
    let figure = |metric: &Metric| match of_latency(metric, kept?, |ns| unit.cell(ns))? {
        (text, true) => Some(text + "·"),
        (text, false) => Some(text),
    };
    let metrics = of_output(Output::Screen).filter(|metric| metric.is_latency());
    metrics.map(|metric| figure(metric).unwrap_or_else(|| "-".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::{Histogram, Moments};

    fn kept(ios: u64) -> Latency {
        let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
        moments.record_n(1_500, ios);
        histogram.record_n(1_500, ios);
        Latency { moments, histogram: Some(histogram) }
    }

    #[test]
    fn few_ios_have_no_mean_and_no_percentile() {
        assert_eq!(latencies(Some(&kept(9)), TimeUnit::Us), ["-", "-", "-", "-", "1.50"]);
        assert_eq!(latencies(Some(&kept(10)), TimeUnit::Us), ["1.50", "1.50·", "1.50·", "1.50·", "1.50"]);
    }

    #[test]
    fn thin_tails_are_marked() {
        let cells = latencies(Some(&kept(500)), TimeUnit::Us);
        assert_eq!(cells[0], "1.50");
        assert!(cells[2].ends_with('·') && !cells[1].ends_with('·'), "{cells:?}");
    }

    #[test]
    fn no_job_loses_its_last_line_before_another_has_two() {
        let line = |before, is_first| Line {
            name: String::new(),
            workload: String::new(),
            cells: Vec::new(),
            before,
            is_first,
        };
        let lines =
            [line(0, false), line(1, false), line(2, false), line(0, false), line(1, false), line(0, true)];
        let all: Vec<Vec<usize>> = (1..=6).map(|room| shown(&lines, room)).collect();
        let said: [&[usize]; 6] =
            [&[5], &[0, 5], &[0, 3, 5], &[0, 1, 3, 5], &[0, 1, 3, 4, 5], &[0, 1, 2, 3, 4, 5]];
        assert_eq!(all, said);
    }
}
