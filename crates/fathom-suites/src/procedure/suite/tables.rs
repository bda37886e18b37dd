//! The tables of a group: a row for each cell and job; or, with `columns`, a table for each figure whose columns are the values of
//! one name.

use super::against::AgainstAlone;
use super::gathered::{CellRow, Mean};
use super::links::{LINK_SHARE, Links};
use super::parts::{BOUND, Parts, SHARE};
use crate::suite::{CellGroup, Shown, TARGETS_COLUMN, set_name};
use fathom_results::{ReportTable, TableCell};

/// The tables of a group.
pub fn tables(
    group: &CellGroup,
    rows: &[CellRow<'_>],
    targets: &[String],
    against: Option<&AgainstAlone<'_>>,
    links: &Links,
) -> Vec<ReportTable> {
    match &group.columns {
        Some(column) => {
            group.values.iter().filter_map(|shown| pivoted(group, rows, column, *shown, targets)).collect()
        }
        None => vec![listed(group, rows, against, links)],
    }
}

/// Whether its sets of targets are told in a column.
fn has_sets(rows: &[CellRow<'_>]) -> bool {
    rows.first().is_some_and(|first| rows.iter().any(|row| row.cell.set != first.cell.set))
}

/// A column beside the first figure: its title, and its value in a row.
type Beside<'t> = (String, Box<dyn Fn(&CellRow<'_>) -> Option<f64> + 't>);

/// The columns beside the first figure.
fn besides<'t>(
    group: &'t CellGroup,
    rows: &[CellRow<'_>],
    parts: Option<&'t Parts<'t>>,
    against: Option<&'t AgainstAlone<'_>>,
    links: &'t Links,
) -> Vec<Beside<'t>> {
    let first = group.values[0];
    let half = move |row: &CellRow<'_>| row.mean(first)?.half.map(|half| half * 100.0);
    let mut all: Vec<Beside<'t>> = Vec::new();
    if rows.iter().any(|row| half(row).is_some()) {
        all.push(("± %".to_owned(), Box::new(half)));
    }
    if let Some(parts) = parts {
        all.push((SHARE.to_owned(), Box::new(|row| Some(100.0 * parts.share(row)?.of_sum))));
        all.push((BOUND.to_owned(), Box::new(|row| Some(100.0 * parts.share(row)?.of_slowest))));
    }
    if rows.iter().any(|row| links.share(row).is_some()) {
        all.push((LINK_SHARE.to_owned(), Box::new(|row| Some(100.0 * links.share(row)?))));
    }
    if let Some(against) = against {
        all.push((against.title(), Box::new(|row| against.ratio(row))));
    }
    all
}

fn listed(
    group: &CellGroup,
    rows: &[CellRow<'_>],
    against: Option<&AgainstAlone<'_>>,
    links: &Links,
) -> ReportTable {
    let (sets, jobs) = (has_sets(rows), rows.iter().any(|row| !row.job.is_empty()));
    // A figure that no row has is no column: CPU time of a simulated drive, syncs of jobs without any.
    let has = |shown: &&Shown| rows.iter().any(|row| row.mean(**shown).is_some());
    let values: Vec<Shown> = match group.values.iter().filter(has).copied().collect::<Vec<_>>() {
        none if none.is_empty() => group.values.clone(),
        some => some,
    };
    let parts = Parts::of(group, rows);
    let besides = besides(group, rows, parts.as_ref(), against, links);
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
            columns.extend(besides.iter().map(|(title, _)| title.clone()));
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
                cells.extend(besides.iter().map(|(_, value)| TableCell::from(value(row))));
            }
        }
        cells
    };
    ReportTable { title: group.what.clone(), columns, rows: rows.iter().map(row).collect() }
}

fn set_of(row: &CellRow<'_>) -> String {
    set_name(&row.cell.set)
}

/// A table of one figure. `None` where no row has it.
fn pivoted(
    group: &CellGroup,
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
        found.and_then(|row| row.mean(shown))
    };
    let lines: Vec<Vec<Option<Mean>>> =
        down.iter().map(|line| across.iter().map(|value| cell(line, value)).collect()).collect();
    if lines.iter().flatten().all(Option::is_none) {
        return None;
    }
    // Each value has its interval beside it (contract I-50).
    let has_intervals = lines.iter().flatten().flatten().any(|mean| mean.half.is_some());
    let beside = |cell: TableCell| has_intervals.then_some(cell);
    let name = |value: &String| match column {
        TARGETS_COLUMN => targets_named(value, targets),
        _ => format!("{column}={value}"),
    };
    let names = across.iter().flat_map(|value| [Some(name(value)), has_intervals.then(|| "± %".to_owned())]);
    let columns = std::iter::once("workload".to_owned()).chain(names.flatten()).collect();
    let cells = |mean: Option<Mean>| {
        let half = mean.and_then(|mean| mean.half).map(|half| 100.0 * half);
        [Some(mean.map(|mean| mean.value).into()), beside(half.into())].into_iter().flatten()
    };
    let row = |(line, values): (&String, Vec<Option<Mean>>)| {
        std::iter::once(line.as_str().into()).chain(values.into_iter().flat_map(cells)).collect()
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
