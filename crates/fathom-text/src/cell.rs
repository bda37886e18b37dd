//! Cells of a table for a person: as wide as their column, and never wider than [`CELL_MAX`].
//!
//! A name that comes from outside may have megabytes. Rust's own padding takes widths up to 65,535 characters and panics beyond;
//! and a table pads every row to its widest cell, so one long name would fill the memory. A document has the whole text.

use std::borrow::Cow;

/// The most characters of a cell: twice the longest name of a file, 255 bytes, so that a name is whole, and what is printed with it.
pub const CELL_MAX: usize = 512;

/// How many columns a text takes in a table.
pub fn width(text: &str) -> usize {
    text.chars().take(CELL_MAX).count()
}

/// A text of at most [`CELL_MAX`] characters: of a longer one its beginning and its end.
pub fn shortened(text: &str) -> Cow<'_, str> {
    // No character is shorter than a byte.
    if text.len() <= CELL_MAX || text.chars().count() <= CELL_MAX {
        return Cow::Borrowed(text);
    }
    let (begin, end) = (CELL_MAX / 2, CELL_MAX - CELL_MAX / 2 - 1);
    let begin: String = text.chars().take(begin).collect();
    let mut last: Vec<char> = text.chars().rev().take(end).collect();
    last.reverse();
    Cow::Owned(begin + "…" + &last.into_iter().collect::<String>())
}

/// The text at the left edge of a column of this width.
pub fn left(text: &str, width: usize) -> String {
    let text = shortened(text);
    let space = " ".repeat(missing(&text, width));
    text.into_owned() + &space
}

/// The text at the right edge of a column of this width.
pub fn right(text: &str, width: usize) -> String {
    let text = shortened(text);
    " ".repeat(missing(&text, width)) + &text
}

/// The text in at most so many characters; a longer one ends in `…`.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain((most > 0).then_some('…')).collect()
}

fn missing(text: &str, width: usize) -> usize {
    width.saturating_sub(text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_as_wide_as_their_column() {
        assert_eq!(
            (left("äb", 4), right("äb", 4), left("abc", 2)),
            ("äb  ".into(), "  äb".into(), "abc".into())
        );
        assert_eq!(right("", 70_000).len(), 70_000, "wider than Rust's own padding");
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let whole = "ä".repeat(CELL_MAX);
        assert_eq!(shortened(&whole), whole);
        let long = format!("begin{}end", "x".repeat(10_000_000));
        let cell = left(&long, width(&long));
        assert_eq!((cell.chars().count(), width(&long)), (CELL_MAX, CELL_MAX));
        assert!(cell.starts_with("begin") && cell.contains('…') && cell.ends_with("end"));
    }
}
