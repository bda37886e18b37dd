//! The tables of a group: a row for each cell and job; or, with `columns`, a table for each figure whose columns are the values of
//! one name.

use super::against::AgainstAlone;
use super::gathered::{CellRow, OfRounds};
use super::links::{LINK_SHARE, Links};
use super::parts::{BOUND, Parts, SHARE};
use crate::suite::{CellGroup, Shown, TARGETS_COLUMN, set_name};
use fathom_results::{ReportTable, TableCell};
use fathom_text::words::counted;

/// The column beside a figure that has half of its interval.
pub const HALF: &str = "± %";

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
        all.push((HALF.to_owned(), Box::new(half)));
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
    let has_falls = rows.iter().any(|row| !row.falls().is_empty());
    let mut columns: Vec<String> = Vec::new();
    columns.extend(sets.then(|| TARGETS_COLUMN.to_owned()));
    columns.extend(group.vary.iter().map(|vary| vary.name.clone()));
    columns.extend(jobs.then(|| "job".to_owned()));
    if columns.is_empty() {
        columns.push("cell".to_owned());
    }
    for (place, shown) in values.iter().enumerate() {
        columns.push(shown.title());
        if place == 0 {
            columns.extend(besides.iter().map(|(title, _)| title.clone()));
            columns.extend(has_falls.then(|| FELL.to_owned()));
        }
    }
    let row = |row: &CellRow<'_>| {
        let mut cells: Vec<TableCell> = Vec::new();
        cells.extend(sets.then(|| set_of(row).into()));
        cells.extend(group.vary.iter().map(|vary| row.cell.value(&vary.name).unwrap_or_default().into()));
        cells.extend(jobs.then(|| row.job.as_str().into()));
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
                cells.extend(has_falls.then(|| fell(row).into()));
            }
        }
        cells
    };
    ReportTable { title: group.what.clone(), columns, rows: rows.iter().map(row).collect() }
}

/// The column that says when the rate of a row fell; its rates are those that lasted.
const FELL: &str = "fell";

/// `at 12 s`; of a rate that fell in some of several rounds `2 of 3 rounds`; empty where it did not fall.
fn fell(row: &CellRow<'_>) -> String {
    match (row.falls().as_slice(), row.rounds()) {
        ([], _) => String::new(),
        ([first, ..], 1) => format!("at {} s", first.at_s),
        (falls, rounds) => format!("{} of {rounds} rounds", falls.len()),
    }
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
        TARGETS_COLUMN => set_of(row),
        name => row.cell.value(name).unwrap_or_default().to_owned(),
    };
    let values = distinct(rows.iter().map(value_of));
    let heading = |value: &String| match column {
        TARGETS_COLUMN => targets_named(value, targets),
        name => format!("{name}={value}"),
    };
    let names_sets = column != TARGETS_COLUMN && has_sets(rows);
    let field = |row: &CellRow<'_>| {
        let value = value_of(row);
        Some(Field {
            line: workload(group, row, Some(column), names_sets),
            column: values.iter().position(|known| *known == value)?,
            mean: row.mean(shown),
        })
    };
    let fields: Vec<Field> = rows.iter().filter_map(field).collect();
    let mut table = crossed(group, shown, &values.iter().map(heading).collect::<Vec<_>>(), &fields)?;
    let fallen = rows.iter().filter(|row| !row.falls().is_empty()).count() as u64;
    if fallen > 0 {
        table.title +=
            &format!(" (the rate fell in {} and is the one that lasted)", counted(fallen, "field"));
    }
    Some(table)
}

/// What a row measures, without the name that has columns: `rwmixwrite=30 numjobs=16 on 1+2 data`.
pub fn workload(group: &CellGroup, row: &CellRow<'_>, column: Option<&str>, names_sets: bool) -> String {
    let others = row.cell.values.iter().filter(|(name, _)| Some(name.as_str()) != column);
    let mut words: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
    words.extend(names_sets.then(|| format!("on {}", set_of(row))));
    words.extend((!row.job.is_empty()).then(|| row.job.clone()));
    if words.is_empty() { group.name.clone() } else { words.join(" ") }
}

/// A figure with its place in a table.
pub struct Field {
    /// The workload: the name of its line.
    pub line: String,
    /// The place of its column among those of the table.
    pub column: usize,
    /// The figure.
    pub mean: Option<OfRounds>,
}

/// A table of one figure with these columns: lines are workloads. `None` where no field has the figure.
pub fn crossed(group: &CellGroup, shown: Shown, columns: &[String], fields: &[Field]) -> Option<ReportTable> {
    if fields.iter().all(|field| field.mean.is_none()) {
        return None;
    }
    // Each value has its interval beside it (contract I-50).
    let has_intervals = fields.iter().filter_map(|field| field.mean).any(|mean| mean.half.is_some());
    let names = columns.iter().flat_map(|name| [Some(name.clone()), has_intervals.then(|| HALF.to_owned())]);
    let headings = std::iter::once("workload".to_owned()).chain(names.flatten()).collect();
    let lines = lines(fields);
    let cells = |line: &Line<'_>, column: usize| {
        let found = fields.iter().zip(&lines).find(|(field, of)| *of == line && field.column == column);
        let mean = found.and_then(|(field, _)| field.mean);
        let half = mean.and_then(|mean| mean.half).map(|half| 100.0 * half);
        [Some(mean.map(|mean| mean.value).into()), has_intervals.then(|| half.into())].into_iter().flatten()
    };
    let row = |line: &Line<'_>| {
        let values = (0..columns.len()).flat_map(|column| cells(line, column));
        std::iter::once(line.text().into()).chain(values).collect()
    };
    let title = format!("{}: {}", group.what, shown.title());
    let rows = distinct(lines.iter().copied()).iter().map(row).collect();
    Some(ReportTable { title, columns: headings, rows })
}

/// A line of a table: its workload, and how many lines of the same name are above it.
#[derive(Clone, Copy, PartialEq)]
struct Line<'f> {
    workload: &'f str,
    above: usize,
}

impl Line<'_> {
    /// The second line of one name is `r (2)`.
    fn text(&self) -> String {
        match self.above {
            0 => self.workload.to_owned(),
            above => format!("{} ({})", self.workload, above + 1),
        }
    }
}

/// The line of each field. Fields of one name in one column are different lines, so that none takes the place of another.
fn lines(fields: &[Field]) -> Vec<Line<'_>> {
    let line = |(place, field): (usize, &'_ Field)| {
        let is_above = |other: &&Field| other.line == field.line && other.column == field.column;
        fields[..place].iter().filter(is_above).count()
    };
    let above = fields.iter().enumerate().map(line);
    fields.iter().zip(above).map(|(field, above)| Line { workload: &field.line, above }).collect()
}

/// The one target of a set by its name; several by their numbers.
pub fn targets_named(set: &str, targets: &[String]) -> String {
    let one = set.parse::<usize>().ok().and_then(|number| targets.get(number.checked_sub(1)?));
    one.map_or_else(|| set.to_owned(), |path| path.rsplit("/dev/").next().unwrap_or(path).to_owned())
}

/// Each of them once, in the order in which they came first.
pub fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    all.for_each(|one| {
        if !found.contains(&one) {
            found.push(one);
        }
    });
    found
}
