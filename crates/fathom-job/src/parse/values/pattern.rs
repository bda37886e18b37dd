//! Patterns of bytes: `0xdeadbeef`, `"text"`, `255`, `'FILE'`, one after another; `verify_pattern` also has `%o`.
//!
//! Hexadecimal digits are bytes in the order written; a decimal number takes as few bytes as hold it, lowest first (a
//! negative one takes four). The files are read before ([`with_files`]), because a grammar reads none.

use super::{BadValue, Piece, print};
use fathom_text::carried::to_bytes;
use fathom_verify::{Pattern, PatternPart};

/// fio has room for this many bytes (MAX_PATTERN_SIZE).
pub(crate) const PATTERN_MAX: usize = 512;
/// Bytes of an offset.
const OFFSET_BYTES: usize = 8;

pub(super) fn pattern(piece: Piece) -> Result<Vec<u8>, BadValue> {
    let parts = parts(piece, false)?.into_iter().map(|part| match part {
        PatternPart::Bytes(bytes) => bytes,
        PatternPart::BlockOffset => Vec::new(),
    });
    Ok(parts.flatten().collect())
}

pub(super) fn verify_pattern(piece: Piece) -> Result<Pattern, BadValue> {
    Ok(Pattern { parts: parts(piece, true)? })
}

/// The parts of a pattern; bytes that follow bytes are one part.
fn parts(piece: Piece, has_offset: bool) -> Result<Vec<PatternPart>, BadValue> {
    let mut parts: Vec<PatternPart> = Vec::new();
    let mut rest = piece;
    while !rest.text.is_empty() {
        if rest.text.starts_with('%') {
            rest = offset(rest, has_offset)?.trim();
            parts.push(PatternPart::BlockOffset);
            continue;
        }
        let mut bytes = Vec::new();
        rest = one(rest, &mut bytes)?.trim();
        match parts.last_mut() {
            Some(PatternPart::Bytes(before)) => before.extend(bytes),
            _ => parts.push(PatternPart::Bytes(bytes)),
        }
    }
    let length = |part: &PatternPart| match part {
        PatternPart::Bytes(bytes) => bytes.len(),
        PatternPart::BlockOffset => OFFSET_BYTES,
    };
    if parts.iter().map(length).sum::<usize>() > PATTERN_MAX {
        return Err(piece.bad("out-of-range", format!("more than {PATTERN_MAX} bytes")));
    }
    Ok(parts)
}

/// Reads `%o` and returns what follows.
fn offset(piece: Piece<'_>, has_offset: bool) -> Result<Piece<'_>, BadValue> {
    match piece.text.strip_prefix("%o") {
        Some(_) if has_offset => Ok(piece.tail(2)),
        Some(_) => Err(piece.head(2).bad("bad-pattern", "only verify_pattern has `%o`")),
        None => Err(piece.bad(
            "bad-pattern",
            "`%` is followed by `o`, the offset of the block, or by nothing that is known",
        )),
    }
}

/// Reads one part of bytes and returns what follows.
fn one<'a>(piece: Piece<'a>, bytes: &mut Vec<u8>) -> Result<Piece<'a>, BadValue> {
    if piece.text.starts_with('"') {
        let body = piece.tail(1);
        let end = body.text.find('"').filter(|end| *end > 0);
        let end = end.ok_or_else(|| piece.bad("bad-pattern", "the text is empty or not closed"))?;
        bytes.extend(to_bytes(&body.text[..end]));
        return Ok(body.tail(end + 1));
    }
    if piece.text.starts_with("0x") || piece.text.starts_with("0X") {
        return hex(piece, bytes);
    }
    if piece.text.starts_with('\'') {
        return Err(piece.bad("bad-pattern", "the name of the file is empty or not closed"));
    }
    decimal(piece, bytes)
}

/// The text of a pattern with the bytes of its files in the place of their names; `None` where it names none. `read`
/// gives the bytes of a file, or why it cannot.
pub(crate) fn with_files(
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Option<String>, BadValue> {
    let mut out = String::new();
    let mut rest = text;
    let mut has_files = false;
    while let Some(quote) = rest.find(['"', '\'']) {
        let kind = &rest[quote..=quote];
        let body = &rest[quote + 1..];
        let Some(end) = body.find(kind) else { break };
        let (name, behind) = (&body[..end], &body[end + 1..]);
        if kind == "\"" || name.is_empty() {
            out.push_str(&rest[..quote + end + 2]);
        } else {
            let bytes = read(name).map_err(|why| {
                BadValue::new("bad-pattern", format!("cannot read the pattern's file {name}: {why}"))
                    .hint("a file of 1 to 512 bytes, or the bytes themselves: 0x…")
            })?;
            out.push_str(&rest[..quote]);
            out.push_str(&format!(" {} ", print::hex(&bytes)));
            has_files = true;
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(has_files.then_some(out))
}

fn hex<'a>(piece: Piece<'a>, bytes: &mut Vec<u8>) -> Result<Piece<'a>, BadValue> {
    let body = piece.tail(2);
    let end = body.leading(|c| c.is_ascii_hexdigit());
    if end == 0 {
        return Err(piece.bad("bad-pattern", "`0x` without digits"));
    }
    let digits = &body.text.as_bytes()[..end];
    // An odd number of digits begins with half a byte: 0xabc is 0a bc.
    let (lone, pairs) = digits.split_at(digits.len() % 2);
    for pair in std::iter::once(lone).filter(|l| !l.is_empty()).chain(pairs.chunks(2)) {
        bytes.push(
            pair.iter().fold(0, |byte, digit| byte << 4 | (*digit as char).to_digit(16).unwrap_or(0) as u8),
        );
    }
    Ok(body.tail(end))
}

fn decimal<'a>(piece: Piece<'a>, bytes: &mut Vec<u8>) -> Result<Piece<'a>, BadValue> {
    let sign = usize::from(piece.text.starts_with('-'));
    let end = sign + piece.tail(sign).leading(|c| c.is_ascii_digit());
    let n: i64 = piece.text[..end].parse().map_err(|_| {
        piece
            .bad("bad-pattern", format!("`{}` is not a pattern", piece.text))
            .hint("0x… for bytes, \"…\" for text, or a decimal number")
    })?;
    if i32::try_from(n).is_err() {
        return Err(piece
            .head(end)
            .bad("out-of-range", "a decimal number is at most 2147483647, as in fio; write it as 0x…"));
    }
    let length = if n < 0 { 4 } else { (n as u32).max(1).ilog2() as usize / 8 + 1 };
    bytes.extend_from_slice(&(n as u32).to_le_bytes()[..length]);
    Ok(piece.tail(end))
}
