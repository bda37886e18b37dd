//! The order of files (`file_service_type`): words, or a distribution.

use super::word::{count, word};
use super::{BadValue, Piece, Units, distribution};
use crate::value::{FileOrder, FileService, Value};

/// Reads `roundrobin`, `random` or `sequential`, each with an optional `:N`, or a distribution.
pub(super) fn service(piece: Piece, units: Units) -> Result<FileService, BadValue> {
    let (head, rest) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest)));
    let name = if head.text == "gauss" { "normal" } else { head.text };
    if let Some(skew) = distribution::skew(name, rest, units) {
        return Ok(FileService { order: FileOrder::Skewed(skew?), every: 1 });
    }
    let order = match word(head, WORDS, &[])? {
        Value::Word("random") => FileOrder::Random,
        Value::Word("sequential") => FileOrder::Sequential,
        _ => FileOrder::RoundRobin,
    };
    let every = rest.map_or(Ok(1), |rest| count(rest.trim(), "I/Os"));
    Ok(FileService { order, every: every.map_err(|bad| bad.hint(SERVES))? })
}

const SERVES: &str = "roundrobin:8 serves each file for 8 I/Os at a time";

/// The words of this grammar, for help.
pub(crate) fn orders() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, _)| *word)
}

/// Spellings, each with its canonical one.
const WORDS: &[(&str, &str)] = &[
    ("roundrobin", "roundrobin"),
    ("random", "random"),
    ("sequential", "sequential"),
    ("zipf", "zipf"),
    ("pareto", "pareto"),
    ("normal", "normal"),
    ("gauss", "normal"),
];
