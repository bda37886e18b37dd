//! `/proc/meminfo` (proc_meminfo(5)).

use crate::audit::{Raw, Scene};
use fathom_device::root::Unknown;

/// The table, read once for several lines of it.
pub(super) fn read(scene: &Scene<'_>) -> Result<Raw, Unknown> {
    scene.read("/proc/meminfo")
}

/// The number in the line with this name: in kibibytes in most lines, in pages
/// in those about huge pages.
pub(super) fn number(table: &Raw, name: &str) -> Result<u64, Unknown> {
    let mut lines = table.text.lines().filter_map(|line| line.split_once(':'));
    let rest = lines.find(|(key, _)| *key == name).map(|(_, rest)| rest);
    let rest = rest.ok_or_else(|| Unknown::new(&table.path, format!("has no line {name}")))?;
    let first = rest.split_whitespace().next().unwrap_or_default();
    first.parse().map_err(|_| Unknown::garbled(&table.path, rest))
}

/// The number of a line in kibibytes, in bytes.
pub(super) fn bytes(table: &Raw, name: &str) -> Result<u64, Unknown> {
    Ok(number(table, name)?.saturating_mul(1024))
}
