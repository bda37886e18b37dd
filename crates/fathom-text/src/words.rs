//! Words for the sentences that fathom prints.

use std::fmt::{self, Display, Write};

/// `1 queue`, `2 queues`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// `1 pass`, `2 passes`: with the plural of a noun that is not made by an s alone.
pub fn counted_as<N: Display + PartialEq + From<u8>>(count: N, one: &str, several: &str) -> String {
    format!("{count} {}", if count == N::from(1) { one } else { several })
}

/// The beginning of what can be long as a text, such as an error that quotes what it read: at most so many characters of it are
/// ever stored.
pub fn beginning(from: &impl Display, chars_max: usize) -> String {
    struct Beginning(String, usize);
    impl Write for Beginning {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for c in text.chars() {
                self.1 = self.1.checked_sub(1).ok_or(fmt::Error)?;
                self.0.push(c);
            }
            Ok(())
        }
    }
    let mut beginning = Beginning(String::new(), chars_max);
    // The only error is that there is enough.
    let _ = write!(beginning, "{from}");
    beginning.0
}

const LISTED_MAX: usize = 3;

/// `a; b; c; and 4 more`.
pub fn listed(items: &[String]) -> String {
    // The item itself takes as little room as the words `and 1 more`.
    if items.len() <= LISTED_MAX + 1 {
        return items.join("; ");
    }
    format!("{}; and {} more", items[..LISTED_MAX].join("; "), items.len() - LISTED_MAX)
}

/// The first `most` of them, and how many more there are: `a, b and 4 more`.
pub fn first_of(items: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<&str> = items.iter().take(most).map(AsRef::as_ref).collect();
    match items.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
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
    fn the_beginning_of_a_text_is_cut_between_characters() {
        assert_eq!(beginning(&"größer", 4), "größ");
        assert_eq!(beginning(&format_args!("{}{}", "a", "bc"), 2), "ab");
        assert_eq!((beginning(&"abc", 3), beginning(&"abc", 9)), ("abc".to_owned(), "abc".to_owned()));
    }

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

    #[test]
    fn long_lists_are_cut() {
        let items: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        assert_eq!(listed(&items[..2]), "a; b");
        assert_eq!(listed(&items), "a; b; c; and 2 more");
    }
}
