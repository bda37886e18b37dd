//! The kernel's count of a disk's I/O, between the two readings.

use std::path::PathBuf;

use crate::audit::{Raw, Scene};
use fathom_device::diskstat::DiskCounters;
use fathom_device::root::Unknown;

/// The files with the counters of every block device.
pub(super) const STATS: &str = "/sys/block/*/stat";

/// The I/O on the block device of this name between the two readings, and its file now.
pub(super) fn growth(scene: &Scene<'_>, name: &str) -> Result<(DiskCounters, Raw), Unknown> {
    let path = PathBuf::from(format!("/sys/block/{name}/stat"));
    let raw = scene.read(&path)?;
    let parse = |text: &str| DiskCounters::parse(text).ok_or_else(|| Unknown::garbled(&path, text));
    let now = parse(&raw.text)?;
    let then = parse(scene.before(&path)?)?;
    Ok((now.since(&then), raw))
}

/// The number of I/Os of every kind.
pub(super) fn ios(counters: &DiskCounters) -> u64 {
    counters.reads + counters.writes + counters.discards + counters.flushes
}

/// Bytes moved; a discard moves none.
pub(super) fn moved_bytes(counters: &DiskCounters) -> u64 {
    (counters.read_sectors + counters.write_sectors).saturating_mul(512)
}
