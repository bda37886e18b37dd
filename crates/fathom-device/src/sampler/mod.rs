//! What is read again and again beside a run: counters and gauges of the machine, as tables of numbers.
//!
//! A [`Sampler`] has the names of its table from the beginning, and reads its numbers whenever it is asked. A row whose
//! file has vanished (a CPU went offline, a disk was removed) is missing from that reading, and nothing else is. For what a machine
//! does not have, there is no sampler. To add one: a file here, or a function in `files` or `lines`, and its line in `SAMPLERS`.

mod cpu;
mod disk;
mod files;
mod interrupt;
mod lines;
mod page_cache;
mod temperature;

use crate::inventory::Disk;
use crate::root::{Root, Unknown};

/// The names of a sampler's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplerTable {
    /// The name of the kind, as it is saved.
    pub kind: &'static str,
    /// Whether the numbers are counters since boot. Otherwise they are gauges: values of the moment.
    pub is_counter: bool,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows.
    pub subjects: Vec<String>,
}

/// One reading of a table: its rows in order; `None` for one that could not be read.
pub type TableReading = Vec<Option<Vec<u64>>>;

/// Reads one table of numbers.
pub trait Sampler: Send {
    /// The names.
    fn table(&self) -> &SamplerTable;
    /// The numbers now.
    fn read(&mut self, root: &Root) -> TableReading;
}

/// What is sampled for one run.
#[derive(Debug, Clone, Default)]
pub struct SampleScope {
    /// The disks below the targets.
    pub disks: Vec<Disk>,
    /// Whether I/O goes through the page cache.
    pub is_buffered: bool,
    /// The lines of `/proc/meminfo` that are read.
    pub memory_lines: &'static [&'static str],
    /// The lines of `/proc/vmstat` that are read.
    pub paging_lines: &'static [&'static str],
}

/// What a machine has of one kind: `None` where it has nothing.
type BeginResult = Result<Option<Box<dyn Sampler>>, Unknown>;

/// Begins to sample one kind.
struct Entry {
    kind: &'static str,
    begin: fn(&Root, &SampleScope) -> BeginResult,
}

/// Every sampler; those whose time matters most are read first.
const SAMPLERS: &[Entry] = &[
    Entry { kind: disk::KIND, begin: disk::begin },
    Entry { kind: cpu::KIND, begin: cpu::begin },
    Entry { kind: interrupt::KIND, begin: interrupt::begin },
    Entry { kind: page_cache::KIND, begin: page_cache::begin },
    Entry { kind: lines::MEMORY, begin: lines::begin_memory },
    Entry { kind: lines::PAGING, begin: lines::begin_paging },
    Entry { kind: files::CLOCK, begin: files::begin_clock },
    Entry { kind: files::THROTTLE, begin: files::begin_throttle },
    Entry { kind: temperature::KIND, begin: temperature::begin },
    Entry { kind: files::LINK_ERRORS, begin: files::begin_link_errors },
];

/// Everything that is sampled on a machine.
pub struct Samplers {
    /// One for each kind that it has.
    pub samplers: Vec<Box<dyn Sampler>>,
    /// The kinds that could not be read, with the reason.
    pub unknown: Vec<(&'static str, Unknown)>,
}

impl Samplers {
    /// Finds what the machine has.
    pub fn begin(root: &Root, scope: &SampleScope) -> Self {
        let mut all = Self { samplers: Vec::new(), unknown: Vec::new() };
        for entry in SAMPLERS {
            match (entry.begin)(root, scope) {
                Ok(sampler) => all.samplers.extend(sampler),
                Err(why) => all.unknown.push((entry.kind, why)),
            }
        }
        all
    }
}

fn names(all: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
    all.into_iter().map(|one| one.to_string()).collect()
}

fn if_any(sampler: impl Sampler + 'static) -> BeginResult {
    Ok((!sampler.table().subjects.is_empty()).then(|| Box::new(sampler) as Box<dyn Sampler>))
}

#[cfg(test)]
mod tests;
