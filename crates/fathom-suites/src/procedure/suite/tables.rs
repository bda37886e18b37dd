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
pub fn has_sets(rows: &[CellRow<'_>]) -> bool {
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

pub fn set_of(row: &CellRow<'_>) -> String {
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
        TARGETS_COLUMN => targets_named(&set_of(row), targets),
        name => format!("{name}={}", row.cell.value(name).unwrap_or_default()),
    };
    let names_sets = column != TARGETS_COLUMN && has_sets(rows);
    let fields = rows.iter().map(|row| Field {
        line: workload(group, row, Some(column), names_sets),
        column: value_of(row),
        mean: row.mean(shown),
    });
    crossed(group, shown, &fields.collect::<Vec<_>>())
}

/// What a row measures, without the name that has columns: `rwmixwrite=30 numjobs=16 on 1+2 data`.
pub fn workload(group: &CellGroup, row: &CellRow<'_>, column: Option<&str>, names_sets: bool) -> String {
    let others = row.cell.values.iter().filter(|(name, _)| Some(name.as_str()) != column);
    let mut words: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
    words.extend(names_sets.then(|| format!("on {}", set_of(row))));
    words.extend((!row.job.is_empty()).then(|| row.job.to_owned()));
    if words.is_empty() { group.name.clone() } else { words.join(" ") }
}

/// A figure with its place in a table.
pub struct Field {
    /// The workload: the name of its line.
    pub line: String,
    /// The name of its column.
    pub column: String,
    /// The figure.
    pub mean: Option<Mean>,
}

/// A table of one figure: lines are workloads. `None` where no field has the figure.
pub fn crossed(group: &CellGroup, shown: Shown, fields: &[Field]) -> Option<ReportTable> {
    if fields.iter().all(|field| field.mean.is_none()) {
        return None;
    }
    let across = distinct(fields.iter().map(|field| field.column.as_str()));
    let down = distinct(fields.iter().map(|field| field.line.as_str()));
    // Each value has its interval beside it (contract I-50).
    let has_intervals = fields.iter().filter_map(|field| field.mean).any(|mean| mean.half.is_some());
    let names =
        across.iter().flat_map(|name| [Some((*name).to_owned()), has_intervals.then(|| "± %".to_owned())]);
    let columns = std::iter::once("workload".to_owned()).chain(names.flatten()).collect();
    let cells = |line: &str, column: &str| {
        let found = fields.iter().find(|field| field.line == line && field.column == column);
        let mean = found.and_then(|field| field.mean);
        let half = mean.and_then(|mean| mean.half).map(|half| 100.0 * half);
        [Some(mean.map(|mean| mean.value).into()), has_intervals.then(|| half.into())].into_iter().flatten()
    };
    let row = |line: &&str| {
        std::iter::once((*line).into()).chain(across.iter().flat_map(|column| cells(line, column))).collect()
    };
    let title = format!("{}: {}", group.what, shown.title());
    Some(ReportTable { title, columns, rows: down.iter().map(row).collect() })
}

/// The one target of a set by its name; several by their numbers.
pub fn targets_named(set: &str, targets: &[String]) -> String {
    let one = set.parse::<usize>().ok().and_then(|number| targets.get(number.checked_sub(1)?));
    one.map_or_else(|| set.to_owned(), |path| path.rsplit("/dev/").next().unwrap_or(path).to_owned())
}

fn distinct<'t>(all: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut found: Vec<&str> = Vec::new();
    all.for_each(|one| {
        if !found.contains(&one) {
            found.push(one);
        }
    });
    found
}
