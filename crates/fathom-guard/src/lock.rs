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

use fathom_device::device::{DevNumber, Node};
use fathom_device::root::Root;
use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;

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
        let message = format!("{} is another device now", node.dev_path.display());
        return Err(std::io::Error::other(message));
    }
    Ok(file)
}

/// What a target is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Reading, beside others that read.
    Read,
    /// Reading and writing.
    Write,
}

/// The kernel's table of locks.
const TABLE: &str = "/proc/locks";

/// How much of a command line is shown, in characters.
const COMMAND_MAX: usize = 80;

/// A process that has locked a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process.
    pub pid: u32,
    /// Its command line, or its name where that cannot be read.
    pub command: String,
    /// Whether it is a fathom.
    pub is_fathom: bool,
}

impl Holder {
    /// Who has a lock of flock(2) on the open file; `None` where this cannot be found out: without `/proc`, and of a process
    /// in another container.
    pub(super) fn of(root: &Root, file: &File) -> Option<Holder> {
        let meta = file.metadata().ok()?;
        let table = root.read_text(TABLE).ok()?;
        let pid = pid_in(&table, DevNumber::from_raw(meta.dev()), meta.ino())?;
        let comm = |process: &str| root.read_text(format!("/proc/{process}/comm")).ok();
        let name = comm(&pid.to_string())?;
        let words = root.read_bytes(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ");
        let command = if words.is_empty() { name.clone() } else { shortened(&words) };
        Some(Holder { pid, command, is_fathom: comm("self").is_some_and(|own| own == name) })
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} ({})", self.pid, self.command)
    }
}

fn shortened(words: &str) -> String {
    match words.char_indices().nth(COMMAND_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

/// The first process with such a lock on this inode. Some file systems (btrfs, overlays) show another number of the file system
/// in the table than to programs, so an inode of that number on another one is the second choice.
fn pid_in(table: &str, dev: DevNumber, inode: u64) -> Option<u32> {
    let locks = table.lines().filter_map(lock).filter(|(_, _, known)| *known == inode);
    let by_match = |(_, known, _): &(u32, DevNumber, u64)| *known != dev;
    locks.min_by_key(by_match).map(|(pid, ..)| pid)
}

/// Process, file system and inode of a line as `1: FLOCK  ADVISORY  WRITE 3568 fd:00:2097548 0 EOF`. One that waits for a lock
/// has `->` in the second place.
fn lock(line: &str) -> Option<(u32, DevNumber, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["FLOCK", _, _, pid, place, ..] = words.get(1..)? else { return None };
    let mut numbers = place.split(':');
    let hex = |text: Option<&str>| u32::from_str_radix(text?, 16).ok();
    let (major, minor) = (hex(numbers.next())?, hex(numbers.next())?);
    Some((pid.parse().ok()?, DevNumber { major, minor }, numbers.next()?.parse().ok()?))
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

    const LOCKS: &str = "1: POSIX  ADVISORY  WRITE 10 fd:00:77 0 EOF\n\
                         2: -> FLOCK  ADVISORY  WRITE 11 fd:00:77 0 EOF\n\
                         3: FLOCK  ADVISORY  READ  12 00:2a:77 0 EOF\n\
                         4: FLOCK  ADVISORY  WRITE 13 fd:00:77 0 EOF\n\
                         5: OFDLCK ADVISORY  READ -1 fd:00:78 0 EOF\n";

    #[test]
    fn the_holder_of_the_file_is_named() {
        let of = |major, minor, inode| pid_in(LOCKS, DevNumber { major, minor }, inode);
        assert_eq!(of(0xfd, 0, 77), Some(13));
        assert_eq!(of(0, 0x2a, 77), Some(12));
        assert_eq!(of(0, 0x31, 77), Some(12), "the table has another number of the file system");
        assert_eq!(of(0xfd, 0, 78), None);
    }

    #[test]
    fn a_command_and_whether_it_is_a_fathom() {
        let machine = tempfile::tempdir().unwrap();
        let file = File::open(machine.path()).unwrap();
        let (dev, inode) =
            (DevNumber::from_raw(file.metadata().unwrap().dev()), file.metadata().unwrap().ino());
        let write = |path: &str, text: &str| {
            let path = machine.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/self/comm", "fathom\n");
        write(
            "proc/locks",
            &format!("1: FLOCK ADVISORY WRITE 7 {:x}:{:x}:{inode} 0 EOF\n", dev.major, dev.minor),
        );
        let holder = || Holder::of(&Root::recorded(machine.path()), &file);
        assert_eq!(holder(), None, "a process of another container has a number, and no directory");
        write("proc/7/comm", "fathom\n");
        assert_eq!(holder().unwrap().to_string(), "process 7 (fathom)");
        write("proc/7/cmdline", "fathom\0run\0j.fio\0");
        let known = holder().unwrap();
        assert_eq!((known.to_string().as_str(), known.is_fathom), ("process 7 (fathom run j.fio)", true));
        write("proc/7/comm", "mysqld\n");
        assert!(!holder().unwrap().is_fathom);
    }
}
