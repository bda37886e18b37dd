//! One directory in a list of runs.

use super::head::RunHead;
use super::stamp::FileStamp;
use super::unreadable::Unreadable;
use crate::latest::id_in;
use fathom_results::procedure::{ProcedureRecord, is_procedure};
use fathom_results::{RunRecord, SavedDirectory, spool};
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The longest record that is read for a list: that of a plan of ten thousand jobs has 107 MB, and a list of strangers' directories
/// must not take the memory of the machine.
const RECORD_MAX_BYTES: u64 = 128 << 20;

/// A directory that holds a run or a procedure.
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
            of_run => (RunRecord::FILE, of_run),
        };
        let is_procedure = file == ProcedureRecord::FILE;
        let stamp = match meta {
            Ok(meta) => FileStamp::of(&meta),
            Err(e) if is_missing(&e) && !is_procedure && !run.join(spool::FILE).exists() => return None,
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
            let head = match is_procedure {
                true => RunHead::of_procedure(&bytes).map(|head| head.of_now(&run)),
                false => RunHead::of(&bytes),
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
