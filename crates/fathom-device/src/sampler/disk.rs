//! The disks below the targets, members of arrays too.

use super::{Found, SampleScope, Sampler, SamplerTable, TableReading, found, names};
use crate::diskstat::DiskCounters;
use crate::root::Root;

pub(super) const KIND: &str = "disk";

const COLUMNS: [&str; 16] = [
    "reads",
    "read_merges",
    "read_sectors",
    "read_wait_ms",
    "writes",
    "write_merges",
    "write_sectors",
    "write_wait_ms",
    "busy_ms",
    "wait_ms",
    "discards",
    "discard_merges",
    "discard_sectors",
    "discard_wait_ms",
    "flushes",
    "flush_wait_ms",
];

struct Disks(SamplerTable);

pub(super) fn begin(_: &Root, scope: &SampleScope) -> Found {
    let subjects = names(scope.disks.iter().map(|disk| &disk.name));
    found(Disks(SamplerTable { kind: KIND, is_counter: true, columns: names(COLUMNS), subjects }))
}

impl Sampler for Disks {
    fn table(&self) -> &SamplerTable {
        &self.0
    }

    fn read(&mut self, root: &Root) -> TableReading {
        self.0.subjects.iter().map(|name| DiskCounters::read(root, name).ok().map(row)).collect()
    }
}

/// In the order of [`COLUMNS`]; what is in flight is no counter.
fn row(c: DiskCounters) -> Vec<u64> {
    vec![
        c.reads,
        c.read_merges,
        c.read_sectors,
        c.read_wait_ms,
        c.writes,
        c.write_merges,
        c.write_sectors,
        c.write_wait_ms,
        c.busy_ms,
        c.wait_ms,
        c.discards,
        c.discard_merges,
        c.discard_sectors,
        c.discard_wait_ms,
        c.flushes,
        c.flush_wait_ms,
    ]
}
