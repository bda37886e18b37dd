//! Tables of text: columns as wide as their widest cell.
//!
//! Two kinds never exceed the terminal. A [`Table`] has right-aligned columns, and those that do not fit go on below. The lines of a
//! [`Fitted`] table stay one line each: cells are cut, and then columns leave it.

use crate::cell;
use crate::style::Style;

/// How wide the columns of these rows are. All rows have the same number of cells.
pub fn widths<'r>(rows: impl IntoIterator<Item = &'r [String]>) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(row.len().max(widths.len()), 0);
        row.iter().zip(&mut widths).for_each(|(text, width)| *width = cell::width(text).max(*width));
    }
    widths
}

/// Each row as a line of left-aligned columns, two spaces apart, without space at its end. Of the last column nothing is cut.
pub fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let widths = widths(rows.iter().map(Vec::as_slice));
    let line = |row: &Vec<String>| {
        let Some((last, cells)) = row.split_last() else { return String::new() };
        let cells = cells.iter().zip(&widths).map(|(text, width)| cell::left(text, *width) + "  ");
        (cells.collect::<String>() + last).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Spaces between two columns.
const GAP: usize = 2;

/// A column of a [`Fitted`] table, and how it gives way.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// What is above it.
    pub heading: &'a str,
    /// Numbers end at the right edge.
    pub is_number: bool,
    /// The order in which columns leave the line: the highest first; 0 stays.
    pub leaves: usize,
    /// The fewest characters to which a cell may be cut; `None` for what must be whole.
    pub cut_to: Option<usize>,
}

/// Columns in one line that fit their place, whatever comes between the lines.
///
/// Where they do not fit, the widest cells are cut, but to no less than their column says. If that is not
/// enough, one column after the other leaves the line.
#[derive(Debug)]
pub struct Fitted {
    headings: Vec<String>,
    are_numbers: Vec<bool>,
    indent: usize,
    /// Width of each column; `None` for one that left the line, and for one in which no row has anything.
    pub widths: Vec<Option<usize>>,
}

