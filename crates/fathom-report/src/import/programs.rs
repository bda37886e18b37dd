//! Results of other programs: as rows of the table of results, and what that table has no column for below it.

use crate::column::value;
use fathom_figures::fio::{Imported, run_in_file};
use fathom_figures::metric::{Metric, MetricUnit};
use fathom_figures::programs::{ImportedProgram, ProgramFigure, ProgramRow};
use fathom_text::number::{cell, compact};
use fathom_text::quantity::TimeUnit;

/// The figures that the table of results has columns for, beside those of its latencies.
const IN_RESULTS: [&str; 4] = ["iops", "bandwidth", "ios", "seconds"];

/// A row with its name.
pub(crate) struct NamedRow<'a> {
    /// The key, behind the file where there are several results.
    pub(crate) label: String,
    /// Its result.
    pub(crate) of: &'a ImportedProgram,
    /// The row.
    pub(crate) row: &'a ProgramRow,
}

/// All rows in which something is not 0, in the order of the files. `iostat` has a row for each device of the machine.
pub(crate) fn rows(imported: &Imported) -> Vec<NamedRow<'_>> {
    let has_several = imported.has_several_results();
    let mut all = Vec::new();
    for of in &imported.programs {
        let place = if has_several { format!("{}: ", run_in_file(&of.file, of.run)) } else { String::new() };
        let labelled = of.result.rows.iter().zip(of.result.labels()).filter(|(row, _)| !is_idle(row));
        all.extend(labelled.map(|(row, label)| NamedRow { label: format!("{place}{label}"), of, row }));
    }
    all
}

fn is_idle(row: &ProgramRow) -> bool {
    row.figures.iter().all(|figure| figure.value == 0.0)
}

/// How many rows are left out because every figure in them is 0; nothing where there are none.
pub(crate) fn left_out(imported: &Imported) -> Option<String> {
    let all = imported.programs.iter().flat_map(|of| &of.result.rows);
    let idle = all.filter(|row| is_idle(row)).count();
    (idle > 0).then(|| {
        let rows = fathom_text::words::counted(idle as u64, "row");
        format!("{rows} of disks or processors that did nothing: every figure is 0; --json has them")
    })
}

impl NamedRow<'_> {
    /// Has the table of results anything to show of it?
    pub(crate) fn is_of_io(&self) -> bool {
        self.row.figures.iter().any(|figure| figure.metric.is_rate() || figure.metric.is_latency())
    }

    /// The value of a metric, where it has one.
    pub(crate) fn value(&self, metric: &Metric) -> Option<f64> {
        self.row.value(metric.id)
    }

    /// A metric with this id as the table of results writes it.
    pub(crate) fn number(&self, id: &str, size: f64) -> String {
        self.row.value(id).map_or("-".to_owned(), |value| cell(value / size))
    }

    /// I/Os, or how many there were.
    pub(crate) fn ios(&self) -> String {
        self.row.value("ios").map_or("-".to_owned(), |ios| compact(ios, 4))
    }

    /// The maximum of latency as a multiple of the mean.
    pub(crate) fn max_over_mean(&self) -> Option<f64> {
        let mean = self.row.value("latency_mean").filter(|mean| *mean > 0.0)?;
        Some(self.row.value("latency_max")? / mean)
    }
}

/// The cells of the table of results; empty where it has nothing to show of a row.
pub(super) fn cells(named: &NamedRow<'_>, latencies: &[&Metric], unit: TimeUnit) -> Vec<String> {
    let dash = || "-".to_owned();
    let load = &named.row.load;
    let number = |value: Option<u64>| value.map_or_else(dash, |value| value.to_string());
    let direction = if named.row.direction.is_empty() { "-" } else { named.row.direction };
    let first = [
        named.label.clone(),
        direction.to_owned(),
        load.rw.clone().unwrap_or_else(dash),
        load.block_bytes.map_or_else(dash, super::block),
        number(load.depth),
        number(load.jobs),
        named.ios(),
        named.number("iops", 1.0),
        named.number("bandwidth", 1e6),
        named.number("seconds", 1.0),
        dash(),
        if named.row.figures.iter().any(|figure| figure.metric.is_latency()) {
            "lat".to_owned()
        } else {
            dash()
        },
    ];
    let latencies = latencies.iter().map(|metric| value(metric, named.value(metric), unit));
    first.into_iter().chain(latencies).chain([super::multiple(named.max_over_mean())]).collect()
}

