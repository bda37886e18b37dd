//! The lock on the node of a whole disk that keeps udev from probing it.
//!
//! systemd's protocol ("Locking Block Device Access"): udev leaves a disk alone while a process
//! holds `flock(LOCK_EX)` on the node of the whole disk. Otherwise, whenever a descriptor that was
//! open for writing closes, udev probes the disk and runs its rules again, those for scheduler
//! settings included.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use fathom_device::device::{DevNumber, Node};
use fathom_device::root::Root;

/// udev holds the lock itself while it probes, which takes milliseconds.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// A lock held on a whole disk until dropped. The descriptor is the lock:
/// nothing is ever read or written through it.
#[derive(Debug)]
pub struct DiskLock {
    _held: File,
}

/// The locks of this process: two partitions of one disk share one, because a second descriptor
/// would wait for the first without end.
#[derive(Debug, Default)]
pub struct DiskLocks(Mutex<HashMap<DevNumber, Weak<DiskLock>>>);

impl DiskLocks {
    /// Locks `disk`, if nobody else holds the lock. Without the lock the figures may be less
    /// steady, but writing is as safe: for safety there is the exclusive open.
    pub fn lock(&self, root: &Root, disk: &Node) -> Option<Arc<DiskLock>> {
        let mut locks = self.0.lock().expect("no one panics with the lock map");
        if let Some(lock) = locks.get(&disk.number).and_then(Weak::upgrade) {
            return Some(lock);
        }
        let lock = Arc::new(DiskLock { _held: acquire(root, disk)? });
        locks.insert(disk.number, Arc::downgrade(&lock));
        Some(lock)
    }
}

fn acquire(root: &Root, disk: &Node) -> Option<File> {
    let node = open_node(root, disk).ok()?;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        if node.try_lock().is_ok() {
            return Some(node);
        }
    }
    None
}

/// Opens a node of the graph for reading and makes sure that the name still
/// leads to the number.
pub(super) fn open_node(root: &Root, node: &Node) -> std::io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(root.at(&node.dev_path))?;
    if DevNumber::from_raw(file.metadata()?.rdev()) != node.number {
        let said = format!("{} is another device now", node.dev_path.display());
        return Err(std::io::Error::other(said));
    }
    Ok(file)
}
