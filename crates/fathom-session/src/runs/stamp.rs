//! By what a file is recognised as the same, without being opened.

use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Length, time of the last change and inode of a file. A record is replaced by a rename, so a new
/// one has another inode; an editor that writes in place changes the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStamp {
    /// Length.
    pub size_bytes: u64,
    /// Seconds of the time of the last change, since 1970 UTC.
    pub mtime_s: i64,
    /// Nanoseconds within that second.
    pub mtime_ns: i64,
    /// Number of the inode.
    pub inode: u64,
}

impl FileStamp {
    /// The stamp of no file.
    pub const NONE: FileStamp = FileStamp { size_bytes: 0, mtime_s: 0, mtime_ns: 0, inode: 0 };

    /// Of a file.
    pub fn of(meta: &Metadata) -> Self {
        let (mtime_s, mtime_ns) = (meta.mtime(), meta.mtime_nsec());
        FileStamp { size_bytes: meta.len(), mtime_s, mtime_ns, inode: meta.ino() }
    }

    /// The time of the last change, ns since 1970 UTC; a time before 1970 counts as 1970.
    pub fn mtime_unix_ns(self) -> u64 {
        let seconds = u64::try_from(self.mtime_s).unwrap_or(0);
        seconds.saturating_mul(1_000_000_000).saturating_add(self.mtime_ns.unsigned_abs())
    }
}
