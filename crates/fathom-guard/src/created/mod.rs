//! Which files are fathom's own to overwrite: those that fathom created and that nobody has touched
//! since.
//!
//! When a run ends, the guard records what it knows of every file that fathom created: device and
//! inode, birth, size, last change, and a digest of samples. The record is in a state directory and
//! not in the file, because a mark in the file would stay there when somebody changes or copies the
//! file. Before the next run writes to the file, all of it must still be true. Any doubt means that
//! the file is not ours: there is no record (a killed run leaves none), the record cannot be read
//! or trusted, or something differs.
//!
//! A procedure that goes on after a kill may also write to the files that it was writing then (`writing`).
//!
//! `store` answers whether a file is ours (`CreatedFiles::check`), `entry` compares, `digest` samples.

mod digest;
mod private_dir;
mod store;
mod writing;

pub(crate) use private_dir::PrivateDir;
pub use store::CreatedFiles;
pub use writing::Writing;
pub(super) use writing::Written;

use digest::Digest;
use fathom_device::counters::boot_id;
use fathom_device::device::DevNumber;
use fathom_device::root::Root;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fmt, io};

/// Why a file does not count as ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doubt {
    /// The list in this directory does not have it; `None` where there is no list.
    NotRecorded {
        list: Option<PathBuf>,
    },
    /// This property of the file differs from the record.
    Changed(&'static str),
    /// The disk was attached again, and its content may have been changed while it was not
    /// attached.
    Elsewhere,
    /// It changed so long after the last sign of the killed procedure that was writing it.
    ChangedAfterKill {
        late_ns: i64,
    },
    /// It is longer than the killed procedure would have made it.
    Longer,
    /// The clock is before the last sign of the killed procedure, so times say nothing.
    ClockSetBack,
    Unknown(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::NotRecorded { list: None } => f.write_str("no run has recorded it since"),
            Doubt::NotRecorded { list: Some(list) } => write!(
                f,
                "no run has recorded it in {} (a run that is killed records nothing, and one with another --state-dir records \
                 it there)",
                list.display()
            ),
            Doubt::Changed(what) => write!(f, "{what} changed after fathom last closed it"),
            Doubt::Elsewhere => f.write_str("its disk was attached again after fathom last closed the file"),
            Doubt::ChangedAfterKill { late_ns } => {
                let s = *late_ns as f64 / 1e9;
                write!(f, "it was changed {s:.0} s after the last sign of the killed procedure that was writing it")
            }
            Doubt::Longer => f.write_str("it is longer than the killed procedure that was writing it makes it"),
            Doubt::ClockSetBack => f.write_str(
                "the clock was set back since the procedure that was writing it was killed, so its times do not say whether \
                 somebody has changed it",
            ),
            Doubt::Unknown(why) => {
                write!(f, "fathom does not know whether somebody has changed it since: {why}")
            }
        }
    }
}

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

fn born_ns(meta: &Metadata) -> Option<i64> {
    let since = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

fn changed_ns(meta: &Metadata) -> io::Result<i64> {
    let ns = meta.ctime().checked_mul(1_000_000_000).and_then(|ns| ns.checked_add(meta.ctime_nsec()));
    ns.ok_or_else(|| io::Error::other("its time of change is out of range"))
}

// Which attachment of a disk a file was seen on.
//
// While a file system is not mounted here, its image or its disk can be changed elsewhere, which
// none of the file's own time stamps shows. The kernel counts every attachment of a disk
// (`diskseq`, since Linux 5.15).

/// The attachment of the disk that holds a file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attachment {
    /// The boot: the count starts again with each boot.
    boot_id: String,
    diskseq: u64,
    /// A loop device: its file can be changed by anybody while it is detached.
    is_loop: bool,
}

impl Attachment {
    /// The attachment of the disk with this `st_dev`; `None` where the number is not that of a disk
    /// (tmpfs, btrfs, NFS), or the kernel does not count attachments.
    fn of(dev: u64) -> Option<Self> {
        let root = Root::live();
        let dir = fs::canonicalize(format!("/sys/dev/block/{}", DevNumber::from_raw(dev))).ok()?;
        let disk: PathBuf = match dir.join("partition").exists() {
            true => dir.parent()?.into(),
            false => dir,
        };
        Some(Self {
            boot_id: boot_id(&root)?,
            diskseq: root.read_value(disk.join("diskseq")).ok()?,
            is_loop: disk.join("loop").exists(),
        })
    }

    /// Whether the disk can have been elsewhere between the two. A disk that is there again after a
    /// restart of the machine is the same one; the image behind a loop device may not be.
    fn may_differ(&self, now: &Self) -> bool {
        match self.boot_id == now.boot_id {
            true => self.diskseq != now.diskseq,
            false => self.is_loop || now.is_loop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_may_have_been_elsewhere() {
        let attached =
            |boot: &str, diskseq, is_loop| Attachment { boot_id: boot.to_owned(), diskseq, is_loop };
        let then = attached("a", 7, false);
        assert!(!then.may_differ(&then) && then.may_differ(&attached("a", 8, false)));
        assert!(!then.may_differ(&attached("b", 3, false)), "the machine was restarted");
        assert!(attached("a", 7, true).may_differ(&attached("b", 7, true)), "an image is attached again");
    }
}
