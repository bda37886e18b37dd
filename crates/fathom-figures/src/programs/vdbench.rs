//! vdbench: the table of `flatfile.html`, and the rows of its console, `logfile.html` and `summary.html`.
//!
//! A row `avg_2-10` is the result of a run definition; its intervals are read only where it is missing. A MB of vdbench has 2²⁰ bytes.

use super::finding::{Findings, ProgramFinding, RowFault, cut};
use super::format::ProgramFormat;
use super::gather::{Gather, ROWS_MAX};
use super::number::{Comma, MIB, MS, Written, lines, readable, size, value};
use super::program::Program;
use super::result::{ProgramLoad, ProgramResult, ProgramRow};
use super::unit::bandwidth;
use crate::metric::{Metric, of_id};

/// Known by the heading of either.
pub(super) const FORMAT: ProgramFormat = ProgramFormat { program: Program::Vdbench, is_it, parse };

fn is_it(head: &str) -> bool {
    let has_table = lines(head).take(400).filter_map(Result::ok).any(|line| heading(line.text).is_some());
    has_table || head.contains("Starting RD=")
}

/// The columns of the table.
fn heading(text: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = text.split_whitespace().collect();
    let has = |name: &str| names.iter().any(|own| own.eq_ignore_ascii_case(name));
    (has("tod") && has("Run") && has("Interval") && has("rate") && has("resp")).then_some(names)
}

/// Metric, direction, column, and what one of it is.
const COLUMNS: [(&str, &str, &str, f64); 14] = [
    ("iops", "", "rate", 1.0),
    ("bandwidth", "", "MB/sec", MIB),
    ("latency_mean", "", "resp", MS),
    ("latency_max", "", "resp_max", MS),
    ("latency_stddev", "", "resp_std", MS),
    ("latency_mean", "read", "read_resp", MS),
    ("latency_max", "read", "read_max", MS),
    ("latency_stddev", "read", "read_std", MS),
    ("latency_mean", "write", "write_resp", MS),
    ("latency_max", "write", "write_max", MS),
    ("latency_stddev", "write", "write_std", MS),
    ("in_flight", "", "queue_depth", 1.0),
    ("cpu_user", "", "cpu_user", 1.0),
    ("cpu_system", "", "cpu_kernel", 1.0),
];

/// The columns of a row of the console, behind its interval, in the order of versions 5.04 and later.
const CONSOLE: [&str; 13] = [
    "rate",
    "MB/sec",
    "bytes/io",
    "read%",
    "resp",
    "read_resp",
    "write_resp",
    "read_max",
    "write_max",
    "resp_std",
    "queue_depth",
    "cpu_used",
    "cpu_kernel",
];

/// A run definition that began, and what was read of it.
#[derive(Default)]
struct Run {
    name: String,
    line: u64,
    load: ProgramLoad,
    rows: Vec<ProgramRow>,
    intervals: Gather,
}

fn parse(text: &str) -> Vec<ProgramResult> {
    let (mut result, mut findings) = (ProgramResult::new(Program::Vdbench), Findings::default());
    let (mut names, mut run): (Option<Vec<&str>>, Run) = (None, Run::default());
    for line in lines(text) {
        let Some(line) = readable(line, &mut findings) else { continue };
        if let Some(found) = heading(line.text) {
            names = Some(found);
            continue;
        }
        if let Some((_, started)) = line.text.split_once("Starting RD=") {
            run.end(&mut result, &mut findings);
            run = Run {
                name: cut(started.split([';', ' ']).next().unwrap_or_default()),
                line: line.number,
                ..Run::default()
            };
            run.load = asked(started);
            continue;
        }
        let cells: Vec<&str> = line.text.split_whitespace().collect();
        match &names {
            Some(names) => {
                let of_table = Table { names, cells: &cells };
                let Some(interval) = of_table.cell("Interval") else {
                    if cells.len() > 1 && !line.text.starts_with(['*', '<']) {
                        let fault = RowFault::Fields { has: cells.len(), expected: names.len() };
                        findings.left_out(line.number, fault);
                    }
                    continue;
                };
                let name = of_table.cell("Run").unwrap_or_default();
                if run.name != name {
                    run.end(&mut result, &mut findings);
                    run = Run { name: cut(name), line: line.number, load: of_table.load(), ..Run::default() };
                }
                run.load.rw = run.load.rw.take().or_else(|| of_table.load().rw);
                run.add(&of_table, (line.number, interval), line.is_cut, &mut findings);
            }
            None => {
                let Some((interval, rest)) = of_console(&cells).filter(|_| !run.name.is_empty()) else {
                    continue;
                };
                if rest.len() != CONSOLE.len() {
                    findings
                        .left_out(line.number, RowFault::Fields { has: rest.len(), expected: CONSOLE.len() });
                    continue;
                }
                let of_console = Table { names: &CONSOLE, cells: rest };
                run.add(&of_console, (line.number, interval), line.is_cut, &mut findings);
            }
        }
    }
    run.end(&mut result, &mut findings);
    vec![ProgramResult { findings: findings.into_all(), ..result }]
}

