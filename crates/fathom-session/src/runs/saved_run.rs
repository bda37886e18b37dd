//! One directory in a list of runs.

use super::head::RunHead;
use crate::latest::id_in;
use fathom_results::procedure::{ProcedureRecord, is_procedure};
use fathom_results::{PowerCutResult, ReadObstacle, RunRecord, SavedDirectory, spool};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The longest record that is read for a list: that of a plan of ten thousand jobs has 107 MB, and a list of strangers' directories
/// must not take the memory of the machine.
const RECORD_MAX_BYTES: u64 = 128 << 20;

/// A directory that holds a run, a procedure or a check of a power cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedRun {
    /// Path of the directory.
    pub path: PathBuf,
    /// What its record says, or why that cannot be read.
    pub head: Result<RunHead, Unreadable>,
}

impl SavedRun {
    /// A run that was found without reading it.
    pub(super) fn unread(path: PathBuf) -> SavedRun {
        SavedRun { path, head: Err(Unreadable::unread("it was not read".to_owned())) }
    }

    /// Name of the directory.
    pub fn directory(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// The id; of a damaged run, the one in the name of its directory, if it has one.
    pub fn id(&self) -> Option<&str> {
        match &self.head {
            Ok(head) => Some(&head.id),
            Err(_) => self.directory().to_str().and_then(id_in),
        }
    }

    /// The newest run first; a damaged run comes last.
    pub(super) fn newest_first(&self, other: &SavedRun) -> Ordering {
        let time = |run: &SavedRun| run.head.as_ref().map_or(0, |head| head.started_unix_ns);
        (time(other), other.directory()).cmp(&(time(self), self.directory()))
    }
}

/// A run, and how it came into the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub run: SavedRun,
    /// The record's file; `None` where it cannot be looked at.
    pub stamp: Option<FileStamp>,
    pub is_from_index: bool,
}

impl Listed {
    /// Looks at a directory, and opens its record if that is not what the index knows.
    /// `None` if the directory holds no run.
    pub fn look(dir: &Path, directory: &OsStr, known: Option<(FileStamp, RunHead)>) -> Option<Listed> {
        let run = dir.join(directory);
        // What is in the directory is never read through a link.
        let meta = |file: &str| std::fs::symlink_metadata(run.join(file));
        let (file, meta) = match meta(RunRecord::FILE) {
            Err(e) if is_missing(&e) && is_procedure(&run) => {
                (ProcedureRecord::FILE, meta(ProcedureRecord::FILE))
            }
            Err(e) if is_missing(&e) && PowerCutResult::is_in(&run) => {
                (PowerCutResult::FILE, meta(PowerCutResult::FILE))
            }
            of_run => (RunRecord::FILE, of_run),
        };
        let is_procedure = file == ProcedureRecord::FILE;
        let stamp = match meta {
            Ok(meta) => FileStamp::of(&meta),
            Err(e) if is_missing(&e) && file == RunRecord::FILE && !run.join(spool::FILE).exists() => {
                return None;
            }
            Err(e) => {
                let run = SavedRun { path: run, head: Err(Unreadable::file(file, &e)) };
                return Some(Listed { run, stamp: None, is_from_index: false });
            }
        };
        if let Some((_, head)) = known.filter(|(before, _)| *before == stamp) {
            let head = if is_procedure { head.of_now(&run) } else { head };
            let run = SavedRun { path: run, head: Ok(head) };
            return Some(Listed { run, stamp: Some(stamp), is_from_index: true });
        }
        // The stamp was taken first: if the record is replaced now, the next list reads it again.
        let bytes = SavedDirectory::open(&run).and_then(|run| run.bytes(file, RECORD_MAX_BYTES));
        let bytes = bytes.map_err(|e| Unreadable::file(file, &e));
        let head = bytes.and_then(|bytes| {
            let head = match file {
                ProcedureRecord::FILE => RunHead::of_procedure(&bytes).map(|head| head.of_now(&run)),
                PowerCutResult::FILE => RunHead::of_power_cut(&bytes),
                _ => RunHead::of(&bytes),
            };
            head.map_err(Unreadable::damaged)
        });
        Some(Listed { run: SavedRun { path: run, head }, stamp: Some(stamp), is_from_index: false })
    }

    /// The newest run first. A damaged run is sorted by the last change of its record.
    pub fn newest_first(one: &Listed, other: &Listed) -> Ordering {
        let time = |listed: &Listed| match &listed.run.head {
            Ok(head) => head.started_unix_ns,
            Err(_) => listed.stamp.map_or(0, FileStamp::mtime_unix_ns),
        };
        (time(other), other.run.directory()).cmp(&(time(one), one.run.directory()))
    }
}

fn is_missing(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

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

/// A run whose record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Whether it is damaged.
    pub state: UnreadableState,
    /// Why it cannot be read, one sentence.
    pub why: String,
}

/// The state of a run whose record cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UnreadableState {
    /// Its record is missing, cut, or not as it was saved.
    Damaged,
    /// A limit of open files or memory, or a missing right, keeps it from being read: nothing is known of it.
    Unread,
}

impl UnreadableState {
    /// The state as a word, for lists.
    pub const fn word(self) -> &'static str {
        match self {
            UnreadableState::Damaged => "damaged",
            UnreadableState::Unread => "unread",
        }
    }
}

impl Unreadable {
    pub(super) fn damaged(why: String) -> Unreadable {
        Unreadable { state: UnreadableState::Damaged, why }
    }

    pub(super) fn unread(why: String) -> Unreadable {
        Unreadable { state: UnreadableState::Unread, why }
    }

    /// A file of the run that cannot be read.
    pub(super) fn file(name: &str, e: &io::Error) -> Unreadable {
        let why = format!("cannot read {name}: {e}");
        match ReadObstacle::of(e) {
            Some(_) => Unreadable::unread(why),
            None => Unreadable::damaged(why),
        }
    }
}
