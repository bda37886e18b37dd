//! What the kernel's queue can do to a range.

use fathom_device::device::Identity;
use fathom_device::root::{Root, Unknown};

/// Limits of the disk's queue, in bytes; 0 is "cannot".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueFacts {
    /// The most that one discard covers.
    pub discard_max_bytes: u64,
    /// The most that one command of zeroes covers; 0: the kernel writes them.
    pub write_zeroes_max_bytes: u64,
    /// What a discard is made of; smaller parts may be left as they are.
    pub discard_granularity_bytes: u64,
}

impl QueueFacts {
    /// Reads them for the disk, or for the disk that the partition is on. A file that is
    /// not there means that the kernel cannot do it.
    pub fn read(root: &Root, identity: &Identity) -> Self {
        let own = format!("/sys/class/block/{}", identity.kernel_name);
        let dir = root.resolve(&own).unwrap_or_else(|_| own.into());
        let disk = match identity.partition {
            Some(_) => dir.parent().unwrap_or(&dir).to_path_buf(),
            None => dir,
        };
        let value = |file: &str| -> Result<u64, Unknown> { root.read_value(disk.join("queue").join(file)) };
        Self {
            discard_max_bytes: value("discard_max_bytes").unwrap_or(0),
            write_zeroes_max_bytes: value("write_zeroes_max_bytes").unwrap_or(0),
            discard_granularity_bytes: value("discard_granularity").unwrap_or(0),
        }
    }
}
