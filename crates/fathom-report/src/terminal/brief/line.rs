//! The lines of the table: one for each direction of a row, and one for its syncs.

use super::Jobs;
use crate::column::{latency_cell, value};
use crate::text::{instead_of_rate, names_of, without_io};
use fathom_figures::metric::{Columns, Metric, Output};
use fathom_figures::workload::{sizes_and_depth, syncs as syncs_of, workload_of};
use fathom_figures::{DirectionFigures, Row};
use fathom_results::quick::{RAND_READ_IOPS, RAND_WRITE_IOPS};
use fathom_results::{JobResult, Unrated};
use fathom_text::number::cell;
use fathom_text::quantity::{TimeUnit, half_percent};
use fathom_text::shown::line;

/// The measurements of `quick` that most people ask for: their lines are left out last.
const FIRST: [&str; 2] = [RAND_READ_IOPS, RAND_WRITE_IOPS];

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
pub(super) fn lines(rows: &[Row<'_>], kind: Jobs, columns: &Columns, unit: TimeUnit) -> Vec<Line> {
    let cells = Cells { metrics: columns.of(Output::Screen), are_chosen: columns.are_chosen(), unit };
    rows.iter().flat_map(|row| of_row(row, kind, &cells)).collect()
}

/// The places of the `room` lines that are shown, in their order: of each job the first line, before any job has two.
pub(super) fn shown(lines: &[Line], room: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    places.sort_by_key(|at| (lines[*at].before, !lines[*at].is_first));
    places.truncate(room);
    places.sort_unstable();
    places
}

fn of_row(row: &Row<'_>, kind: Jobs, columns: &Cells) -> Vec<Line> {
    let flows = row.flows_busy();
    let is_of_procedure = kind == Jobs::OfProcedure;
    let mut known: Vec<String> = Vec::new();
    let mut row_line = |parts: Parts<'_>, direction: &str, cells| {
        // As it is shown, so that an escape counts with all its columns.
        let jobs = line(&names_of(&parts)).into_owned();
        let before = known.iter().filter(|name| **name == jobs).count();
        known.push(jobs.clone());
        Line {
            name: if direction.is_empty() { jobs } else { format!("{jobs} {direction}") },
            workload: match is_of_procedure {
                true => sizes_and_depth(row.first()),
                false => workload_of(parts.into_iter()),
            },
            cells,
            before,
            is_first: is_of_procedure && FIRST.contains(&row.name()),
        }
    };
    if flows.is_empty() {
        return vec![row_line(row.parts().collect(), "", columns.without_figures(row))];
    }
    // Jobs that share a row may use one direction each.
    let is_one = flows.len() == 1;
    let name = |flow: &DirectionFigures<'_>| if is_one { "" } else { flow.name };
    let mut lines: Vec<Line> = flows
        .iter()
        .map(|flow| row_line(flow.parts().collect(), name(flow), columns.of_flow(row, flow)))
        .collect();
    if let Some(cells) = columns.of_syncs(row) {
        let did = |part: &&[JobResult]| part.iter().any(|it| it.totals.sync.moments.count() > 0);
        let parts: Parts<'_> = row.parts().filter(did).collect();
        let option = parts.iter().find_map(|part| syncs_of(&part[0].planned));
        let line = row_line(parts, "sync", cells);
        let workload = option.filter(|_| !is_of_procedure).unwrap_or(line.workload);
        lines.push(Line { workload, ..line });
    }
    lines
}

/// The columns of the table, and what has no figures of its own in them.
struct Cells {
    metrics: Vec<&'static Metric>,
    /// A person chose them, so a percentile of too few I/Os is no figure.
    are_chosen: bool,
    unit: TimeUnit,
}

impl Cells {
    /// A cell for each metric, and beside the rate that of its uncertainty.
    fn of(&self, half: &str, cell: impl Fn(&Metric) -> String) -> Vec<String> {
        let cells = self.metrics.iter().flat_map(|metric| {
            let half = (metric.id == "iops").then(|| half.to_owned());
            std::iter::once(cell(metric)).chain(half)
        });
        cells.collect()
    }

    /// Why a row has no figures, in the first column.
    fn without_figures(&self, row: &Row<'_>) -> Vec<String> {
        let state = if row.failure().is_some() { "failed" } else { without_io(row) };
        let state = match state {
            "failed" | "not started" => state,
            _ if row.runtime_ns() == 0 => "not measured",
            _ => "0",
        };
        let load = row.worker_percent().filter(|_| state == "0" && row.first().burns_cpu());
        let state = load.map_or(state.to_owned(), |percent| format!("used {percent:.1} %"));
        let mut cells = self.of("", |_| String::new());
        cells.iter_mut().take(1).for_each(|first| first.clone_from(&state));
        cells
    }

    /// The syncs of a row, which its rate does not count but its time contains.
    fn of_syncs(&self, row: &Row<'_>) -> Option<Vec<String>> {
        let kept = &row.totals.sync;
        let n = kept.moments.count();
        if n == 0 || row.is_too_short() {
            return None;
        }
        let rate = match Unrated::of(n, row.runtime_ns()) {
            Some(unrated) => instead_of_rate(unrated, n).replace("I/O", "sync"),
            None => cell(n as f64 / row.seconds()),
        };
        Some(self.of("", |metric| match metric.id {
            "iops" => rate.clone(),
            _ => latency_cell(metric, Some(kept), self.are_chosen, |ns| self.unit.cell(ns)),
        }))
    }

    fn of_flow(&self, row: &Row<'_>, flow: &DirectionFigures<'_>) -> Vec<String> {
        let kept = flow.main_latency().map(|(_, kept)| kept);
        let instead = flow.unrated().map(|unrated| instead_of_rate(unrated, flow.totals.ios));
        let half = match &instead {
            Some(_) => String::new(),
            None => flow.iops_half().map_or_else(|| "-".to_owned(), |half| half_percent(half, ">")),
        };
        self.of(&half, |metric| match (metric.id, &instead) {
            ("iops", Some(instead)) => instead.clone(),
            _ if metric.is_latency() => latency_cell(metric, kept, self.are_chosen, |ns| self.unit.cell(ns)),
            _ => value(metric, metric.of_flow(flow).or_else(|| metric.of_row(row)), self.unit),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::metric::of_output;
    use fathom_results::Latency;
    use fathom_stats::{Histogram, Moments};

    fn latencies(ios: u64) -> Vec<String> {
        let kept = kept(ios);
        let latencies = of_output(Output::Screen).filter(|metric| metric.is_latency());
        latencies.map(|metric| latency_cell(metric, Some(&kept), false, |ns| TimeUnit::Us.cell(ns))).collect()
    }

    fn kept(ios: u64) -> Latency {
        let (mut moments, mut histogram) = (Moments::new(), Histogram::new());
        moments.record_n(1_500, ios);
        histogram.record_n(1_500, ios);
        Latency { moments, histogram: Some(histogram) }
    }

    #[test]
    fn few_ios_have_no_mean_and_no_percentile() {
        assert_eq!(latencies(9), ["-", "-", "-", "-", "1.50"]);
        assert_eq!(latencies(10), ["1.50", "1.50·", "1.50·", "1.50·", "1.50"]);
    }

    #[test]
    fn thin_tails_are_marked() {
        let cells = latencies(500);
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
