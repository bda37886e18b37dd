//! Tables of one row, whose numbers are lines of one file: memory, paging.

use super::{BeginResult, SampleScope, Sampler, SamplerTable, TableReading, if_any, names};
use crate::root::{Root, Unknown};

/// Reads some lines of a file. They have the names of the columns.
pub(super) struct LineTable {
    table: SamplerTable,
    path: &'static str,
}

impl LineTable {
    pub(super) fn begin(
        root: &Root,
        path: &'static str,
        kind: &'static str,
        is_counter: bool,
        lines: &[&str],
    ) -> BeginResult {
        let table = SamplerTable { kind, is_counter, columns: names(lines), subjects: names(["all"]) };
        numbers(&root.read_text(path)?, &table.columns).ok_or_else(|| {
            Unknown::new(path, "it has none of the expected lines, or one of them has no number")
        })?;
        if_any(LineTable { table, path })
    }
}

impl Sampler for LineTable {
    fn table(&self) -> &SamplerTable {
        &self.table
    }

    fn read(&mut self, root: &Root) -> TableReading {
        vec![root.read_text(self.path).ok().and_then(|text| numbers(&text, &self.table.columns))]
    }
}

/// The numbers of the lines `NAME: N kB` or `NAME N`; a line that this kernel does not have counts as 0. `None`
/// where there is none of them, or one is garbled.
fn numbers(text: &str, lines: &[String]) -> Option<Vec<u64>> {
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

pub(super) const MEMORY: &str = "memory";

pub(super) fn begin_memory(root: &Root, scope: &SampleScope) -> BeginResult {
    LineTable::begin(root, "/proc/meminfo", MEMORY, false, scope.memory_lines)
}

pub(super) const PAGING: &str = "paging";

pub(super) fn begin_paging(root: &Root, scope: &SampleScope) -> BeginResult {
    LineTable::begin(root, "/proc/vmstat", PAGING, true, scope.paging_lines)
}
