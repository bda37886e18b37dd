//! Which boot this is. The kernel's counts and the settings that it keeps in
//! memory begin anew with each.

use crate::root::Root;

/// The kernel's random name of this boot.
pub fn boot_id(root: &Root) -> Option<String> {
    root.read_text("/proc/sys/kernel/random/boot_id").ok()
}
