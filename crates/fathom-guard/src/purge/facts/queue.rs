//! What the kernel's queue can do to a range.

use fathom_device::device::Identity;
use fathom_device::root::Root;

/// Limit of the disk's queue, in bytes; 0 is "cannot".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueFacts {
    pub discard_max_bytes: u64,
}

impl QueueFacts {
    /// Reads it for the disk, or for the disk that the partition is on. If the file is not there,
    /// the kernel cannot do it.
    pub fn read(root: &Root, identity: &Identity) -> Self {
        let own = format!("/sys/class/block/{}", identity.kernel_name);
        let dir = root.resolve(&own).unwrap_or_else(|_| own.into());
        let disk = match identity.partition {
            Some(_) => dir.parent().unwrap_or(&dir).to_path_buf(),
            None => dir,
        };
        Self { discard_max_bytes: root.read_value(disk.join("queue/discard_max_bytes")).unwrap_or(0) }
    }
}
