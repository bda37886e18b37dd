//! Which boot this is. The kernel's counts and its settings in memory start again with each boot.

use crate::root::Root;

/// The kernel's random name of this boot.
pub fn boot_id(root: &Root) -> Option<String> {
    root.read_text("/proc/sys/kernel/random/boot_id").ok()
}
