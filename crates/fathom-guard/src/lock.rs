//! Locks on targets: two fathoms never measure together what one of them writes.
//!
//! A target is locked with flock(2) for as long as it is admitted: exclusively for writing, shared for reading. The lock is on
//! the inode, so it holds under every name, for every user and in every container that reaches the same file; and the kernel
//! releases it when the process ends, however it ends. Within this process a target has one lock, however many jobs, guards
//! and rounds use it. Where a file system keeps no locks, nothing is locked.
//!
//! The descriptor of the lock is open for reading. The guard also asks the kernel through it whether another process has the file
//! open: asked through any other descriptor, the kernel would count this one.
//!
//! On the node of a whole disk the same lock keeps udev from probing it (systemd, "Locking Block Device Access"). Otherwise,
//! whenever a descriptor that was open for writing closes, udev probes the disk and runs its rules again, those for scheduler
//! settings included.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::access::Access;
use fathom_device::device::{DevNumber, Node};
use fathom_device::root::Root;

/// udev holds the lock itself while it probes, which takes milliseconds.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Files of which a guard holds locks. Two runs of one job, with however many files, have the first of them in common.
pub(super) const LOCKED_MAX: usize = 128;

/// The locks of this process, by file system and inode. A second descriptor would be refused, like that of another process.
static HELD: LazyLock<Mutex<Locks>> = LazyLock::new(Mutex::default);

type Locks = HashMap<(u64, u64), Weak<TargetLock>>;

/// A lock on a file or on the node of a device, held until dropped.
#[derive(Debug)]
pub struct TargetLock {
    file: File,
    access: Mutex<Access>,
}

impl TargetLock {
    /// Locks what this descriptor is open on. `None` where that cannot be locked.
    ///
    /// # Errors
    /// The descriptor, where another process has a lock that excludes this one.
    pub(super) fn take(file: File, access: Access) -> Result<Option<Arc<TargetLock>>, File> {
        let Ok(meta) = file.metadata() else { return Ok(None) };
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = held.get(&(meta.dev(), meta.ino())).and_then(Weak::upgrade) {
            return if lock.allows(access) { Ok(Some(lock)) } else { Err(file) };
        }
        match tried(&file, access) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(file),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
        let lock = Arc::new(TargetLock { file, access: Mutex::new(access) });
        held.retain(|_, lock| lock.strong_count() > 0);
        held.insert((meta.dev(), meta.ino()), Arc::downgrade(&lock));
        Ok(Some(lock))
    }

    /// Makes a shared lock an exclusive one where that is needed.
    fn allows(&self, access: Access) -> bool {
        let mut held = self.access.lock().unwrap_or_else(PoisonError::into_inner);
        if *held < access {
            if tried(&self.file, access).is_err() {
                // An attempt that fails loses the lock that was there (flock(2)).
                let _ = tried(&self.file, *held);
                return false;
            }
            *held = access;
        }
        true
    }

    /// The descriptor, which is open for reading.
    pub(super) fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for TargetLock {
    fn drop(&mut self) {
        // A child that was just started has a copy of the descriptor until it runs its own program.
        let _ = self.file.unlock();
    }
}

fn tried(file: &File, access: Access) -> Result<(), TryLockError> {
    match access {
        Access::Read => file.try_lock_shared(),
        Access::Write => file.try_lock(),
    }
}

/// Locks the node of a whole disk, if nobody else holds the lock. Without it the figures may be less steady, but writing is as
/// safe: for safety there is the exclusive open.
pub(super) fn lock_disk(root: &Root, disk: &Node) -> Option<Arc<TargetLock>> {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        if let Ok(lock) = TargetLock::take(open_node(root, disk).ok()?, Access::Write) {
            return lock;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn taken(path: &Path, access: Access) -> Option<Arc<TargetLock>> {
        TargetLock::take(File::open(path).unwrap(), access).ok().flatten()
    }

    /// Two descriptors are to the kernel what two processes are.
    #[test]
    fn readers_share_a_target_and_a_writer_has_it_alone() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let theirs = File::open(&path).unwrap();
        theirs.lock_shared().unwrap();
        let ours = taken(&path, Access::Read).expect("readers share it");
        assert!(taken(&path, Access::Write).is_none(), "another process reads it");
        theirs.unlock().unwrap();
        let again = taken(&path, Access::Write).expect("the lock of a process becomes exclusive");
        assert!(Arc::ptr_eq(&ours, &again), "and stays one lock");
        assert!(theirs.try_lock_shared().is_err());
        drop((ours, again));
        theirs.lock().unwrap();
        assert!(taken(&path, Access::Read).is_none(), "another process writes it");
    }

    #[test]
    fn a_copy_of_the_descriptor_keeps_no_lock() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let ours = taken(&path, Access::Write).unwrap();
        let _of_a_child = ours.file().try_clone().unwrap();
        drop(ours);
        assert!(File::open(&path).unwrap().try_lock().is_ok());
    }

    #[test]
    fn a_shared_lock_stays_where_it_cannot_become_exclusive() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let _ours = taken(&path, Access::Read).unwrap();
        let theirs = File::open(&path).unwrap();
        theirs.lock_shared().unwrap();
        assert!(taken(&path, Access::Write).is_none());
        drop(theirs);
        assert!(File::open(&path).unwrap().try_lock().is_err(), "ours is still there");
    }
}
