//! Memory: what `free` shows, and what waits to be written.

use super::lines::LineTable;
use super::{Found, SampleScope};
use crate::root::Root;

pub(super) const KIND: &str = "memory";

pub(super) fn begin(root: &Root, scope: &SampleScope) -> Found {
    LineTable::begin(root, "/proc/meminfo", KIND, false, scope.memory_lines)
}
