//! Text for a terminal, on which a control character is a command.
//!
//! What could move the cursor, end a line or turn the direction of writing is
//! written as an escape: `\n`, `\x1b`, `\u{202e}`. A backslash that was there
//! stays as it is, so this is for reading; [`crate::shell`] is for pasting.

use crate::carried::{byte_of, is_plain};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// A value within a line: no line break either.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_plain(c) && c != '\t', escape)
}

/// Whole lines that we made: line breaks and tabs stay.
pub fn block(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_plain(c) || c == '\n', escape)
}

/// A path within a line; bytes that are not text are written as `\xff`.
pub fn path(path: &Path) -> String {
    line(&crate::carried::of_os(path)).into_owned()
}

/// A JSON document. Its strings escape control characters of ASCII already;
/// others are escaped in the way of JSON, so it says the same as before.
pub fn json(text: &str) -> Cow<'_, str> {
    let stays = |c: char| is_plain(c) || byte_of(c).is_some() || matches!(c, '\n' | '\r');
    // All others lie in the first plane: one unit of UTF-16 each.
    escaped(text, stays, |out, c| out.push_str(&format!("\\u{:04x}", u32::from(c))))
}

fn escaped(text: &str, stays: impl Fn(char) -> bool, escape: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if text.chars().all(&stays) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if stays(c) {
            out.push(c);
        } else {
            escape(&mut out, c);
        }
    }
    Cow::Owned(out)
}

fn escape(out: &mut String, c: char) {
    let code = byte_of(c).map_or(u32::from(c), u32::from);
    match code {
        0x09 => out.push_str("\\t"),
        0x0a => out.push_str("\\n"),
        0x0d => out.push_str("\\r"),
        0..=0xff => drop(write!(out, "\\x{code:02x}")),
        _ => drop(write!(out, "\\u{{{code:x}}}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_escaped() {
        for (text, shown) in [
            ("plain größe →", "plain größe →"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\x1b[31mred\x07\x7f", "\\x1b[31mred\\x07\\x7f"),
            ("\u{9b}31m", "\\x9b31m"),
            ("\u{202e}oif\u{2066}", "\\u{202e}oif\\u{2066}"),
            ("a\u{ef0a}b\u{efff}", "a\\nb\\xff"),
        ] {
            assert_eq!(line(text), shown);
        }
        assert_eq!(block("a\n\tb\x1b\u{ef0a}"), "a\n\tb\\x1b\\n");
    }

    #[test]
    fn json_says_the_same_as_before() {
        assert_eq!(
            json("{\n\"a\": \"\u{9b}\u{202e}\u{7f}\u{ef0a}\"}"),
            "{\n\"a\": \"\\u009b\\u202e\\u007f\u{ef0a}\"}"
        );
    }
}
