//! Bytes from outside in a `String`, without loss.
//!
//! Printable text stays as it is. Each byte of anything else (bytes that are not UTF-8, control
//! characters, characters that change the direction of writing) becomes the one character U+EF00
//! plus the byte, out of a block that Unicode leaves to private use. So carried text has no line
//! break and no escape sequence in it, wherever it is printed, and [`to_os`] still returns exactly
//! the same bytes: if a name holds characters of the block itself, their bytes are carried in the
//! same way. The convention is MirBSD's (OPTU-8), widened to control characters.
//!
//! A tab stays, since job files separate words by it.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// First character of the block; the byte is added.
const BLOCK: u32 = 0xef00;

/// A name (an argument, a path, a variable) as carried text.
pub fn of_os(name: impl AsRef<OsStr>) -> String {
    of_bytes(name.as_ref().as_bytes())
}

/// Bytes as carried text.
pub fn of_bytes(bytes: &[u8]) -> String {
    carry(bytes, is_plain)
}

/// Text of several lines, such as a job file: white space of ASCII stays too.
pub fn of_text(bytes: &[u8]) -> String {
    carry(bytes, |c| is_plain(c) || matches!(c, '\n' | '\r' | '\x0b' | '\x0c'))
}

/// Text that came as a `String` from elsewhere (a saved run) and may hold
/// anything; text that is carried already stays as it is.
pub fn of_str(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| is_plain(c) || byte_of(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match byte_of(c) {
            Some(_) => out.push(c),
            None => push(&mut out, c, is_plain),
        }
    }
    Cow::Owned(out)
}

/// The exact bytes of a carried name.
pub fn to_os(text: &str) -> OsString {
    OsString::from_vec(to_bytes(text))
}

/// The path that a carried name means.
pub fn to_path(text: &str) -> PathBuf {
    to_os(text).into()
}

/// The exact bytes of carried text.
pub fn to_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => out.push(byte),
            None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

/// The characters that were carried, as far as they are Unicode: for output that has its own
/// escapes, such as JSON. Bytes that are no UTF-8 stay carried.
pub fn to_unicode(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| byte_of(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(carry(&to_bytes(text), |c| byte_of(c).is_none()))
}

/// The byte that a character of the block means. The bytes of printable
/// ASCII never need one.
pub(crate) fn byte_of(c: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(c).checked_sub(BLOCK)?).ok()?;
    (!(b' '..0x7f).contains(&byte) && byte != b'\t').then_some(byte)
}

/// Whether a character may stay as it is.
pub(crate) fn is_plain(c: char) -> bool {
    c == '\t' || !(c.is_control() || turns(c) || byte_of(c).is_some())
}

/// Characters that end a line or turn the direction of writing: what follows
/// them is not where it seems to be (the marks, embeddings, overrides and
/// isolates of Unicode's annex 9, and its two separators).
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn carry(bytes: &[u8], stays: impl Fn(char) -> bool + Copy) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut out, c, stays));
        chunk.invalid().iter().for_each(|byte| out.push(of_byte(*byte)));
    }
    out
}

fn push(out: &mut String, c: char, stays: impl Fn(char) -> bool) {
    if stays(c) {
        out.push(c);
    } else {
        out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(of_byte));
    }
}

fn of_byte(byte: u8) -> char {
    char::from_u32(BLOCK + u32::from(byte)).expect("the block lies between the surrogates and the end")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn printable_text_stays_and_the_rest_is_carried_byte_by_byte() {
        for (bytes, text) in [
            (&b"/mnt/a b"[..], "/mnt/a b"),
            ("/mnt/größe".as_bytes(), "/mnt/größe"),
            (b"a\xffb", "a\u{efff}b"),
            (b"a\nb\x1b[31m", "a\u{ef0a}b\u{ef1b}[31m"),
            (b"\xc2\x9b", "\u{efc2}\u{ef9b}"),
            ("\u{202e}".as_bytes(), "\u{efe2}\u{ef80}\u{efae}"),
            ("\u{efff}".as_bytes(), "\u{efee}\u{efbf}\u{efbf}"),
        ] {
            assert_eq!(of_bytes(bytes), text);
            assert_eq!(to_bytes(text), bytes);
        }
        assert_eq!(of_text(b"[a]\r\nrw=read\n\x1b"), "[a]\r\nrw=read\n\u{ef1b}");
    }

    #[test]
    fn json_gets_its_characters_back_but_no_bytes_that_are_none() {
        assert_eq!(to_unicode("a\u{ef0a}b\u{efff}c"), "a\nb\u{efff}c");
        assert_eq!(to_unicode("plain"), "plain");
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_and_nothing_harmful_stays(bytes: Vec<u8>) {
            let text = of_bytes(&bytes);
            prop_assert_eq!(to_bytes(&text), bytes);
            prop_assert!(!text.chars().any(|c| (c.is_control() && c != '\t') || turns(c)));
            prop_assert_eq!(of_str(&text), text.as_str());
        }

        #[test]
        fn foreign_text_becomes_carried_text(text: String) {
            let carried = of_str(&text).into_owned();
            prop_assert!(!carried.chars().any(|c| (c.is_control() && c != '\t') || turns(c)));
            prop_assert_eq!(of_str(&carried), carried.as_str());
        }
    }
}
