//! What is read again and again beside a run: counters and gauges of the machine, as tables of numbers.
//!
//! A [`Sampler`] has the names of its table from the beginning, and reads its numbers whenever it is asked. A row whose
//! file has vanished (a CPU went offline, a disk was removed) is missing from that reading, and nothing else is. For what a machine
//! does not have, there is no sampler. To add one: a file here, or a function in `counts`, `files` or `lines`, and its line in `SAMPLERS`.

mod counts;
mod files;
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
pub struct Sampler {
    /// The names.
    pub table: SamplerTable,
    /// Reads the numbers as they are now.
    pub read: Reader,
}

type Reader = Box<dyn FnMut(&Root) -> TableReading + Send>;

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

/// What a machine has of one kind: names of columns and rows, and what reads them. Without a row it has nothing.
struct Readable {
    columns: Vec<String>,
    subjects: Vec<String>,
    read: Reader,
}

type BeginResult = Result<Readable, Unknown>;

fn readable(
    columns: impl IntoIterator<Item = impl ToString>,
    subjects: Vec<String>,
    read: impl FnMut(&Root) -> TableReading + Send + 'static,
) -> BeginResult {
    Ok(Readable { columns: names(columns), subjects, read: Box::new(read) })
}

fn nothing() -> BeginResult {
    readable([""; 0], Vec::new(), |_| Vec::new())
}

/// Begins to sample one kind. The kind has a name, as it is saved, and counters since boot or gauges.
type Entry = (&'static str, bool, fn(&Root, &SampleScope) -> BeginResult);

const COUNTERS: bool = true;
const GAUGES: bool = false;

/// Every sampler; those whose time matters most are read first.
const SAMPLERS: &[Entry] = &[
    ("disk", COUNTERS, counts::begin_disk),
    ("cpu", COUNTERS, counts::begin_cpu),
    ("interrupt", COUNTERS, counts::begin_interrupt),
    ("page-cache", COUNTERS, page_cache::begin),
    ("memory", GAUGES, lines::begin_memory),
    ("paging", COUNTERS, lines::begin_paging),
    ("clock", GAUGES, files::begin_clock),
    ("throttle", COUNTERS, files::begin_throttle),
    ("temperature", GAUGES, temperature::begin),
    ("link-errors", COUNTERS, files::begin_link_errors),
];

/// Everything that is sampled on a machine.
pub struct Samplers {
    /// One for each kind that it has.
    pub samplers: Vec<Sampler>,
    /// The kinds that could not be read, with the reason.
    pub unknown: Vec<(&'static str, Unknown)>,
}

impl Samplers {
    /// Finds what the machine has.
    pub fn begin(root: &Root, scope: &SampleScope) -> Self {
        let mut all = Self { samplers: Vec::new(), unknown: Vec::new() };
        for &(kind, is_counter, begin) in SAMPLERS {
            match begin(root, scope) {
                Ok(Readable { columns, subjects, read }) if !subjects.is_empty() => {
                    let table = SamplerTable { kind, is_counter, columns, subjects };
                    all.samplers.push(Sampler { table, read });
                }
                Ok(_) => {}
                Err(why) => all.unknown.push((kind, why)),
            }
        }
        all
    }
}

fn names(all: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
    all.into_iter().map(|one| one.to_string()).collect()
}

#[cfg(test)]
mod tests;
