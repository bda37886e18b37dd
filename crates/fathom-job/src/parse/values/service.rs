//! Which file is served next, and for how many I/Os at a time.

use super::{BadValue, Piece, word};
use crate::value::{FileOrder, FileService, Value};

/// Reads `roundrobin`, `random` or `sequential`, each with an optional `:N`.
pub(super) fn service(piece: Piece, refused: &[(&str, &str)]) -> Result<FileService, BadValue> {
    let (head, rest) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest)));
    let order = match word::word(head, WORDS, refused)? {
        Value::Word("random") => FileOrder::Random,
        Value::Word("sequential") => FileOrder::Sequential,
        _ => FileOrder::RoundRobin,
    };
    Ok(FileService { order, every: rest.map_or(Ok(1), |rest| count(rest.trim()))? })
}

/// The words of this grammar, for help.
pub(crate) fn orders() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, _)| *word)
}

/// Spellings, each with itself as the canonical one.
const WORDS: &[(&str, &str)] =
    &[("roundrobin", "roundrobin"), ("random", "random"), ("sequential", "sequential")];

/// How many I/Os one file gets in a row.
fn count(piece: Piece) -> Result<u32, BadValue> {
    piece.text.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
        BadValue::new("bad-number", format!("`{}` is not a number of I/Os", piece.text))
            .at(piece)
            .hint("roundrobin:8 serves each file for 8 I/Os at a time")
    })
}

pub(super) fn print(service: FileService) -> String {
    let word = match service.order {
        FileOrder::RoundRobin => "roundrobin",
        FileOrder::Random => "random",
        FileOrder::Sequential => "sequential",
    };
    if service.every == 1 { word.to_owned() } else { format!("{word}:{}", service.every) }
}
