//! A finished page with its colours, and without any other control sequence.

use crate::shown;
use std::fmt;
use std::ops::Deref;

/// Every code that a [`Style`](crate::style::Style) paints with.
const CODES: [&str; 6] = ["0", "1", "2", "32", "33", "1;31"];

/// Text in which only the sequences of a [`Style`](crate::style::Style) are left; any other control
/// character, wherever it came from, is escaped. [`Style::page`](crate::style::Style::page) makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Painted(String);

impl Painted {
    pub(crate) fn of(text: &str) -> Self {
        let mut parts = text.split("\x1b[");
        let mut out = shown::block(parts.next().unwrap_or_default()).into_owned();
        for part in parts {
            let code = part.split_once('m').filter(|(code, _)| CODES.contains(code));
            match code {
                Some((code, rest)) => out += &format!("\x1b[{code}m{}", shown::block(rest)),
                None => out += &format!("\\x1b[{}", shown::block(part)),
            }
        }
        Painted(out)
    }

    /// The same page with characters of ASCII in the same columns.
    pub(crate) fn in_ascii(&self) -> Self {
        Painted(in_ascii(&self.0))
    }

    /// The page.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Painted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Painted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text with characters of ASCII in the same columns.
pub fn in_ascii(text: &str) -> String {
    // Two characters stand for two.
    text.replace("± ", "+-").chars().map(ascii).collect()
}

/// The character of ASCII that looks most like this one; `?` if none does.
fn ascii(c: char) -> char {
    match c {
        '─' | '–' | '—' | '−' => '-',
        '│' | '├' | '┤' => '|',
        '└' | '╰' => '`',
        '┬' | '┴' | '┼' | '┌' | '┐' | '┘' => '+',
        '…' => '~',
        '×' => 'x',
        'µ' | 'μ' => 'u',
        '→' | '▶' => '>',
        '←' => '<',
        '≈' => '~',
        '·' | '•' => '.',
        '°' => ' ',
        '±' => '+',
        '≤' => '<',
        '≥' => '>',
        '²' => '2',
        '“' | '”' => '"',
        '‘' | '’' => '\'',
        '✓' => '+',
        '✗' => 'x',
        c if c.is_ascii() => c,
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use crate::style::Style;

    #[test]
    fn only_the_colours_of_a_style_are_left() {
        let style = Style { colour: true, ..Style::PLAIN };
        let text = style.strong("a") + "\x1b[2J\x1b]0;title\x07\u{9b}31m\r\n" + &style.bad("b\x1b[5mc");
        let page = style.page(&text);
        assert_eq!(
            page.as_str(),
            "\x1b[1ma\x1b[0m\\x1b[2J\\x1b]0;title\\x07\\x9b31m\\r\n\x1b[1;31mb\\x1b[5mc\x1b[0m"
        );
    }
}
