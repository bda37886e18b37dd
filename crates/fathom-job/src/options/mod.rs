//! The option table: every option that fio has, and what fathom does with it.
//!
//! One file per topic. The planner or the engine reads a row with a [`Key`](crate::option::Key);
//! rows that nothing reads are in `unsupported`: options not built yet, and options that will never be
//! honoured. To add an option, write its row in the file of its topic and read its key where it is honoured.

mod buffer;
mod engine;
mod passthrough;
mod pattern;
mod replay;
mod statistics;
mod target;
#[cfg(test)]
mod tests;
mod time;
mod unsupported;
mod verify;
mod zones;

pub use self::{
    buffer::*, engine::*, passthrough::*, pattern::*, replay::*, statistics::*, target::*, time::*,
    verify::*, zones::*,
};

use crate::option::OptionDef;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The files of the table, in the order of the reference.
const FILES: &[&[&OptionDef]] = &[
    target::ROWS,
    pattern::ROWS,
    zones::ROWS,
    engine::ROWS,
    passthrough::ROWS,
    time::ROWS,
    buffer::ROWS,
    verify::ROWS,
    replay::ROWS,
    statistics::ROWS,
    unsupported::ROWS,
];

/// Every row.
pub fn all() -> impl Iterator<Item = &'static OptionDef> {
    FILES.iter().flat_map(|rows| rows.iter().copied())
}

/// The row of a name or alias, spelled exactly.
pub fn find(name: &str) -> Option<&'static OptionDef> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static OptionDef>> = OnceLock::new();
    let by_name =
        BY_NAME.get_or_init(|| all().flat_map(|def| def.names().map(move |name| (name, def))).collect());
    by_name.get(name).copied()
}

/// Is this an option with its value, such as `rw=write`, and no name of a file?
pub fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| find(name).is_some())
}

/// The option that is probably meant by a name that is none: one with another name in fio, or the nearest in spelling,
/// if any is near enough.
pub fn nearest(name: &str) -> Option<&'static str> {
    meant(name).or_else(|| nearest_of(name, all().flat_map(OptionDef::names)))
}

/// Words that are no option of fio, and the option that is meant.
const MEANT: &[(&str, &str)] = &[
    ("read_bw_log", "write_bw_log"),
    ("read_iops_log", "write_iops_log"),
    ("read_lat_log", "write_lat_log"),
    ("write_clat_log", "write_lat_log"),
    ("write_slat_log", "write_lat_log"),
    ("bw_log", "write_bw_log"),
    ("iops_log", "write_iops_log"),
    ("lat_log", "write_lat_log"),
    ("log_avg_ms", "log_avg_msec"),
    ("duration", "runtime"),
    ("time_limit", "runtime"),
    ("warmup", "ramp_time"),
    ("queue_depth", "iodepth"),
    ("queuedepth", "iodepth"),
    ("qdepth", "iodepth"),
    ("qd", "iodepth"),
    ("jobs", "numjobs"),
    ("pattern", "rw"),
    ("device", "filename"),
    ("file", "filename"),
    ("dir", "directory"),
    ("engine", "ioengine"),
    ("o_direct", "direct"),
    ("mixread", "rwmixread"),
    ("iops", "rate_iops"),
    ("replay", "read_iolog"),
    ("trace", "read_iolog"),
    ("trace_file", "read_iolog"),
    ("iolog", "read_iolog"),
    ("replay_speed", "replay_time_scale"),
    ("trace_speed", "replay_time_scale"),
    ("speed", "replay_time_scale"),
    ("speedup", "replay_time_scale"),
    ("replay_target", "replay_redirect"),
    ("redirect", "replay_redirect"),
    ("replay_file", "replay_redirect"),
    ("trace_format", "trace_columns"),
    ("columns", "trace_columns"),
    ("offload", "io_submit_mode"),
    ("submit_mode", "io_submit_mode"),
    ("zone", "zonemode"),
    ("zones", "zonemode"),
    ("zbd", "zonemode"),
    ("zone_mode", "zonemode"),
    ("zone_size", "zonesize"),
    ("zone_capacity", "zonecapacity"),
    ("open_zones", "max_open_zones"),
    ("max_active_zones", "max_open_zones"),
    ("priority", "prio"),
    ("priority_class", "prioclass"),
    ("ioprio", "prio"),
    ("ioprio_class", "prioclass"),
    ("prio_percentage", "cmdprio_percentage"),
];

/// The option that is meant by a word which is none.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    MEANT.iter().find(|(typed, _)| *typed == name).map(|(_, option)| *option)
}

/// Edit distance with transpositions (Damerau–Levenshtein, optimal string alignment): to insert,
/// delete or replace a character, or to swap two neighbours, each counts one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The candidate nearest to `word`, if it is near enough to be meant: at most
/// one edit in three characters, and no more than three.
pub fn nearest_of<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64; // no option is longer; keeps hostile input cheap
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    let word = word.to_lowercase();
    let likely = |c: &&str| length_differs(&word, c) <= allowed && letters_missing(&word, c) <= allowed;
    let near = candidates.into_iter().filter(likely);
    near.map(|c| (distance(&word, c), c)).filter(|(d, _)| *d <= allowed).min().map(|(_, c)| c)
}

/// Each edit changes the length by one at most.
fn length_differs(a: &str, b: &str) -> usize {
    a.chars().count().abs_diff(b.chars().count())
}

/// Each edit adds at most one kind of letter, so this is a lower bound that is far cheaper than the
/// distance.
fn letters_missing(a: &str, b: &str) -> usize {
    let kinds = |text: &str| text.chars().fold(0u64, |set, c| set | 1 << (c as u32 % 64));
    (kinds(a) & !kinds(b)).count_ones() as usize
}

#[cfg(test)]
mod meant_tests {
    use super::{find, *};

    #[test]
    fn each_word_leads_to_an_option_and_is_none() {
        for (word, option) in MEANT {
            assert!(find(word).is_none(), "{word}");
            assert!(find(option).is_some(), "{option}");
        }
    }

    #[test]
    fn counts_edits_and_swaps() {
        for (a, b, d) in [
            ("", "abc", 3),
            ("iodepth", "iodepht", 1),
            ("bs", "bs", 0),
            ("rate", "rtea", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), d, "{a} {b}");
        }
    }

    #[test]
    fn far_words_have_no_neighbour() {
        assert_eq!(nearest_of("iodpeth", ["iodepth", "io_size"]), Some("iodepth"));
        assert_eq!(nearest_of("elephant", ["iodepth", "io_size"]), None);
        assert_eq!(nearest_of(&"x".repeat(5000), ["iodepth"]), None);
    }
}
