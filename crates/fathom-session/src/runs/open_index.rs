//! The index while a list is made: read once and changed once, whatever the number of directories.

use super::ListSource;
use super::index::RunIndex;
use super::rows::{IndexChange, Known, Rows, Unusable};
use super::saved_run::{FileStamp, Listed};
use crate::slow_look::TOLD_AFTER;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a list waits for another process that changes the index, which takes milliseconds.
const WAIT: Duration = Duration::from_secs(1);
// A directory whose runs are listed would be called slow, and it is the index that is waited for.
const _: () = assert!(WAIT.as_millis() < TOLD_AFTER.as_millis());

/// An index that can be used, or the reason why not in `notes`.
pub(super) struct OpenIndex<'a> {
    index: &'a RunIndex,
    source: ListSource,
    /// What it held when it was read.
    rows: Rows,
    /// What is to be saved in it.
    changes: Vec<IndexChange>,
    may_write: bool,
    /// What a person should know, one sentence each.
    notes: Vec<String>,
}

impl<'a> OpenIndex<'a> {
    /// Reads the index. One that cannot be used knows nothing.
    pub fn of(index: &'a RunIndex, source: ListSource) -> OpenIndex<'a> {
        let (rows, changes, notes) = (Rows::default(), Vec::new(), Vec::new());
        let mut this = OpenIndex { index, source, rows, changes, may_write: true, notes };
        match index.read() {
            Ok(rows) => this.rows = rows,
            Err(why) => this.refuse(&why),
        }
        this
    }

    /// A damaged index is made again at once, with the directories that it knew, so that the next list finds no damage.
    fn refuse(&mut self, why: &Unusable) {
        self.notes.extend(why.sentence(self.index.path()));
        match why {
            Unusable::Missing => {}
            Unusable::Older(directories) | Unusable::Damaged(_, directories) => {
                self.rows = Rows::of_directories(directories);
                self.change(|_| ());
            }
            _ => self.may_write = false,
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Rows)) -> bool {
        if !self.may_write || !self.has_place() {
            return false;
        }
        let changed = self.index.change(WAIT, change);
        if let Err(why) = &changed {
            self.may_write = false;
            self.notes.extend(why.told_unsaved(self.index.path()));
        }
        changed.is_ok()
    }

    /// Whether there is a place for it.
    pub fn has_place(&self) -> bool {
        self.index.path().is_some()
    }

    /// The directories in which runs were saved.
    pub fn directories(&self) -> Vec<PathBuf> {
        self.rows.directories()
    }

    /// What is known of the runs in a directory. Where the list is made from the directories, each is
    /// known with the stamp of no file, so its record is read.
    pub fn known(&mut self, dir: &Path) -> Known {
        let mut known = self.rows.take_runs(dir);
        if self.source == ListSource::Directories {
            known.values_mut().for_each(|(stamp, _)| *stamp = FileStamp::NONE);
        }
        known
    }

    /// Remembers the runs of a directory that the index did not know as they are, and those that have gone.
    pub fn remember(&mut self, dir: &Path, listed: &[Listed], gone: &[OsString]) {
        self.changes.extend(IndexChange::of(dir, listed, gone));
    }

    /// Forgets directories.
    pub fn forget(&mut self, dirs: &[PathBuf]) -> bool {
        self.change(|rows| dirs.iter().for_each(|dir| rows.forget(dir)))
    }

    /// Saves what was remembered; what a person should know about the index.
    pub fn saved(mut self) -> Vec<String> {
        let changes = std::mem::take(&mut self.changes);
        if !changes.is_empty() {
            self.change(|rows| changes.into_iter().for_each(|changes| changes.add_to(rows)));
        }
        self.notes
    }
}
