//! Rows in columns that fit a width.
//!
//! Where they do not, the widest cells are cut, but to no less than their column says. If that is not
//! enough, one column after the other goes to a line below its row, whole.

use fathom_text::cell;
use fathom_text::style::Style;
use fathom_text::words::wrapped;

/// Spaces between two columns.
const GAP: usize = 2;

/// Spaces before a row, and before what is below it.
const INDENT: usize = 2;
const INDENT_BELOW: usize = 6;

/// One column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub heading: &'static str,
    /// Numbers end at the right edge.
    pub is_number: bool,
    /// The order in which columns leave the line: the highest first; 0 stays.
    pub leaves: usize,
    /// The fewest characters to which a cell may be cut; `None` for names and options that a person
    /// types.
    pub cut_to: Option<usize>,
    /// A cell that would be cut is whole on a line below its row instead.
    pub is_answer: bool,
    /// Below its row it has a line of its own, which begins with the heading and is not broken,
    /// because a person copies it.
    pub has_own_line: bool,
}

/// A table of which the columns are laid out together, whatever comes between its rows.
#[derive(Debug)]
pub(super) struct Table<'a> {
    columns: &'a [Column],
    /// Width of each column that is in the line; `None` for one that is below it.
    widths: Vec<Option<usize>>,
    style: Style,
}

impl<'a> Table<'a> {
    /// Lays out these rows; each has a cell for each column.
    pub fn new(columns: &'a [Column], rows: &[Vec<String>], style: Style) -> Self {
        let natural = |at: usize| {
            let cells = rows.iter().map(|row| row[at].chars().count());
            cells.max().unwrap_or(0).max(columns[at].heading.chars().count())
        };
        // A column in which no row has anything is nowhere.
        let is_used = |at: &usize| rows.iter().any(|row| !row[*at].is_empty());
        let mut whole: Vec<Option<usize>> =
            (0..columns.len()).map(|at| Some(at).filter(is_used).map(natural)).collect();
        loop {
            let mut table = Self { columns, widths: whole.clone(), style };
            while table.width() > style.width && table.narrow() {}
            if table.width() <= style.width || !send_below(columns, &mut whole) {
                return table;
            }
        }
    }

    fn width(&self) -> usize {
        let inside: Vec<usize> = self.widths.iter().copied().flatten().collect();
        INDENT + inside.iter().sum::<usize>() + GAP * inside.len().saturating_sub(1)
    }

    /// Narrows the widest column that may be cut by a character. Returns whether there was one.
    fn narrow(&mut self) -> bool {
        let widths = self.widths.iter_mut().zip(self.columns);
        let can_be_cut = widths.filter_map(|(width, column)| Some((width.as_mut()?, column.cut_to?)));
        let widest = can_be_cut.filter(|(width, least)| **width > *least).max_by_key(|(width, _)| **width);
        widest.map(|(width, _)| *width -= 1).is_some()
    }

    /// The line of headings.
    pub fn headings(&self) -> String {
        let cells: Vec<String> = self.columns.iter().map(|column| column.heading.to_owned()).collect();
        self.style.faint(&self.line(&cells)) + "\n"
    }

    /// A row, and below it what does not fit in its line.
    pub fn row(&self, cells: &[String]) -> String {
        let mut out = self.line(cells) + "\n";
        let cells = cells.iter().zip(self.columns).zip(&self.widths);
        let outside = cells.filter(|((cell, column), width)| match width {
            None => !cell.is_empty(),
            Some(width) => column.is_answer && is_longer(cell, *width),
        });
        let (alone, together): (Vec<_>, Vec<_>) =
            outside.map(|(cell, _)| cell).partition(|(_, column)| column.has_own_line);
        let together: Vec<&str> = together.into_iter().map(|(cell, _)| cell.as_str()).collect();
        let mut lines = wrapped(&together.join(": "), self.style.width - INDENT_BELOW);
        lines.extend(alone.into_iter().map(|(cell, column)| format!("{}: {cell}", column.heading)));
        lines.iter().for_each(|line| out += &format!("{:INDENT_BELOW$}{line}\n", ""));
        out
    }

    fn line(&self, cells: &[String]) -> String {
        let mut line = " ".repeat(INDENT);
        for ((text, width), column) in cells.iter().zip(&self.widths).zip(self.columns) {
            let Some(width) = *width else { continue };
            let is_below = column.is_answer && is_longer(text, width);
            let text = if is_below { String::new() } else { cell::cut(text, width) };
            line += &match column.is_number {
                true => cell::right(&text, width),
                false => cell::left(&text, width),
            };
            line += &" ".repeat(GAP);
        }
        line.trim_end().to_owned()
    }
}

/// Moves the next column below the rows. Returns whether there was one.
fn send_below(columns: &[Column], widths: &mut [Option<usize>]) -> bool {
    let inside = (0..columns.len()).filter(|at| widths[*at].is_some());
    let next = inside.max_by_key(|at| columns[*at].leaves).filter(|at| columns[*at].leaves > 0);
    next.map(|at| widths[at] = None).is_some()
}

fn is_longer(text: &str, most: usize) -> bool {
    text.chars().count() > most
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] = [
        Column {
            heading: "name",
            is_number: false,
            leaves: 0,
            cut_to: None,
            is_answer: false,
            has_own_line: false,
        },
        Column {
            heading: "GB",
            is_number: true,
            leaves: 0,
            cut_to: None,
            is_answer: false,
            has_own_line: false,
        },
        Column {
            heading: "use",
            is_number: false,
            leaves: 1,
            cut_to: Some(8),
            is_answer: false,
            has_own_line: false,
        },
    ];

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
    fn what_does_not_fit_is_cut_and_then_goes_below() {
        let wide = ["  name         GB  use", "  /dev/sda  1,000  / (ext4) and swap", "  /dev/sdb      8"];
        assert_eq!(drawn(40).lines().collect::<Vec<_>>(), wide);
        assert!(drawn(30).contains("  /dev/sda  1,000  / (ext4) a…\n"), "{}", drawn(30));
        let below = ["  /dev/sda  1,000", "      / (ext4) and", "      swap", "  /dev/sdb      8"];
        assert_eq!(drawn(20).lines().skip(1).collect::<Vec<_>>(), below);
    }
}
