//! Buffer patterns: `0xdeadbeef`, `"text"`, `255`, one after another.
//!
//! Hexadecimal digits are bytes in the order written; a decimal number takes
//! as few bytes as hold it, lowest first (a negative one takes four).

use super::{BadValue, Piece};
use fathom_text::carried::to_bytes;

/// fio has room for this many bytes (MAX_PATTERN_SIZE).
const PATTERN_MAX: usize = 512;

pub(super) fn pattern(piece: Piece) -> Result<Vec<u8>, BadValue> {
    let mut bytes = Vec::new();
    let mut rest = piece;
    while !rest.text.is_empty() {
        rest = one(rest, &mut bytes)?.trim();
    }
    if bytes.len() > PATTERN_MAX {
        return Err(piece.bad("out-of-range", format!("more than {PATTERN_MAX} bytes")));
    }
    Ok(bytes)
}

/// Reads one part and returns what follows.
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
        return Err(piece.bad("bad-pattern", "a pattern from a file is not supported; write it out"));
    }
    if piece.text.starts_with('%') {
        return Err(piece.head(1).bad("bad-pattern", "only verify_pattern has `%o`"));
    }
    decimal(piece, bytes)
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
    if n < i64::from(i32::MIN) || n > i64::from(u32::MAX) {
        return Err(piece.head(end).bad("out-of-range", "more than 32 bits; write it as 0x…"));
    }
    let length = if n < 0 { 4 } else { (n as u32).max(1).ilog2() as usize / 8 + 1 };
    bytes.extend_from_slice(&(n as u32).to_le_bytes()[..length]);
    Ok(piece.tail(end))
}
