//! Rows in columns that fit a width. What does not fit in the line of its row is below it, whole.

use fathom_text::style::Style;
use fathom_text::table::{self, Fitted};
use fathom_text::words::wrapped;

/// Spaces before a row, and before what is below it.
const INDENT: usize = 2;
const INDENT_BELOW: usize = 6;

/// One column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// How it is laid out.
    pub laid_out: table::Column<'static>,
    /// A cell that would be cut is whole on a line below its row instead.
    pub is_answer: bool,
    /// Below its row it has a line of its own, which begins with the heading and is not broken,
    /// because a person copies it.
    pub has_own_line: bool,
}

/// A column of words that leaves the line in this order, 0 never, and may be cut to so many characters.
pub(super) const fn column(heading: &'static str, leaves: usize, cut_to: Option<usize>) -> Column {
    let laid_out = table::Column { heading, is_number: false, leaves, cut_to };
    Column { laid_out, is_answer: false, has_own_line: false }
}

/// A column of numbers, which stays whole.
pub(super) const fn number(heading: &'static str) -> Column {
    let laid_out = table::Column { heading, is_number: true, leaves: 0, cut_to: None };
    Column { laid_out, is_answer: false, has_own_line: false }
}

/// A table of which the columns are laid out together, whatever comes between its rows.
#[derive(Debug)]
pub(super) struct Table<'a> {
    columns: &'a [Column],
    fitted: Fitted,
    style: Style,
}

impl<'a> Table<'a> {
    /// Lays out these rows; each has a cell for each column.
    pub fn new(columns: &'a [Column], rows: &[Vec<String>], style: Style) -> Self {
        let laid_out: Vec<_> = columns.iter().map(|column| column.laid_out).collect();
        Table { columns, fitted: Fitted::new(&laid_out, rows, INDENT, style.width), style }
    }

    /// The line of headings.
    pub fn headings(&self) -> String {
        self.fitted.headings(self.style)
    }

    /// A row, and below it what does not fit in its line.
    pub fn row(&self, cells: &[String]) -> String {
        let (mut inside, mut together, mut alone) = (cells.to_vec(), Vec::new(), Vec::new());
        for (at, (column, width)) in self.columns.iter().zip(&self.fitted.widths).enumerate() {
            let is_below = width.is_none_or(|width| column.is_answer && cells[at].chars().count() > width);
            if !is_below || cells[at].is_empty() {
                continue;
            }
            match column.has_own_line {
                true => alone.push(format!("{}: {}", column.laid_out.heading, cells[at])),
                false => together.push(std::mem::take(&mut inside[at])),
            }
        }
        let lines = wrapped(&together.join(": "), self.style.width - INDENT_BELOW).into_iter().chain(alone);
        let below = lines.map(|line| format!("{:INDENT_BELOW$}{line}\n", ""));
        self.fitted.line(&inside, self.style) + "\n" + &below.collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] = [column("name", 0, None), number("GB"), column("use", 1, Some(8))];

    fn drawn(width: usize) -> String {
        let rows = [["/dev/sda", "1,000", "/ (ext4) and swap"], ["/dev/sdb", "8", ""]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let table = Table::new(&COLUMNS, &rows, Style { width, ..Style::PLAIN });
        table.headings() + &rows.iter().map(|row| table.row(row)).collect::<String>()
    }

    #[test]
    fn an_answer_is_not_cut() {
        let mut columns = COLUMNS;
        columns[2].is_answer = true;
        let rows = [["/dev/sda", "1,000", "/srv/long (ext4)"], ["/dev/sdb", "8", "/a (xfs)"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let table = Table::new(&columns, &rows, Style { width: 30, ..Style::PLAIN });
        let drawn: String = rows.iter().map(|row| table.row(row)).collect();
        let lines = ["  /dev/sda  1,000", "      /srv/long (ext4)", "  /dev/sdb      8  /a (xfs)"];
        assert_eq!(drawn.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn what_does_not_fit_goes_below() {
        let below = ["  /dev/sda  1,000", "      / (ext4) and", "      swap", "  /dev/sdb      8"];
        assert_eq!(drawn(20).lines().skip(1).collect::<Vec<_>>(), below);
    }
}
