//! Words for the sentences that fathom prints.

use std::fmt::Display;

/// `1 queue`, `2 queues`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A blank at which no line ends.
pub const NO_BREAK: char = '\u{a0}';

/// The words of a text, in lines of at most so many columns. A word that is longer is a line of its own.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let is_break = |c: char| c.is_whitespace() && c != NO_BREAK;
    filled(text.split(is_break).filter(|word| !word.is_empty()), columns)
}

/// These words, in lines of at most so many columns. A word that is longer is a line of its own.
pub fn filled<'a>(words: impl IntoIterator<Item = &'a str>, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= columns) {
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two  three-and-more x", 7), ["one two", "three-and-more", "x"]);
        assert_eq!(wrapped("12\u{a0}% of 7", 4), ["12\u{a0}%", "of 7"]);
        assert!(wrapped(" ", 7).is_empty());
    }

    #[test]
    fn one_and_many() {
        assert_eq!(
            (counted(1_usize, "queue"), counted(0_u64, "queue")),
            ("1 queue".into(), "0 queues".into())
        );
    }
}
