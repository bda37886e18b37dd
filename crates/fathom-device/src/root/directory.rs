//! A machine as a directory: `/`, or one that was recorded.

use super::place::{PathSpec, error_code, follow};
use crate::bounded;
use crate::sys::child::{self, Ask};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsString};
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// In a recorded tree: paths that were there and could not be read, one per
/// line with the error's name, as `/proc/kcore EACCES`.
const UNREADABLE: &str = ".fathom/unreadable";

/// The directory, and what is known of it in addition to its files.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    /// For a recorded tree: the paths that could not be read when it was recorded.
    unreadable: BTreeMap<PathBuf, i32>,
}

impl Directory {
    pub(super) fn live() -> Self {
        Self { path: PathBuf::from("/"), unreadable: BTreeMap::new() }
    }

    pub(super) fn recorded(path: PathBuf) -> Self {
        let mut recorded = Self { path, unreadable: BTreeMap::new() };
        let list = recorded.within(&Path::new("/").join(UNREADABLE));
        let list = list.and_then(|list| bounded::file(&list, bounded::SETTINGS_MAX_BYTES));
        recorded.unreadable = unreadable(&String::from_utf8_lossy(&list.unwrap_or_default()));
        recorded
    }

    /// What is recorded may come from a stranger; the kernel's files may be of
    /// any kind.
    fn is_live(&self) -> bool {
        self.path == Path::new("/")
    }

    fn at(&self, absolute: &Path) -> PathBuf {
        self.path.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// Our path of what the path leads to. In a recorded tree every link is followed within the tree, as the machine itself
    /// followed it: a stranger's link does not lead to a file of this machine.
    fn within(&self, absolute: &Path) -> io::Result<PathBuf> {
        match self.is_live() {
            true => Ok(self.at(absolute)),
            false => Ok(self.at(&follow(absolute, |at| Ok(fs::read_link(self.at(at)).ok()))?)),
        }
    }

    fn refused(&self, absolute: &Path) -> io::Result<()> {
        let code = self.unreadable.get(absolute);
        code.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(*code)))
    }
}

impl PathSpec for Directory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.refused(path)?;
        match self.is_live() {
            true => {
                refuse(path)?;
                fs::read(path)
            }
            false => bounded::file(&self.within(path)?, bounded::SETTINGS_MAX_BYTES),
        }
    }

    fn read_first(&self, path: &Path, len_bytes: usize) -> io::Result<Vec<u8>> {
        if !self.is_live() {
            return self.read(path).map(|bytes| bytes.into_iter().take(len_bytes).collect());
        }
        refuse(path)?;
        let mut bytes = vec![0; len_bytes];
        let len_bytes = fs::File::open(path)?.read(&mut bytes)?;
        bytes.truncate(len_bytes);
        Ok(bytes)
    }

    /// With those that could not be read when the tree was recorded.
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.refused(path)?;
        let there = fs::read_dir(self.within(path)?)?.flatten().map(|entry| entry.file_name());
        let refused = self.unreadable.keys().filter(|refused| refused.parent() == Some(path));
        let refused = refused.filter_map(|path| path.file_name().map(ToOwned::to_owned));
        // A kernel gives only names that are plain text. A directory that somebody made may hold
        // others, which could not be found again.
        let plain = |name: OsString| name.into_string().ok().filter(|n| !n.chars().any(char::is_control));
        Ok(there.chain(refused).filter_map(plain).collect())
    }

    fn exists(&self, path: &Path) -> bool {
        self.unreadable.contains_key(path) || self.at(path).symlink_metadata().is_ok()
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.within(path).is_ok_and(|path| path.is_dir())
    }

    fn mode(&self, path: &Path) -> io::Result<u32> {
        Ok(fs::metadata(self.within(path)?)?.mode())
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(self.at(path))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let base = self.path.canonicalize()?;
        let ours = self.at(path).canonicalize()?;
        match ours.strip_prefix(&base) {
            Ok(rest) => Ok(Path::new("/").join(rest)),
            Err(_) => Err(io::Error::other(format!("leads out of the tree, to {}", ours.display()))),
        }
    }
}

fn unreadable(list: &str) -> BTreeMap<PathBuf, i32> {
    let entry = |line: &str| {
        let (path, name) = line.rsplit_once(' ')?;
        Some((PathBuf::from(path), error_code(name)))
    };
    list.lines().filter_map(entry).collect()
}

// Disks whose queues do not answer.
//
// A process that changes a setting of a queue waits until the I/O of the queue has ended. If the
// device hangs, this wait never ends; every process that reads a file of that queue waits too, and
// no signal ends its wait (seen on 6.18). So a separate process reads one file of each disk before
// we read any.

/// Files that the kernel reads under the locks that a change of a queue takes:
/// the limits' and the scheduler's.
const LOCKED: [&str; 2] = ["max_sectors_kb", "nr_requests"];

/// How long the kernel may take for a setting that it has in memory.
const LIMIT: Duration = Duration::from_secs(1);

/// Refuses to wait: an error of the kind `TimedOut` if the path is a file of a
/// queue that did not answer when this process first read one.
fn refuse(path: &Path) -> io::Result<()> {
    static SILENT: OnceLock<BTreeSet<String>> = OnceLock::new();
    match queue_of(path) {
        Some(disk) if SILENT.get_or_init(silent).contains(disk) => {
            Err(io::Error::new(ErrorKind::TimedOut, format!("the queue of {disk} does not answer")))
        }
        _ => Ok(()),
    }
}

/// The disk of a path like `/sys/block/sda/queue/scheduler`.
fn queue_of(path: &Path) -> Option<&str> {
    let (disk, _) = path.to_str()?.strip_prefix("/sys/")?.split_once("/queue/")?;
    let (block, name) = disk.rsplit_once('/')?;
    block.ends_with("block").then_some(name)
}

fn silent() -> BTreeSet<String> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let disks: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let questions = disks.iter().flat_map(|disk| {
        LOCKED.map(|file| {
            Ask::Read(CString::new(format!("/sys/block/{disk}/queue/{file}")).unwrap_or_default())
        })
    });
    // If no second process can be started, the files are read without this check.
    let Ok(answers) = child::ask(&questions.collect::<Vec<_>>(), LIMIT) else { return BTreeSet::new() };
    let pairs = disks.into_iter().zip(answers.chunks_exact(LOCKED.len()));
    pairs.filter(|(_, pair)| pair.contains(&None)).map(|(disk, _)| disk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_known_by_its_path() {
        assert_eq!(queue_of(Path::new("/sys/block/sda/queue/scheduler")), Some("sda"));
        let device = "/sys/devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sdb/queue/rotational";
        assert_eq!(queue_of(Path::new(device)), Some("sdb"));
        for other in ["/sys/block/sda/stat", "/sys/class/net/eth0/queue/x", "/proc/queue/1"] {
            assert_eq!(queue_of(Path::new(other)), None, "{other}");
        }
    }
}