/// The interval of a row of the console, and what follows it: `14:07:11.089 avg_2-5 2000.0 …`.
fn of_console<'a, 'b>(cells: &'a [&'b str]) -> Option<(&'b str, &'a [&'b str])> {
    let is_time =
        cells.first()?.matches(':').count() == 2 && cells[0].starts_with(|c: char| c.is_ascii_digit());
    let interval = *cells.get(1)?;
    let is_interval = interval.starts_with("avg_") || interval.parse::<u32>().is_ok();
    (is_time && is_interval).then_some((interval, &cells[2..]))
}

/// What a line `rd1; I/O rate: 1000; elapsed=5; For loops: xfersize=4k threads=8` says.
fn asked(started: &str) -> ProgramLoad {
    let of = |key: &str| {
        let word = started.split([' ', ';', ',']).find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        word.map(|word| word.trim_end_matches(".0"))
    };
    ProgramLoad {
        block_bytes: of("xfersize").and_then(size),
        jobs: of("threads").and_then(|it| it.parse().ok()),
        ..ProgramLoad::default()
    }
}

struct Table<'a> {
    names: &'a [&'a str],
    cells: &'a [&'a str],
}

impl<'a> Table<'a> {
    /// The cell of a column; `None` of a row with another number of them, and of `n/a`.
    fn cell(&self, name: &str) -> Option<&'a str> {
        if self.cells.len() != self.names.len() {
            return None;
        }
        let at = self.names.iter().position(|own| own.eq_ignore_ascii_case(name))?;
        Some(self.cells[at]).filter(|cell| !matches!(*cell, "n/a" | "NaN" | "-"))
    }

    fn load(&self) -> ProgramLoad {
        let number =
            |name: &str| self.cell(name)?.parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0);
        let (seek, read) = (number("seekpct"), number("rdpct"));
        let rw = seek.zip(read).map(|(seek, read)| {
            let base = if read >= 100.0 {
                "read"
            } else if read <= 0.0 {
                "write"
            } else {
                "rw"
            };
            if seek > 0.0 { format!("rand{base}") } else { base.to_owned() }
        });
        ProgramLoad {
            rw,
            block_bytes: number("xfersize").filter(|bytes| *bytes >= 1.0 && *bytes <= 1e15),
            depth: None,
            jobs: number("threads").filter(|threads| *threads >= 1.0 && *threads <= 1e9).map(|it| it as u64),
        }
    }
}

impl Run {
    /// Adds an interval, or the average of the run.
    fn add(&mut self, of: &Table<'_>, (line, interval): (u64, &str), is_cut: bool, findings: &mut Findings) {
        if is_cut {
            findings.add(ProgramFinding::Cut { line });
            return;
        }
        let is_average = interval.starts_with("avg");
        let percent = of.cell("read%").and_then(|text| text.parse::<f64>().ok());
        let all = direction(percent);
        let mut rows: Vec<ProgramRow> = Vec::new();
        let mut iops = None;
        for (id, direction, column, factor) in COLUMNS {
            let Some(text) = of.cell(column) else { continue };
            let metric = of_id(id);
            let written = Written { line, column, text, factor, comma: Comma::MayBePoint };
            let Some(mut found) = value(written, metric, findings) else { continue };
            match id {
                "iops" => iops = Some(found),
                "bandwidth" => {
                    let block =
                        of.cell("bytes/io").and_then(|text| text.parse().ok()).filter(|it| *it >= 1.0);
                    match bandwidth((line, MIB), iops, block, found, findings) {
                        Some(checked) => found = checked,
                        None => continue,
                    }
                }
                // Where nothing was written, there is no latency of writes.
                _ if metric.is_latency() && found <= 0.0 => continue,
                _ => {}
            }
            let direction = if direction.is_empty() && !metric.is_printed() { all } else { direction };
            // vdbench also prints the deviation of a direction without I/Os.
            let has_mean =
                rows.iter().any(|row| row.direction == direction && row.value("latency_mean").is_some());
            if id != "latency_stddev" || has_mean {
                self.keep(&mut rows, (line, direction), metric, found);
            }
        }
        if is_average {
            self.rows.extend(rows);
            self.rows.truncate(ROWS_MAX);
            return;
        }
        for row in &rows {
            for figure in &row.figures {
                let weight = if figure.metric.is_latency() { iops.unwrap_or(0.0) } else { 1.0 };
                let place = (line, self.name.as_str(), row.direction);
                self.intervals.add(place, (figure.metric, figure.value, weight), findings);
            }
        }
    }

