//! What is recorded of one file, and how it is compared.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::Doubt;
use super::digest::{self, Digest};

/// Two ticks of the coarsest kernel clock that stamps files (`CONFIG_HZ=100`):
/// a change after that has another stamp.
const TICK: Duration = Duration::from_millis(20);
/// The same for a file system that keeps no fractions of a second (FAT keeps
/// two seconds).
const COARSE_TICK: Duration = Duration::from_secs(2);

/// A file as it was when fathom closed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub inode: u64,
    /// Birth, in nanoseconds since 1970; `None` where the file system keeps
    /// none.
    pub born_ns: Option<i64>,
    /// Last change (`st_ctim`), in nanoseconds since 1970. No program can set
    /// it.
    pub changed_ns: i64,
    pub size_bytes: u64,
    pub digest: Digest,
    /// Its name in the directory, to find out whether it is gone; `None` where
    /// that is not UTF-8.
    pub name: Option<Box<str>>,
}

impl Entry {
    /// The file as it is. It must be open for reading, and nobody may be
    /// writing to it.
    ///
    /// # Errors
    /// Where it cannot be read, has no name any more, or changes meanwhile.
    pub fn of(file: &File, name: &OsStr) -> io::Result<Self> {
        let meta = settled(file)?;
        if meta.nlink() == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it has no name any more"));
        }
        let entry = Self {
            inode: meta.ino(),
            born_ns: born_ns(&meta),
            changed_ns: changed_ns(&meta)?,
            size_bytes: meta.len(),
            digest: digest::of(file, meta.len(), seed(&meta))?,
            name: name.to_str().map(Box::from),
        };
        match entry.differs(&file.metadata()?) {
            None => Ok(entry),
            Some(what) => Err(io::Error::other(format!("{what} changed while it was read"))),
        }
    }

    /// Whether the content of the file is still what was recorded.
    pub fn holds(&self, file: &File) -> Result<(), Doubt> {
        let unknown = |e: io::Error| Doubt::Unknown(e.to_string());
        let meta = file.metadata().map_err(unknown)?;
        let digest = digest::of(file, meta.len(), seed(&meta)).map_err(unknown)?;
        if digest == self.digest { Ok(()) } else { Err(Doubt::Changed("its content")) }
    }

    /// Whether this is the recorded file, changed or not. An inode number is used again when its
    /// file is gone; the time of birth distinguishes the two files.
    pub fn is_of(&self, meta: &Metadata) -> bool {
        (self.inode, self.born_ns) == (meta.ino(), born_ns(meta))
    }

    /// What differs, as far as the metadata show it.
    pub fn differs(&self, meta: &Metadata) -> Option<&'static str> {
        let table = [
            (self.inode == meta.ino(), "its inode number"),
            (self.born_ns == born_ns(meta), "its time of birth"),
            (self.size_bytes == meta.len(), "its size"),
            (changed_ns(meta).is_ok_and(|ns| ns == self.changed_ns), "its content, name or attributes"),
        ];
        table.into_iter().find(|(is_same, _)| !is_same).map(|(_, what)| what)
    }
}

/// Waits until a further change would have another stamp than the last one.
fn settled(file: &File) -> io::Result<Metadata> {
    let meta = file.metadata()?;
    let tick = if meta.ctime_nsec() == 0 { COARSE_TICK } else { TICK };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = Duration::from_nanos(u64::try_from(changed_ns(&meta)?).unwrap_or(0));
    if now.abs_diff(changed) < tick {
        std::thread::sleep(tick);
    }
    Ok(meta)
}

fn seed(meta: &Metadata) -> u64 {
    meta.ino().rotate_left(32) ^ meta.len() ^ born_ns(meta).unwrap_or(0) as u64
}

pub(super) fn born_ns(meta: &Metadata) -> Option<i64> {
    let since = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

pub(super) fn changed_ns(meta: &Metadata) -> io::Result<i64> {
    let ns = meta.ctime().checked_mul(1_000_000_000).and_then(|ns| ns.checked_add(meta.ctime_nsec()));
    ns.ok_or_else(|| io::Error::other("its time of change is out of range"))
}
