//! Tables of text: columns as wide as their widest cell.
//!
//! A [`Table`] has right-aligned columns and never exceeds the terminal: columns that do not fit go on below. Texts that are laid out in
//! another way have the [`widths`] of their columns from here, too.

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

/// Each row as a line of left-aligned columns, two spaces apart, without space at its end.
pub fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let widths = widths(rows.iter().map(Vec::as_slice));
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(text, width)| cell::left(text, *width) + "  ");
        cells.collect::<String>().trim_end().to_owned()
    };
    rows.iter().map(line).collect()
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
}
