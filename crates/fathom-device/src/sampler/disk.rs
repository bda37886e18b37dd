//! The disks below the targets, members of arrays too.

use super::{BeginResult, SampleScope, Sampler, SamplerTable, TableReading, if_any, names};
use crate::diskstat::DiskCounters;
use crate::root::Root;

pub(super) const KIND: &str = "disk";

/// A column: its name, and its counter.
type Column = (&'static str, fn(&DiskCounters) -> u64);

/// What is in flight is no counter.
const COLUMNS: [Column; 16] = [
    ("reads", |c| c.reads),
    ("read_merges", |c| c.read_merges),
    ("read_sectors", |c| c.read_sectors),
    ("read_wait_ms", |c| c.read_wait_ms),
    ("writes", |c| c.writes),
    ("write_merges", |c| c.write_merges),
    ("write_sectors", |c| c.write_sectors),
    ("write_wait_ms", |c| c.write_wait_ms),
    ("busy_ms", |c| c.busy_ms),
    ("wait_ms", |c| c.wait_ms),
    ("discards", |c| c.discards),
    ("discard_merges", |c| c.discard_merges),
    ("discard_sectors", |c| c.discard_sectors),
    ("discard_wait_ms", |c| c.discard_wait_ms),
    ("flushes", |c| c.flushes),
    ("flush_wait_ms", |c| c.flush_wait_ms),
];

struct Disks(SamplerTable);

pub(super) fn begin(_: &Root, scope: &SampleScope) -> BeginResult {
    let columns = names(COLUMNS.iter().map(|(name, _)| name));
    let subjects = names(scope.disks.iter().map(|disk| &disk.name));
    if_any(Disks(SamplerTable { kind: KIND, is_counter: true, columns, subjects }))
}

impl Sampler for Disks {
    fn table(&self) -> &SamplerTable {
        &self.0
    }

    fn read(&mut self, root: &Root) -> TableReading {
        let row = |name: &String| {
            let now = DiskCounters::read(root, name).ok()?;
            Some(COLUMNS.iter().map(|(_, counter)| counter(&now)).collect())
        };
        self.0.subjects.iter().map(row).collect()
    }
}
