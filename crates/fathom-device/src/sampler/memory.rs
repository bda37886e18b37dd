//! Memory: what `free` shows, and what waits to be written.

use super::{Found, SampleScope, Sampler, SamplerTable, TableReading, found, names};
use crate::root::{Root, Unknown};

pub(super) const KIND: &str = "memory";

const PATH: &str = "/proc/meminfo";

const COLUMNS: [&str; 21] = [
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SwapCached",
    "Active",
    "Inactive",
    "SwapTotal",
    "SwapFree",
    "Dirty",
    "Writeback",
    "AnonPages",
    "Shmem",
    "KReclaimable",
    "Slab",
    "SReclaimable",
    "KernelStack",
    "PageTables",
    "VmallocUsed",
    "Committed_AS",
];

struct Memory(SamplerTable);

pub(super) fn begin(root: &Root, _: &SampleScope) -> Found {
    let text = root.read_text(PATH)?;
    numbers(&text, &COLUMNS).ok_or_else(|| Unknown::garbled(PATH.as_ref(), &text))?;
    let (columns, subjects) = (names(COLUMNS), names(["all"]));
    found(Memory(SamplerTable { kind: KIND, is_counter: false, columns, subjects }))
}

impl Sampler for Memory {
    fn table(&self) -> &SamplerTable {
        &self.0
    }

    fn read(&mut self, root: &Root) -> TableReading {
        vec![root.read_text(PATH).ok().and_then(|text| numbers(&text, &COLUMNS))]
    }
}

/// The numbers of the lines `NAME: N kB` or `NAME N`; a line that this kernel does not have counts as 0. `None`
/// where there is none of them, or one is garbled.
pub(super) fn numbers(text: &str, lines: &[&str]) -> Option<Vec<u64>> {
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
