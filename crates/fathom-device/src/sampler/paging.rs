//! Paging, faults and swapping.

use super::lines::LineTable;
use super::{Found, SampleScope};
use crate::root::Root;

pub(super) const KIND: &str = "paging";

pub(super) fn begin(root: &Root, scope: &SampleScope) -> Found {
    LineTable::begin(root, "/proc/vmstat", KIND, true, scope.paging_lines)
}
