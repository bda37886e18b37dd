//! Values by direction: `read,write,trim`.
//!
//! Trailing directions copy the one before; a direction left empty (`,8k`)
//! keeps the value it had, and so do all after a separator at the end (`8k,`).
//! For numbers, fio also splits at `:` and at `-`, so that `bs=4k-8k` reads 4k
//! and writes 8k.

use super::{BadValue, Context, Piece, bytes, read_kind};
use crate::direction::{Direction, PerDirection};
use crate::option::Kind;
use crate::units::Bytes;
use crate::value::{Size, SizeRange, Split, Value};

pub(super) fn each(kind: &Kind, piece: Piece, context: &Context) -> Result<Value, BadValue> {
    let mut parts: Vec<Piece> = piece.split(separator(kind, piece)).map(Piece::trim).collect();
    if context.units.drops_rest {
        parts.truncate(3);
    }
    if parts.len() > 3 {
        return Err(BadValue::new(
            "too-many-values",
            "more than read, write and trim: fio would drop the rest",
        )
        .at(parts[3]));
    }
    if parts.iter().all(|part| part.text.is_empty()) {
        return Err(piece.bad("missing-value", "no value for any direction"));
    }
    let mut last = None;
    let mut values = Vec::with_capacity(3);
    for (i, direction) in Direction::ALL.into_iter().enumerate() {
        if let Some(part) = parts.get(i) {
            last = if part.text.is_empty() { None } else { Some(read_kind(kind, *part, context)?) };
        }
        values.push(last.clone().map_or_else(|| kept(kind, direction, piece, context), Ok)?);
    }
    let mut values = values.into_iter();
    let mut next = || values.next().unwrap_or_else(|| unreachable!("three directions"));
    Ok(Value::PerDirection(Box::new(PerDirection { read: next(), write: next(), trim: next() })))
}

/// The separator in use: a comma, or else for numbers `:`, or else `-`.
fn separator(kind: &Kind, piece: Piece) -> char {
    let numbers = matches!(kind, Kind::Size { .. } | Kind::Int { .. });
    let inner = |c| piece.text.char_indices().any(|(i, x)| i > 0 && x == c);
    if !numbers || piece.text.contains([',', '(']) {
        ','
    } else if inner(':') {
        ':'
    } else if inner('-') {
        '-'
    } else {
        ','
    }
}

/// The value of a direction that was left empty: its value so far, or else that of the block size.
fn kept(kind: &Kind, direction: Direction, piece: Piece, context: &Context) -> Result<Value, BadValue> {
    if let Some(Value::PerDirection(held)) = context.held {
        return Ok(held[direction].clone());
    }
    let block = match context.block {
        Some(Value::PerDirection(block)) => match block[direction] {
            Value::Size(Size::Bytes(bytes)) => Some(bytes),
            _ => None,
        },
        _ => None,
    };
    let from_block = block.and_then(|size: Bytes| match kind {
        Kind::Size { .. } => Some(bytes(size.0)),
        Kind::Range { .. } => Some(Value::Range(SizeRange { low: size, high: size })),
        Kind::Splits => Some(Value::Splits(vec![Split { bytes: size, percent: Some(100) }])),
        _ => None,
    });
    from_block.ok_or_else(|| {
        piece.bad("missing-value", format!("no value for {}, and nothing to keep", direction.name()))
    })
}
