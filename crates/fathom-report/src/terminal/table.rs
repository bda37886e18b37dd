//! A table of right-aligned columns that never exceeds the terminal: columns
//! that do not fit go on below.

use fathom_text::cell;
use fathom_text::style::Style;

/// Rows of cells; the first row and the first column are headings.
pub(crate) struct Table {
    /// The cells, all rows of one length.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn render(&self, style: Style) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for columns in self.pieces(&widths, style.width) {
            for (at, row) in self.rows.iter().enumerate() {
                out.push_str(&line(row, &columns, &widths, at == 0, style));
            }
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |c: usize| self.rows.iter().map(|row| cell::width(&row[c])).max().unwrap_or(0);
        (0..columns).map(width).collect()
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
