//! What the terminal of the view can show.

use crate::screen::Screen;
use fathom_text::style::Style;

/// What the terminal of the view can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Colours and characters.
    pub style: Style,
    /// Columns that a row may fill.
    pub columns: usize,
    /// Rows of the terminal.
    pub rows: usize,
}

/// What a terminal that does not say its size is taken for.
const COLUMNS: usize = 80;
const ROWS: usize = 24;

impl Look {
    /// Whether standard error is a terminal on which a row can be replaced. One of type `dumb` knows
    /// no control sequences.
    pub fn has_view() -> bool {
        Screen::stderr().is_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// The look of the terminal now: its size can change at any time.
    pub fn now() -> Look {
        let screen = Screen::stderr();
        // A row that fills the last column leaves the cursor between two rows.
        let columns = screen.columns.unwrap_or(COLUMNS).saturating_sub(1).max(1);
        Look { style: screen.style, columns, rows: screen.rows.unwrap_or(ROWS) }
    }

    /// A row as this terminal can show it: cut at its width, with colours and no other control
    /// sequence.
    pub fn row(self, text: &str) -> String {
        let page = self.style.page(text);
        let tail = if self.style.utf8 { "…" } else { "~" };
        console::truncate_str(&page, self.columns, tail).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_cut_and_keeps_its_colours() {
        let style = Style { colour: true, ..Style::PLAIN };
        let look = Look { style, columns: 6, rows: 24 };
        assert_eq!(look.row(&style.careful("größe größe")), "\x1b[33mgröße…\x1b[0m");
        assert_eq!(console::measure_text_width(&look.row("日本語日本語")), 5);
        let wide = Look { columns: 40, ..look };
        assert_eq!(wide.row("a\x1b[2Jb\x07\u{9b}31m"), "a\\x1b[2Jb\\x07\\x9b31m");
        let ascii = Look { style: Style { utf8: false, ..Style::PLAIN }, columns: 9, ..look };
        assert_eq!(ascii.row("93 µs größer als"), "93 us gr~");
    }
}