/// The headings of the figures that the table of results has no column for.
pub(crate) const OTHER_HEADINGS: [&str; 7] = ["", "direction", "figure", "n", "mean", "min", "max"];

/// A line for each figure that the table of results has no column for.
pub(crate) fn other_figures(imported: &Imported) -> Vec<[String; 7]> {
    let latencies: Vec<&Metric> = imported.latencies().collect();
    let has_column = |metric: &&Metric| IN_RESULTS.contains(&metric.id) || latencies.contains(metric);
    let mut lines = Vec::new();
    for named in rows(imported) {
        let others = named.row.figures.iter().filter(|figure| !has_column(&figure.metric));
        lines.extend(others.map(|figure| line(&named, figure)));
    }
    lines
}

fn line(named: &NamedRow<'_>, figure: &ProgramFigure) -> [String; 7] {
    let (size, unit) = shown_unit(figure.metric, figure.value);
    let shown = |value: f64| cell(value / size);
    let direction = if named.row.direction.is_empty() { "-" } else { named.row.direction };
    let name = if unit.is_empty() {
        figure.metric.words.to_owned()
    } else {
        format!("{}, {unit}", figure.metric.words)
    };
    let (least, most) =
        figure.range.map_or(("-".to_owned(), "-".to_owned()), |(least, most)| (shown(least), shown(most)));
    let n = compact(figure.n as f64, 4);
    [named.label.clone(), direction.to_owned(), name, n, shown(figure.value), least, most]
}

/// What one of the shown unit is in the base unit, and its symbol; empty of a number of things, and of what its words name.
fn shown_unit(metric: &Metric, value: f64) -> (f64, &'static str) {
    match metric.unit {
        MetricUnit::Nanoseconds => {
            let unit = TimeUnit::for_fastest(std::iter::once(value));
            (unit.ns(), unit.symbol())
        }
        MetricUnit::BytesPerSecond => (1e6, "MB/s"),
        MetricUnit::Bytes => (1024.0, "KiB"),
        MetricUnit::Percent => (1.0, "%"),
        MetricUnit::Seconds => (1.0, "s"),
        MetricUnit::PerSecond | MetricUnit::PerMinute | MetricUnit::Count => (1.0, ""),
    }
}

/// `1 result of iostat and 2 results of sar`, in the order in which the programs came.
pub(super) fn counted_programs(imported: &Imported) -> Vec<String> {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for of in &imported.programs {
        let name = of.result.program.name();
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let told =
        |(name, count): (&str, u64)| format!("{} of {name}", fathom_text::words::counted(count, "result"));
    counts.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::metric::of_id;
    use fathom_figures::programs::{Program, ProgramResult};

    #[test]
    fn a_disk_that_did_nothing_is_counted_and_not_shown() {
        let row = |key: &str, iops: f64| {
            let mut row = ProgramRow { key: key.to_owned(), direction: "read", ..ProgramRow::default() };
            row.figures.push(ProgramFigure { metric: of_id("iops"), value: iops, n: 1, range: None });
            row
        };
        let rows_of = vec![row("sda", 0.0), row("sdb", 7.0), row("sdc", 0.0)];
        let program = Program::Iostat;
        let result =
            ProgramResult { program, version: None, host: None, rows: rows_of, findings: Vec::new() };
        let of = ImportedProgram { file: "io.txt".to_owned(), run: None, result };
        let imported = Imported { programs: vec![of], ..Imported::default() };
        let shown: Vec<String> = rows(&imported).into_iter().map(|named| named.label).collect();
        assert_eq!(shown, ["sdb"]);
        assert!(left_out(&imported).is_some_and(|rows| rows.starts_with("2 rows ")));
    }
}
