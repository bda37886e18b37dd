//! Who has locked a file (proc_locks(5)).

use std::fmt;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

use fathom_device::device::DevNumber;
use fathom_device::root::Root;

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
