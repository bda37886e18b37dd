//! A part of a value with its place, and the error of a value that cannot be read.

use std::ops::Range;

/// A part of a value's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub text: &'a str,
    /// Its first byte within the whole value.
    pub start: usize,
}

impl<'a> Piece<'a> {
    /// All of a value.
    pub fn whole(text: &'a str) -> Self {
        Piece { text, start: 0 }
    }

    /// The bytes of this piece from `from` on.
    pub fn tail(self, from: usize) -> Self {
        Piece { text: &self.text[from..], start: self.start + from }
    }

    /// The bytes of this piece up to `to`.
    pub fn head(self, to: usize) -> Self {
        Piece { text: &self.text[..to], start: self.start }
    }

    /// Without blanks around it.
    pub fn trim(self) -> Self {
        let lead = self.text.len() - self.text.trim_start().len();
        let piece = self.tail(lead);
        piece.head(piece.text.trim_end().len())
    }

    /// The parts between separators; at least one, perhaps empty.
    pub fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let piece = rest.take()?;
            let Some((head, tail)) = piece.split_once(separator) else { return Some(piece) };
            rest = Some(tail);
            Some(head)
        })
    }

    /// What comes before and after the first separator.
    pub fn split_once(self, separator: char) -> Option<(Piece<'a>, Piece<'a>)> {
        let at = self.text.find(separator)?;
        Some((self.head(at), self.tail(at + separator.len_utf8())))
    }

    /// How many leading bytes satisfy a test on characters.
    pub fn leading(self, test: impl Fn(char) -> bool) -> usize {
        self.text.find(|c| !test(c)).unwrap_or(self.text.len())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadValue {
    /// Stable name of the rule.
    pub code: &'static str,
    pub message: String,
    /// The offending bytes within the value; all of it if `None`.
    pub at: Option<Range<usize>>,
    /// What to write instead.
    pub hints: Vec<String>,
}

impl BadValue {
    /// A bad value, all of it.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        BadValue { code, message: message.into(), at: None, hints: Vec::new() }
    }

    /// Marks the offending part.
    pub fn at(mut self, piece: Piece) -> Self {
        self.at = (!piece.text.is_empty()).then(|| piece.start..piece.start + piece.text.len());
        self
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a hint if there is one.
    pub fn hint_if(mut self, hint: Option<String>) -> Self {
        self.hints.extend(hint);
        self
    }
}