    fn keep(
        &self,
        rows: &mut Vec<ProgramRow>,
        (line, direction): (u64, &'static str),
        metric: &'static Metric,
        value: f64,
    ) {
        let at = rows.iter().position(|row| row.direction == direction).unwrap_or_else(|| {
            let key = self.name.clone();
            rows.push(ProgramRow { line, key, direction, ..ProgramRow::default() });
            rows.len() - 1
        });
        if rows[at].figure(metric.id).is_none() {
            rows[at].add(metric, Some(value));
        }
    }

    /// Adds the rows of the run to the result.
    fn end(&mut self, result: &mut ProgramResult, findings: &mut Findings) {
        let mut rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            rows = std::mem::take(&mut self.intervals).into_rows();
            // The maximum of a run is that of its intervals.
            for figure in rows.iter_mut().flat_map(|row| &mut row.figures) {
                if figure.metric.id == "latency_max" {
                    figure.value = figure.range.map_or(figure.value, |range| range.1);
                }
            }
            rows.iter_mut().for_each(|row| row.figures.retain(|figure| figure.metric.id != "latency_stddev"));
        }
        if result.rows.len() + rows.len() > ROWS_MAX {
            findings.add(ProgramFinding::TooManyRows { line: self.line, most: ROWS_MAX });
            return;
        }
        let load = std::mem::take(&mut self.load);
        result.rows.extend(rows.into_iter().map(|row| ProgramRow { load: load.clone(), ..row }));
    }
}

/// What the row of all I/Os is of.
fn direction(read_percent: Option<f64>) -> &'static str {
    match read_percent {
        Some(percent) if percent >= 100.0 => "read",
        Some(percent) if percent <= 0.0 => "write",
        _ => "mixed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_of_a_run_is_its_row() {
        let of = parse(include_str!("../../tests/fixtures/programs/vdbench-flatfile.html")).remove(0);
        let told: Vec<_> = of.rows.iter().map(|row| (row.key.as_str(), row.direction, row.line)).collect();
        assert_eq!(
            told,
            [
                ("rd1", "mixed", 12),
                ("rd1", "read", 12),
                ("rd1", "write", 12),
                ("rd1", "", 12),
                ("rd2", "read", 15),
                ("rd2", "", 15)
            ]
        );
        let mixed = &of.rows[0];
        assert_eq!((mixed.value("iops"), mixed.value("bandwidth")), (Some(2000.0), Some(7.8125 * MIB)));
        assert_eq!((mixed.value("latency_mean"), mixed.value("latency_max")), (Some(0.5e6), Some(4.25e6)));
        assert_eq!(
            (mixed.load.rw.as_deref(), mixed.load.block_bytes, mixed.load.jobs),
            (Some("randrw"), Some(4096.0), Some(8))
        );
        assert_eq!(of.rows[1].value("latency_mean"), Some(0.4e6));
        assert_eq!(of.findings, []);
    }

    #[test]
    fn rows_of_the_console_are_read() {
        let of = parse(include_str!("../../tests/fixtures/programs/vdbench-summary.html")).remove(0);
        let told: Vec<_> =
            of.rows.iter().map(|row| (row.key.as_str(), row.direction, row.value("iops"))).collect();
        assert_eq!(told[0], ("rd1", "mixed", Some(2000.0)));
        // The second run was ended before its average.
        let second =
            of.rows.iter().find(|row| row.key == "rd2" && row.direction == "read").expect("intervals");
        assert_eq!((second.value("iops"), second.figures[0].n), (Some(1500.0), 2));
        assert_eq!(second.value("latency_max"), Some(6e6), "the largest of the intervals");
        assert_eq!((of.rows[0].load.block_bytes, of.rows[0].load.jobs), (Some(4096.0), Some(8)));
    }
}