impl Fitted {
    /// Lays out these rows, each with a cell for each column, in lines of at most `room` characters.
    pub fn new(columns: &[Column<'_>], rows: &[Vec<String>], indent: usize, room: usize) -> Self {
        let natural = |at: usize| {
            let cells = rows.iter().map(|row| cell::width(&row[at]));
            cells.max().unwrap_or(0).max(cell::width(columns[at].heading))
        };
        let is_used = |at: &usize| rows.iter().any(|row| !row[*at].is_empty());
        let mut whole: Vec<Option<usize>> =
            (0..columns.len()).map(|at| Some(at).filter(is_used).map(natural)).collect();
        let widths = loop {
            let mut widths = whole.clone();
            while indent + in_line(&widths) > room && narrow(columns, &mut widths) {}
            if indent + in_line(&widths) <= room || !leave(columns, &mut whole) {
                break widths;
            }
        };
        let headings = columns.iter().map(|column| column.heading.to_owned()).collect();
        Fitted {
            headings,
            are_numbers: columns.iter().map(|column| column.is_number).collect(),
            indent,
            widths,
        }
    }

    /// The line of headings.
    pub fn headings(&self, style: Style) -> String {
        style.faint(&self.line(&self.headings, Style::PLAIN)) + "\n"
    }

    /// One line, without a newline. A figure of few values, which ends in `·`, is faint.
    pub fn line(&self, cells: &[String], style: Style) -> String {
        let mut line = " ".repeat(self.indent);
        let mut gap = String::new();
        for ((text, width), is_number) in cells.iter().zip(&self.widths).zip(&self.are_numbers) {
            let Some(width) = *width else { continue };
            let text = cell::cut(text, width);
            let padded = if *is_number { cell::right(&text, width) } else { cell::left(&text, width) };
            let padded = gap + &padded;
            line += &if text.ends_with('·') { style.faint(&padded) } else { padded };
            gap = " ".repeat(GAP);
        }
        line.trim_end().to_owned()
    }
}

/// The width of columns beside each other.
fn in_line(widths: &[Option<usize>]) -> usize {
    let inside = || widths.iter().flatten();
    inside().sum::<usize>() + GAP * inside().count().saturating_sub(1)
}

/// Narrows the widest column that may be cut by a character. Returns whether there was one.
fn narrow(columns: &[Column<'_>], widths: &mut [Option<usize>]) -> bool {
    let widths = widths.iter_mut().zip(columns);
    let can_be_cut = widths.filter_map(|(width, column)| Some((width.as_mut()?, column.cut_to?)));
    let widest = can_be_cut.filter(|(width, least)| **width > *least).max_by_key(|(width, _)| **width);
    widest.map(|(width, _)| *width -= 1).is_some()
}

/// The next column leaves the line. Returns whether there was one.
fn leave(columns: &[Column<'_>], widths: &mut [Option<usize>]) -> bool {
    let inside = (0..columns.len()).filter(|at| widths[*at].is_some());
    let next = inside.max_by_key(|at| columns[*at].leaves).filter(|at| columns[*at].leaves > 0);
    next.map(|at| widths[at] = None).is_some()
}

/// Rows of cells; the first row and the first column are headings.
pub struct Table {
    /// The cells, all rows of one length.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table, each line ended by a newline.
    pub fn render(&self, style: Style) -> String {
        let widths = widths(self.rows.iter().map(Vec::as_slice));
        let mut out = String::new();
        for columns in self.pieces(&widths, style.width) {
            for (at, row) in self.rows.iter().enumerate() {
                out.push_str(&line(row, &columns, &widths, at == 0, style));
            }
        }
        out
    }

    /// Columns that fit side by side, after the heading column.
    fn pieces(&self, widths: &[usize], room: usize) -> Vec<Vec<usize>> {
        let Some(heading) = widths.first() else {
            return Vec::new();
        };
        let mut pieces: Vec<Vec<usize>> = Vec::new();
        let mut used = usize::MAX;
        for (column, width) in widths.iter().enumerate().skip(1) {
            if used.saturating_add(width + 2) > room {
                pieces.push(Vec::new());
                used = 2 + heading.max(&11);
            }
            used += width + 2;
            pieces.last_mut().expect("a piece was begun above").push(column);
        }
        pieces
    }
}

fn line(row: &[String], columns: &[usize], widths: &[usize], heading: bool, style: Style) -> String {
    let label = format!("  {}", cell::left(&row[0], widths[0].max(11)));
    let cells = columns.iter().map(|c| (&row[*c], widths[*c]));
    let cell = |(text, width): (&String, usize)| {
        let padded = format!("  {}", cell::right(text, width));
        if heading || text.ends_with('·') { style.faint(&padded) } else { padded }
    };
    format!("{}{}\n", style.faint(&label), cells.map(cell).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_go_on_below() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let table = Table { rows: vec![row(["", "min", "mean", "max"]), row(["total", "1", "22", "333"])] };
        let wide = table.render(Style { width: 80, ..Style::PLAIN });
        assert_eq!(wide, "               min  mean  max\n  total          1    22  333\n");
        let narrow = table.render(Style { width: 24, ..Style::PLAIN });
        assert_eq!(narrow.lines().count(), 4);
        assert!(narrow.lines().all(|line| line.len() <= 24), "{narrow}");
    }

    #[test]
    fn cells_are_cut_and_then_columns_leave() {
        let column = |heading, is_number, leaves, cut_to| Column { heading, is_number, leaves, cut_to };
        let columns = [
            column("name", false, 0, None),
            column("GB", true, 0, None),
            column("use", false, 1, Some(8)),
            column("never", false, 0, None),
        ];
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [row(["/dev/sda", "1,000", "/ (ext4) and swap", ""]), row(["/dev/sdb", "8·", "", ""])];
        let drawn = |room: usize| {
            let table = Fitted::new(&columns, &rows, 2, room);
            let lines = rows.iter().map(|row| table.line(row, Style::PLAIN) + "\n");
            table.headings(Style::PLAIN) + &lines.collect::<String>()
        };
        let wide = ["  name         GB  use", "  /dev/sda  1,000  / (ext4) and swap", "  /dev/sdb     8·"];
        assert_eq!(drawn(40).lines().collect::<Vec<_>>(), wide);
        assert!(drawn(30).contains("  /dev/sda  1,000  / (ext4) a…\n"), "{}", drawn(30));
        assert!(drawn(20).contains("  /dev/sda  1,000\n"), "{}", drawn(20));
    }
}
