//! NUMA memory policies, and when to call sync_file_range.

use super::{BadValue, Piece, Units, cpus};
use crate::value::{MemPolicy, SyncRange};

/// Reads `default`, `local`, `prefer:N`, `bind:LIST` or `interleave:LIST`.
pub(super) fn memory(piece: Piece) -> Result<MemPolicy, BadValue> {
    let (head, nodes) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest.trim())));
    let list = || match nodes {
        Some(nodes) => cpus::list(nodes),
        None => Err(BadValue::new("missing-value", format!("{} needs nodes: {0}:0,1", head.text)).at(head)),
    };
    match (head.text, nodes) {
        ("default", None) => Ok(MemPolicy::Default),
        ("local", None) => Ok(MemPolicy::Local),
        ("bind", _) => list().map(MemPolicy::Bind),
        ("interleave", _) => list().map(MemPolicy::Interleave),
        ("prefer", _) => match list()?.as_slice() {
            [node] => Ok(MemPolicy::Prefer(*node)),
            _ => Err(BadValue::new("bad-number", "prefer takes one node").at(piece)),
        },
        _ => Err(BadValue::new("unknown-word", format!("`{}` is not a memory policy", piece.text))
            .at(piece)
            .hint("default, local, prefer:N, bind:LIST or interleave:LIST")),
    }
}

fn writes(every: Piece) -> Result<u32, BadValue> {
    every.text.parse::<u32>().ok().filter(|n| *n > 0).ok_or_else(|| {
        BadValue::new("bad-number", format!("`{}` is not a number of writes", every.text)).at(every)
    })
}

/// Reads `wait_before,write,wait_after:N`.
pub(super) fn sync_range(piece: Piece, units: Units) -> Result<SyncRange, BadValue> {
    let (words, n) = match piece.split_once(':') {
        Some((words, every)) => (words, writes(every.trim())?),
        // As fio reads it.
        None if units.drops_rest => (piece, 1),
        None => {
            return Err(BadValue::new("missing-value", "the number of writes is missing")
                .at(piece)
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
                return Err(BadValue::new(
                    "unknown-word",
                    format!("`{other}` is not a flag of sync_file_range"),
                )
                .at(word)
                .hint("wait_before, write or wait_after"));
            }
        };
        *flag = true;
    }
    Ok(range)
}
