//! Tables of one row, whose numbers are lines of one file: memory, paging.

use super::{BeginResult, SampleScope, names, readable};
use crate::root::{Root, Unknown};

/// Reads some lines of a file. They have the names of the columns.
fn line_table(root: &Root, path: &'static str, lines: &'static [&'static str]) -> BeginResult {
    numbers(&root.read_text(path)?, lines).ok_or_else(|| {
        Unknown::new(path, "it has none of the expected lines, or one of them has no number")
    })?;
    let read = move |root: &Root| vec![root.read_text(path).ok().and_then(|text| numbers(&text, lines))];
    readable(lines, names(["all"]), read)
}

/// The numbers of the lines `NAME: N kB` or `NAME N`; a line that this kernel does not have counts as 0. `None`
/// where there is none of them, or one is garbled.
fn numbers(text: &str, lines: &[&str]) -> Option<Vec<u64>> {
    let (mut numbers, mut found) = (vec![0; lines.len()], false);
    for line in text.lines() {
        let mut words = line.split([':', ' ']).filter(|word| !word.is_empty());
        let Some(place) = words.next().and_then(|name| lines.iter().position(|one| *one == name)) else {
            continue;
        };
        numbers[place] = words.next()?.parse().ok()?;
        found = true;
    }
    found.then_some(numbers)
}

pub(super) fn begin_memory(root: &Root, scope: &SampleScope) -> BeginResult {
    line_table(root, "/proc/meminfo", scope.memory_lines)
}

pub(super) fn begin_paging(root: &Root, scope: &SampleScope) -> BeginResult {
    line_table(root, "/proc/vmstat", scope.paging_lines)
}
