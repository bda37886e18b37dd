//! The bytes of a saved printout as plain text.
//!
//! Printouts are copied from terminals, pagers, mails and consoles of Windows. What
//! these add is removed: encoding marks, line ends of other systems, escape codes
//! for colours, and letters that a pager prints twice to make them bold. Every other
//! byte is kept; one that is not printable is carried (docs/adr/0008).

use fathom_text::carried;

/// The mark with which UTF-8 may begin.
const MARK_UTF8: &[u8] = b"\xef\xbb\xbf";
/// The marks of UTF-16, which consoles of Windows write.
const MARK_UTF16_LITTLE: &[u8] = b"\xff\xfe";
const MARK_UTF16_BIG: &[u8] = b"\xfe\xff";

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;

/// Most bytes of an escape code that are searched for its end: window titles are the
/// longest codes.
const CODE_MAX_BYTES: usize = 256;

/// The text of a printout.
pub(super) fn text(bytes: &[u8]) -> String {
    carried::of_text(&without_codes(&utf8(bytes)))
}

fn utf8(bytes: &[u8]) -> Vec<u8> {
    if let Some(rest) = bytes.strip_prefix(MARK_UTF16_LITTLE) {
        return from_utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(MARK_UTF16_BIG) {
        return from_utf16(rest, u16::from_be_bytes);
    }
    bytes.strip_prefix(MARK_UTF8).unwrap_or(bytes).to_vec()
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units).into_bytes()
}

fn without_codes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            &ESCAPE => at += code_len(&bytes[at..]),
            &BACKSPACE => take_back(&mut out),
            b'\r' if bytes.get(at) == Some(&b'\n') => {}
            b'\r' => out.push(b'\n'),
            byte => out.push(*byte),
        }
    }
    out
}

/// Bytes of an escape code after the escape byte (ECMA-48, 5.4 and 8.3.89): a
/// control sequence `[…m`, a title `]…BEL`, a character set `(B`, or one
/// letter. A code never continues on the next line; one without an end is not a code.
fn code_len(rest: &[u8]) -> usize {
    let rest = &rest[..rest.len().min(CODE_MAX_BYTES)];
    let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let rest = &rest[..line];
    let within = |end: fn(&u8) -> bool| rest.iter().skip(1).position(end).map_or(0, |at| at + 2);
    match rest.first() {
        None => 0,
        Some(b'[') => within(|byte| (0x40..=0x7e).contains(byte)),
        Some(b']') => within(|byte| *byte == BELL),
        Some(b'(' | b')') => rest.len().min(2),
        Some(_) => 1,
    }
}

/// Removes the last character of the line.
fn take_back(out: &mut Vec<u8>) {
    let is_rest = |byte: &u8| byte & 0xc0 == 0x80;
    while out.last().is_some_and(is_rest) {
        out.pop();
    }
    if out.last().is_some_and(|byte| *byte != b'\n') {
        out.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_and_consoles_add_is_taken_away() {
        let utf16: Vec<u8> = "\u{feff}ä\r\nb".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16_big: Vec<u8> = "\u{feff}ä\nb".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let table: &[(&[u8], &str)] = &[
            (b"\xef\xbb\xbfa\r\nb\n", "a\nb\n"),
            (b"a\rb", "a\nb"),
            (&utf16, "ä\nb"),
            (&utf16_big, "ä\nb"),
            (b"\x1b[1;31mred\x1b[0m\x1b(B \x1b]0;title\x07x\x1b=y\x1b", "red xy"),
            (b"\x1b[12\nnext", "[12\nnext"),
            (b"b\x08bo\x08ol\x08ld _\x08u", "bold u"),
            ("ä\x08ä\n\x08x".as_bytes(), "ä\nx"),
        ];
        for (bytes, plain) in table {
            assert_eq!(text(bytes), *plain, "{bytes:?}");
        }
    }

    #[test]
    fn other_bytes_are_carried() {
        let carried = text(b"a\xff\x00\tb\n");
        assert_eq!(carried::to_bytes(&carried), b"a\xff\x00\tb\n");
        assert!(!carried.contains('\0') && carried.contains('\t'));
    }
}
