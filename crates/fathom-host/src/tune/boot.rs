//! Which boot this is. Every setting here is lost with a reboot, so a journal
//! of another boot has nothing left to undo.

use crate::root::Root;

/// The kernel's random name of this boot.
pub fn boot_id(root: &Root) -> Option<String> {
    root.read_text("/proc/sys/kernel/random/boot_id").ok()
}
