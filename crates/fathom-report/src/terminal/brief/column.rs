//! The columns of the table: one unit for each, and as many as there is room for. Those that a person chose all have a place: what
//! does not fit is in further tables below.

use super::line::Line;
use crate::column::{HALF, heading};
use fathom_figures::metric::{Columns, Metric, Output};
use fathom_text::quantity::TimeUnit;
use fathom_text::style::Style;
use fathom_text::table::{self, Fitted};

/// What the jobs do, and then the uncertainty, are left out before the percentiles that most people ask for.
const RANK_OF_JOB: usize = 60;
const RANK_OF_HALF: usize = 70;

/// The first column is at most this share of the width.
const NAME_SHARE: usize = 3;
/// Names are cut to this before a column of figures is left out: the longest name of `quick`.
const NAME_MIN: usize = 19;

/// A column: its place among the others is that of the list; `rank` says which are kept where there
/// is no room for all.
pub(super) struct Column {
    pub heading: String,
    rank: usize,
    pub cells: Vec<String>,
    /// A column of words begins at its left edge.
    pub is_words: bool,
}

/// The columns in their order: the rate has its uncertainty beside it.
fn columns(lines: &[Line], metrics: &[&'static Metric], unit: TimeUnit) -> Vec<Column> {
    let headings = metrics.iter().flat_map(|metric| {
        let half = (metric.id == "iops").then(|| (HALF.to_owned(), RANK_OF_HALF));
        std::iter::once((heading(metric, unit), metric.rank.into())).chain(half)
    });
    let column = |(at, (heading, rank)): (usize, (String, usize))| Column {
        heading,
        rank,
        cells: lines.iter().map(|line| line.cells[at].clone()).collect(),
        is_words: false,
    };
    let workloads = Column {
        heading: "job".to_owned(),
        rank: RANK_OF_JOB,
        cells: lines.iter().map(|line| line.workload.clone()).collect(),
        is_words: true,
    };
    let columns = std::iter::once(workloads).chain(headings.enumerate().map(column));
    // Where no rate has an interval, the note says why.
    let tells = |column: &Column| {
        column.cells.iter().any(|cell| !cell.is_empty() && (column.heading != HALF || cell != "-"))
    };
    columns.filter(tells).collect()
}

/// A table whose columns fit.
pub(super) struct Table {
    /// The name and the cells of each line, also those of columns that have no room.
    rows: Vec<Vec<String>>,
    fitted: Fitted,
    /// The columns that are shown.
    pub columns: Vec<Column>,
}

impl Table {
    /// The table with the columns that fit; of columns that a person chose as many tables as have them all, in their order.
    pub fn all(lines: &[Line], chosen: &Columns, unit: TimeUnit, width: usize) -> Vec<Self> {
        let mut left = columns(lines, &chosen.of(Output::Screen), unit);
        if !chosen.are_chosen() {
            return vec![Table::of(lines, left, width).0];
        }
        for (at, column) in left.iter_mut().enumerate() {
            column.rank = if column.is_words { usize::MAX } else { at + 1 };
        }
        let (first, mut left) = Table::of(lines, left, width);
        let mut tables = vec![first];
        // Nobody asked for what the jobs do.
        left.retain(|column| !column.is_words);
        while !left.is_empty() {
            let (table, rest) = Table::of(lines, left, width);
            tables.push(table);
            left = rest;
        }
        tables
    }

    /// The table with those of the columns that fit, and the others.
    fn of(lines: &[Line], columns: Vec<Column>, width: usize) -> (Self, Vec<Column>) {
        let name_max = (width / NAME_SHARE).max(NAME_MIN);
        let mut rows: Vec<Vec<String>> = (0..lines.len())
            .map(|at| {
                let name = cut_within(&lines[at].name, name_max);
                std::iter::once(name).chain(columns.iter().map(|column| column.cells[at].clone())).collect()
            })
            .collect();
        let name = table::Column { heading: "", is_number: false, leaves: 0, cut_to: Some(NAME_MIN) };
        // The most important one stays.
        let stays = columns.iter().enumerate().min_by_key(|(_, column)| column.rank).map(|(at, _)| at);
        let mut laid_out = vec![name];
        laid_out.extend(columns.iter().enumerate().map(|(at, column)| table::Column {
            heading: &column.heading,
            is_number: !column.is_words,
            leaves: if Some(at) == stays { 0 } else { column.rank },
            cut_to: None,
        }));
        let fitted = Fitted::new(&laid_out, &rows, 0, width);
        let width_of_names = fitted.widths[0].unwrap_or(0);
        rows.iter_mut().zip(lines).for_each(|(row, line)| row[0] = cut_within(&line.name, width_of_names));
        let mut widths = fitted.widths[1..].iter();
        let fits = |_: &Column| widths.next().is_some_and(Option::is_some);
        let (columns, others) = columns.into_iter().partition(fits);
        (Table { rows, fitted, columns }, others)
    }

    pub fn headings(&self, style: Style) -> String {
        self.fitted.headings(style)
    }

    /// The lines at these places.
    pub fn render(&self, lines: &[usize], style: Style) -> String {
        lines.iter().map(|at| self.fitted.line(&self.rows[*at], style) + "\n").collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::metric::percentile;

    #[test]
    fn a_long_name_is_cut_before_a_percentile_is_left_out() {
        let line = Line {
            name: "a-name-that-nobody-can-read-to-its-end".to_owned(),
            workload: "4k randread QD32".to_owned(),
            cells: vec!["123,456".to_owned(); 8],
            before: 0,
            is_first: false,
        };
        let table = &Table::all(&[line], Columns::USUAL, TimeUnit::Us, 80)[0];
        let headings = table.headings(Style { width: 80, ..Style::PLAIN });
        assert!(headings.contains("p50 µs") && headings.contains("p99.9 µs"), "{headings}");
        let row = table.render(&[0], Style { width: 80, ..Style::PLAIN });
        assert!(row.starts_with("a-name-th") && row.contains("…") && row.chars().count() <= 81, "{row}");
    }

    #[test]
    fn the_least_important_columns_go_first() {
        let line = |name: &str| Line {
            name: name.to_owned(),
            workload: String::new(),
            cells: vec!["123,456".to_owned(); 8],
            before: 0,
            is_first: false,
        };
        let lines = [line("a")];
        let kept = |width: usize| {
            let tables = Table::all(&lines, Columns::USUAL, TimeUnit::Us, width + 1);
            assert_eq!(tables.len(), 1);
            let columns = tables.into_iter().flat_map(|table| table.columns);
            columns.map(|column| column.heading).collect::<Vec<_>>()
        };
        assert_eq!(kept(80).len(), 8);
        assert_eq!(kept(58), ["IOPS", "MB/s", "mean µs", "p50 µs", "p99 µs", "p99.9 µs"]);
        assert_eq!(kept(45), ["IOPS", "MB/s", "mean µs", "p50 µs", "p99 µs"]);
        assert_eq!(kept(36), ["IOPS", "MB/s", "mean µs", "p99 µs"]);
        assert_eq!(kept(1), ["IOPS"]);
    }

    #[test]
    fn chosen_columns_that_do_not_fit_are_in_a_table_below() {
        let percentiles = ["10", "20", "30", "40", "50", "60", "99", "99.9"];
        let chosen =
            Columns::new(Vec::new(), percentiles.iter().filter_map(|text| percentile(text)).collect());
        let line = Line {
            name: "mix read".to_owned(),
            workload: "4k randread QD32".to_owned(),
            cells: vec!["123,456".to_owned(); chosen.of(Output::Screen).len() + 1],
            before: 0,
            is_first: false,
        };
        let lines = [line];
        let headings = |width: usize| {
            let tables = Table::all(&lines, &chosen, TimeUnit::Us, width);
            let of_table = |table: &Table| {
                let row = table.render(&[0], Style { width, ..Style::PLAIN });
                assert!(row.starts_with("mix read") && row.trim_end().chars().count() <= width, "{row}");
                table.columns.iter().map(|column| column.heading.clone()).collect::<Vec<_>>()
            };
            tables.iter().map(of_table).collect::<Vec<_>>()
        };
        assert_eq!(headings(200).len(), 1);
        assert_eq!(headings(200)[0][0], "job");
        let narrow = headings(60);
        assert_eq!(narrow.concat(), headings(200)[0][1..], "all that were asked for, in their order");
        assert!(narrow.len() > 1 && narrow[0].len() == 5, "{narrow:?}");
    }
}
