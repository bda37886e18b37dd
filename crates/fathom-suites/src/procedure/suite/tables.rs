//! The tables of a group: a row for each cell and job; or, with `columns`, a table for each figure whose columns are the values of
//! one name.

use super::gathered::CellRow;
use crate::suite::{Group, Over, Shown, TARGETS_COLUMN};
use fathom_results::{ReportTable, TableCell};

/// The tables of a group.
pub fn tables(group: &Group, rows: &[CellRow<'_>], targets: &[String]) -> Vec<ReportTable> {
    match &group.columns {
        Some(column) => {
            group.values.iter().filter_map(|shown| pivoted(group, rows, column, *shown, targets)).collect()
        }
        None => vec![listed(group, rows)],
    }
}

/// Whether its sets of targets are told in a column.
fn has_sets(rows: &[CellRow<'_>]) -> bool {
    rows.first().is_some_and(|first| rows.iter().any(|row| row.cell.set != first.cell.set))
}

fn listed(group: &Group, rows: &[CellRow<'_>]) -> ReportTable {
    let (sets, jobs) = (has_sets(rows), rows.iter().any(|row| !row.job.is_empty()));
    // A figure that no row has is no column: CPU time of a simulated drive, syncs of jobs without any.
    let has = |shown: &&Shown| rows.iter().any(|row| row.mean(**shown).is_some());
    let values: Vec<Shown> = match group.values.iter().filter(has).copied().collect::<Vec<_>>() {
        none if none.is_empty() => group.values.clone(),
        some => some,
    };
    let intervals = rows.iter().any(|row| row.mean(values[0]).is_some_and(|mean| mean.half.is_some()));
    let parts = (group.over != Over::Together).then(|| Parts::of(group, rows)).flatten();
    let mut columns: Vec<String> = Vec::new();
    columns.extend(sets.then(|| TARGETS_COLUMN.to_owned()));
    columns.extend(group.vary.iter().map(|vary| vary.name.clone()));
    columns.extend(jobs.then(|| "job".to_owned()));
    if columns.is_empty() {
        columns.push("cell".to_owned());
    }
    for (place, shown) in values.iter().enumerate() {
        columns.push(shown.title().to_owned());
        if place == 0 {
            columns.extend(intervals.then(|| "± %".to_owned()));
            columns.extend(parts.is_some().then(|| SHARE.to_owned()));
        }
    }
    let row = |row: &CellRow<'_>| {
        let mut cells: Vec<TableCell> = Vec::new();
        cells.extend(sets.then(|| set_of(row).into()));
        cells.extend(group.vary.iter().map(|vary| row.cell.value(&vary.name).unwrap_or_default().into()));
        cells.extend(jobs.then(|| row.job.into()));
        if cells.is_empty() {
            cells.push(row.cell.name.as_str().into());
        }
        for (place, shown) in values.iter().enumerate() {
            let mean = row.mean(*shown);
            cells.push(if place == 0 && row.failed > 0 && mean.is_none() {
                "failed".into()
            } else {
                mean.map(|mean| mean.value).into()
            });
            if place == 0 {
                cells.extend(
                    intervals.then(|| mean.and_then(|mean| mean.half).map(|half| half * 100.0).into()),
                );
                cells.extend(parts.as_ref().map(|parts| parts.share(row).into()));
            }
        }
        cells
    };
    ReportTable { title: group.what.clone(), columns, rows: rows.iter().map(row).collect() }
}

/// The title of the column that says how the rate of several targets adds up.
const SHARE: &str = "% of the parts";

fn set_of(row: &CellRow<'_>) -> String {
    row.cell.set.iter().map(|one| (one + 1).to_string()).collect::<Vec<_>>().join("+")
}

/// The rate of each target alone, with which that of several is compared (contract M-2, M-5, M-6).
struct Parts {
    alone: Vec<Alone>,
    shown: Shown,
}

/// A target, what varies in its cell, and its rate.
type Alone = (usize, Vec<(String, String)>, f64);

impl Parts {
    /// `None` where no target was measured alone, or the first figure is no rate.
    fn of(group: &Group, rows: &[CellRow<'_>]) -> Option<Parts> {
        let shown = *group.values.first().filter(|shown| !shown.is_better_low())?;
        let alone = rows.iter().filter(|row| row.cell.set.len() == 1);
        let alone: Vec<Alone> = alone
            .filter_map(|row| Some((row.cell.set[0], row.cell.values.clone(), row.mean(shown)?.value)))
            .collect();
        (!alone.is_empty()).then_some(Parts { alone, shown })
    }

    /// The rate as per cent of the sum of its parts; where only the first target was measured alone, of as many of it.
    fn share(&self, row: &CellRow<'_>) -> Option<f64> {
        let of = |target: usize| {
            let of_cell = || self.alone.iter().filter(|(_, values, _)| *values == row.cell.values);
            let own = of_cell().find(|(one, ..)| *one == target);
            own.or_else(|| of_cell().next()).map(|(.., rate)| *rate)
        };
        let parts: Option<f64> = row.cell.set.iter().map(|target| of(*target)).sum();
        Some(100.0 * row.mean(self.shown)?.value / parts.filter(|sum| *sum > 0.0)?)
    }
}

/// A table of one figure. `None` where no row has it.
fn pivoted(
    group: &Group,
    rows: &[CellRow<'_>],
    column: &str,
    shown: Shown,
    targets: &[String],
) -> Option<ReportTable> {
    let value_of = |row: &CellRow<'_>| match column {
        TARGETS_COLUMN => set_of(row),
        name => row.cell.value(name).unwrap_or_default().to_owned(),
    };
    let rest = |row: &CellRow<'_>| {
        let others = row.cell.values.iter().filter(|(name, _)| name != column);
        let mut words: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        if column != TARGETS_COLUMN && has_sets(rows) {
            words.push(format!("on {}", set_of(row)));
        }
        words.extend((!row.job.is_empty()).then(|| row.job.to_owned()));
        if words.is_empty() { group.name.clone() } else { words.join(" ") }
    };
    let (across, down) = (distinct(rows.iter().map(value_of)), distinct(rows.iter().map(rest)));
    let cell = |line: &String, value: &String| {
        let found = rows.iter().find(|row| rest(row) == *line && value_of(row) == *value);
        found.and_then(|row| row.mean(shown)).map(|mean| mean.value)
    };
    let lines: Vec<Vec<Option<f64>>> =
        down.iter().map(|line| across.iter().map(|value| cell(line, value)).collect()).collect();
    if lines.iter().flatten().all(Option::is_none) {
        return None;
    }
    let name = |value: &String| match column {
        TARGETS_COLUMN => targets_named(value, targets),
        _ => format!("{column}={value}"),
    };
    let columns = std::iter::once("workload".to_owned()).chain(across.iter().map(name)).collect();
    let row = |(line, values): (&String, Vec<Option<f64>>)| {
        std::iter::once(line.as_str().into()).chain(values.into_iter().map(TableCell::from)).collect()
    };
    let title = format!("{}: {}", group.what, shown.title());
    Some(ReportTable { title, columns, rows: down.iter().zip(lines).map(row).collect() })
}

/// The one target of a set by its name; several by their numbers.
fn targets_named(set: &str, targets: &[String]) -> String {
    let one = set.parse::<usize>().ok().and_then(|number| targets.get(number.checked_sub(1)?));
    one.map_or_else(|| set.to_owned(), |path| path.rsplit("/dev/").next().unwrap_or(path).to_owned())
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    all.for_each(|one| {
        if !found.contains(&one) {
            found.push(one);
        }
    });
    found
}
