//! Words that a report holds for other reasons than a private name: replacing them everywhere would spoil its sentences,
//! and finding them in a report proves nothing.

use super::found;
use fathom_job::engine;
use fathom_job::option::Kind;
use fathom_job::options;
use std::collections::HashSet;
use std::sync::OnceLock;

/// A number with a unit has this many letters at most: `4KiB`, `10s`.
const UNIT_MAX: usize = 3;

/// A number with more digits and signs is an address or a serial number.
const AMOUNT_MAX: usize = 8;

/// Words with a digit or a sign that a report has for other reasons: file systems, RAID levels, processors, percentiles.
const TERMS: [&str; 15] = [
    "9p", "ext2", "ext3", "ext4", "f2fs", "nfs3", "nfs4", "p50", "p99", "raid0", "raid1", "raid10", "raid5",
    "raid6", "x86_64",
];

/// May a report hold this word although it is private as well? `data`, `2024`, `4k`, `nvme0n1`, `io_uring`.
pub(super) fn is_common(word: &str) -> bool {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_plain
        || TERMS.contains(&word)
        || is_amount(word)
        || is_of_jobs(word)
        || found::is_public(&format!("/dev/{word}"))
}

fn is_amount(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,-".contains(c));
    let is_short = word.len() <= AMOUNT_MAX && word.matches('.').count() < 2;
    is_short
        && unit.len() < word.len()
        && unit.len() <= UNIT_MAX
        && unit.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Is it a name or a value of the job language?
pub(super) fn is_of_jobs(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let values = || {
        options::all().flat_map(|def| match def.kind {
            Kind::Word(words) => words,
            Kind::PerDirection(Kind::Word(words)) => *words,
            _ => &[],
        })
    };
    let all = || {
        let names = options::all().flat_map(|def| def.names());
        let engines = engine::ENGINES.iter().map(|it| it.name);
        names.chain(values().flat_map(|(typed, word)| [*typed, *word])).chain(engines).collect()
    };
    WORDS.get_or_init(all).contains(word)
}

#[cfg(test)]
mod tests {
    use super::is_common;

    #[test]
    fn words_of_sentences_are_common_and_names_are_not() {
        for word in
            ["data", "Results", "2024", "4k", "1.5g", "nvme0n1", "loop7", "ext4", "io_uring", "bs_unaligned"]
        {
            assert!(is_common(word), "{word}");
        }
        for word in [
            "S4E.img",
            "acme-1",
            "web01",
            "größe",
            "2024-report",
            "x_y",
            "my disk",
            "A1B2C3",
            "10.2.3.4",
            "480103981056",
        ] {
            assert!(!is_common(word), "{word}");
        }
    }
}
