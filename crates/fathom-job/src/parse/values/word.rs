//! Fixed words, flags, access patterns, NUMA policies, the order of files.

use super::{BadValue, Piece, Units, number, size};
use crate::options::nearest_of;
use crate::value::{MemPolicy, Mix, Rw, SyncRange, Value};

pub(super) fn word(
    piece: Piece,
    words: &[(&'static str, &'static str)],
    refused: &[(&str, &str)],
) -> Result<Value, BadValue> {
    let (head, rest) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest)));
    if let Some((word, why)) = refused.iter().find(|(word, _)| *word == head.text) {
        return Err(piece.bad("refused-value", format!("{word}: {why}")));
    }
    let Some((_, canonical)) = words.iter().find(|(spelling, _)| *spelling == head.text) else {
        let spellings: Vec<&str> = words.iter().map(|(spelling, _)| *spelling).collect();
        return Err(unknown(piece, "a word of this option", &spellings));
    };
    match rest {
        None => Ok(Value::Word(canonical)),
        Some(rest) => {
            Err(rest.bad("refused-value", format!("nothing can follow `{}:` in this version", head.text)))
        }
    }
}

fn unknown(piece: Piece, what: &str, known: &[&str]) -> BadValue {
    let bad = piece.bad("unknown-word", format!("`{}` is not {what}", piece.text));
    match nearest_of(piece.text, known.iter().copied()) {
        Some(near) => bad.hint(format!("did you mean {near}?")),
        None => bad.hint(format!("one of {}", known.join(", "))),
    }
}

/// Reads `0` or `1`; as fio, any number up to `max` that a text begins with, of which
/// all but 0 are true.
pub(super) fn digit(piece: Piece, units: Units, max: u64) -> Result<bool, BadValue> {
    let as_fio = || scanned(piece.text).filter(|n| units.drops_rest && *n <= max);
    match piece.text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ if as_fio().is_some() => Ok(as_fio() != Some(0)),
        other => {
            let meant = match other.to_ascii_lowercase().as_str() {
                "yes" | "true" | "on" => Some("write 1"),
                "no" | "false" | "off" => Some("write 0"),
                _ => None,
            };
            Err(piece
                .bad("bad-flag", format!("`{other}` is neither 0 nor 1"))
                .hint_if(meant.map(str::to_owned)))
        }
    }
}

/// The number that a text begins with.
fn scanned(text: &str) -> Option<u64> {
    let digits = text.trim_start();
    let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], radix).ok()
}

/// Spellings of `rw=`.
const PATTERNS: &[(&str, Mix, bool)] = &[
    ("read", Mix::Read, false),
    ("write", Mix::Write, false),
    ("trim", Mix::Trim, false),
    ("randread", Mix::Read, true),
    ("randwrite", Mix::Write, true),
    ("randtrim", Mix::Trim, true),
    ("rw", Mix::ReadWrite, false),
    ("readwrite", Mix::ReadWrite, false),
    ("randrw", Mix::ReadWrite, true),
    ("trimwrite", Mix::TrimWrite, false),
    ("randtrimwrite", Mix::TrimWrite, true),
];

/// The words of `rw=`, for help.
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|(word, ..)| *word)
}

pub(super) fn pattern_word(rw: &Rw) -> &'static str {
    let entry = PATTERNS.iter().find(|(_, mix, random)| *mix == rw.mix && *random == rw.random);
    entry.map_or("read", |(word, ..)| *word)
}

pub(super) fn rw(piece: Piece, units: Units) -> Result<Rw, BadValue> {
    let (head, rest) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest)));
    let Some((_, mix, random)) = PATTERNS.iter().find(|(word, ..)| *word == head.text) else {
        return Err(unknown(head, "an access pattern", &patterns().collect::<Vec<_>>()));
    };
    let postfix = match rest.map(Piece::trim) {
        None => None,
        Some(rest) if *random => Some(count(rest, "I/Os")?.into()),
        Some(rest) => Some(hole(rest, units)?),
    };
    Ok(Rw { mix: *mix, random: *random, postfix })
}

/// A number of I/Os or writes, at least one.
pub(super) fn count(piece: Piece, what: &str) -> Result<u32, BadValue> {
    piece
        .text
        .parse::<u32>()
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| piece.bad("bad-number", format!("`{}` is not a number of {what}", piece.text)))
}

/// For sequential patterns: bytes between two I/Os, backwards if negative.
fn hole(piece: Piece, units: Units) -> Result<i64, BadValue> {
    let (sign, body) = if piece.text.starts_with('-') { (-1, piece.tail(1)) } else { (1, piece) };
    let n = size::bytes(body, units)?;
    i64::try_from(n).map(|n| sign * n).map_err(|_| piece.bad("out-of-range", "too many bytes"))
}

/// Reads `default`, `local`, `prefer:N`, `bind:LIST` or `interleave:LIST`.
pub(super) fn memory(piece: Piece) -> Result<MemPolicy, BadValue> {
    let (head, nodes) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest.trim())));
    let list = || match nodes {
        Some(nodes) => number::cpu_list(nodes),
        None => Err(head.bad("missing-value", format!("{} needs nodes: {0}:0,1", head.text))),
    };
    match (head.text, nodes) {
        ("default", None) => Ok(MemPolicy::Default),
        ("local", None) => Ok(MemPolicy::Local),
        ("bind", _) => list().map(MemPolicy::Bind),
        ("interleave", _) => list().map(MemPolicy::Interleave),
        ("prefer", _) => match list()?.as_slice() {
            [node] => Ok(MemPolicy::Prefer(*node)),
            _ => Err(piece.bad("bad-number", "prefer takes one node")),
        },
        _ => Err(piece
            .bad("unknown-word", format!("`{}` is not a memory policy", piece.text))
            .hint("default, local, prefer:N, bind:LIST or interleave:LIST")),
    }
}

/// Reads `wait_before,write,wait_after:N`.
pub(super) fn sync_range(piece: Piece, units: Units) -> Result<SyncRange, BadValue> {
    let (words, n) = match piece.split_once(':') {
        Some((words, every)) => (words, count(every.trim(), "writes")?),
        // As fio reads it.
        None if units.drops_rest => (piece, 1),
        None => {
            return Err(piece
                .bad("missing-value", "the number of writes is missing")
                .hint("write:8 means after every 8 writes"));
        }
    };
    let mut range = SyncRange { wait_before: false, write: false, wait_after: false, every: n };
    for word in words.split(',').map(Piece::trim) {
        let flag = match word.text {
            "wait_before" => &mut range.wait_before,
            "write" => &mut range.write,
            "wait_after" => &mut range.wait_after,
            other => {
                return Err(word
                    .bad("unknown-word", format!("`{other}` is not a flag of sync_file_range"))
                    .hint("wait_before, write or wait_after"));
            }
        };
        *flag = true;
    }
    Ok(range)
}
