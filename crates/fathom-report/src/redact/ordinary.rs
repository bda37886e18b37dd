//! Ordinary words: those that reports print for other reasons than a private name.
//!
//! A machine may be called `disk`, and a program `CPU`. Replacing such a name in sentences would damage fathom's own
//! words, and the name tells nothing there; so it is replaced only at the places that hold names. The words are listed in
//! `ordinary.txt`, which a test makes from what reports print (`tests/reports/ordinary.rs`).

use super::names_found;
use std::collections::HashSet;
use std::sync::OnceLock;

/// A number with a unit has this many letters at most: `4KiB`, `10s`.
const UNIT_MAX: usize = 3;

/// A number with more digits and signs is an address or a serial number.
const AMOUNT_MAX: usize = 8;

/// Is it a word of reports? `data`, `2024`, `4k`, `nvme0n1`, `io_uring`, `rand-read`; of several words all must be.
pub(super) fn is_ordinary(name: &str) -> bool {
    let is_word = |word: &str| {
        is_amount(word) || is_listed(&word.to_lowercase()) || names_found::is_public(&format!("/dev/{word}"))
    };
    let mut words = name.split_whitespace().peekable();
    words.peek().is_some() && words.all(is_word)
}

/// May a report hold this part of a private path for other reasons too? Parts of paths are often plain words.
pub(super) fn is_common(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_alphabetic()) || is_ordinary(part)
}

fn is_amount(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,-".contains(c));
    let is_short = word.len() <= AMOUNT_MAX && word.matches('.').count() < 2;
    is_short
        && unit.len() < word.len()
        && unit.len() <= UNIT_MAX
        && unit.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Is it a word of the list, or a part of one: `read-latency` of `rand-read-latency`?
fn is_listed(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| include_str!("ordinary.txt").lines().flat_map(parts).collect()).contains(word)
}

/// All texts from one sign in a word to another, the whole among them.
fn parts(word: &'static str) -> impl Iterator<Item = &'static str> {
    let ends = |end: usize| end == word.len() || word[end..].starts_with(['-', '_', '.']);
    let starts = (0..word.len())
        .filter(|at| word.is_char_boundary(*at))
        .filter(move |at| *at == 0 || word[..*at].ends_with(['-', '_', '.']));
    starts.flat_map(move |start| {
        (start + 1..=word.len())
            .filter(move |end| word.is_char_boundary(*end) && ends(*end))
            .map(move |end| &word[start..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_reports_are_ordinary_and_names_are_not() {
        for word in [
            "data",
            "Results",
            "2024",
            "4k",
            "1.5g",
            "nvme0n1",
            "loop7",
            "ext4",
            "io_uring",
            "bs_unaligned",
            "read",
            "write",
            "file",
            "random",
            "virtual",
            "nvme",
            "cpu",
            "CPU",
            "medium",
            "low",
            "complete",
            "max",
            "none",
            "rate",
            "psync",
            "disk",
            "latency",
            "fathom",
            "vda",
            "p99",
            "read-latency",
            "random read",
            "root",
            "x86_64",
            "raid5",
            "9p",
            "itself",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in [
            "S4E.img",
            "acme",
            "acme-1",
            "web01",
            "größe",
            "2024-report",
            "x_y",
            "my disk",
            "A1B2C3",
            "10.2.3.4",
            "480103981056",
            "jkowalski",
            "geheim",
            "geheim.example",
            "web-server",
            "alice",
            "Müller",
            "",
        ] {
            assert!(!is_ordinary(word), "{word}");
        }
    }

    #[test]
    fn every_option_of_jobs_is_ordinary() {
        let names = fathom_job::options::all().flat_map(|option| option.names());
        let engines = fathom_job::engine::ENGINES.iter().map(|it| it.name);
        assert_eq!(names.chain(engines).find(|name| !is_ordinary(name)), None);
    }
}
