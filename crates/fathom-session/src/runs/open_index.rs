//! The index while a list is made: opened once, whatever the number of directories.

use super::ListSource;
use super::index::RunIndex;
use super::rows::{self, Known};
use super::saved_run::Listed;
use super::stamp::FileStamp;
use super::unusable::Unusable;
use crate::slow_look::TOLD_AFTER;
use rusqlite::Connection;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a list waits for the lock of another process, which holds it for milliseconds.
const WAIT: Duration = Duration::from_secs(1);
// A directory whose runs are listed would be called slow, and it is the index that is waited for.
const _: () = assert!(WAIT.as_millis() < TOLD_AFTER.as_millis());

/// An index that can be used, or the reason why not in `notes`.
pub(super) struct OpenIndex<'a> {
    index: &'a RunIndex,
    source: ListSource,
    /// `None` where nothing can be read.
    reader: Option<Connection>,
    /// Opened with the first change.
    writer: Option<Connection>,
    may_write: bool,
    /// What a person should know, one sentence each.
    pub notes: Vec<String>,
}

impl<'a> OpenIndex<'a> {
    /// Opens the index. One that cannot be used knows nothing.
    pub fn of(index: &'a RunIndex, source: ListSource) -> OpenIndex<'a> {
        let notes = Vec::new();
        let mut this = OpenIndex { index, source, reader: None, writer: None, may_write: true, notes };
        match index.read(WAIT) {
            Ok(reader) => this.reader = Some(reader),
            Err(why) => this.refuse(why),
        }
        // A damaged page that this list does not read would be found by a later one.
        this.read(rows::check);
        this
    }

    /// From now on what the index had is not believed. A damaged one is made again, with the directories that it knew.
    fn refuse(&mut self, why: Unusable) {
        self.notes.extend(why.told(self.index.path()));
        let reader = self.reader.take();
        match why {
            Unusable::Missing => {}
            Unusable::Damaged(_) => {
                let known = reader.and_then(|db| rows::directories(&db).ok()).unwrap_or_default();
                let there: Vec<PathBuf> = known.into_iter().filter(|dir| dir.is_dir()).collect();
                self.index.remove();
                if self.change(|db| there.iter().try_for_each(|dir| rows::add_directory(db, dir))) {
                    self.reader = self.index.read(WAIT).ok();
                }
            }
            _ => self.may_write = false,
        }
    }

    fn read<T: Default>(&mut self, read: impl FnOnce(&Connection) -> Result<T, Unusable>) -> T {
        match self.reader.as_ref().map(read) {
            None => T::default(),
            Some(Ok(known)) => known,
            Some(Err(why)) => {
                self.refuse(why);
                T::default()
            }
        }
    }

    fn change(&mut self, change: impl FnOnce(&Connection) -> Result<(), Unusable>) -> bool {
        if !self.may_write || self.index.path().is_none() {
            return false;
        }
        let changed = match self.writer.take().map_or_else(|| self.index.write(WAIT), Ok) {
            Ok(writer) => change(self.writer.insert(writer)),
            Err(why) => Err(why),
        };
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
    pub fn directories(&mut self) -> Vec<PathBuf> {
        self.read(rows::directories)
    }

    /// What is known of the runs in a directory. Where the list is made from the directories, each is
    /// known with the stamp of no file, so its record is read.
    pub fn known(&mut self, dir: &Path) -> Known {
        let (mut known, damaged) = self.read(|db| rows::known(db, dir));
        if damaged > 0 {
            self.refuse(Unusable::Damaged(format!("in {damaged} of its rows")));
            known.clear();
        }
        if self.source == ListSource::Directories {
            known.values_mut().for_each(|(stamp, _)| *stamp = FileStamp::NONE);
        }
        known
    }

    /// Saves the runs of a directory that the index did not know as they are, and forgets those that have
    /// gone.
    pub fn save(&mut self, dir: &Path, listed: &[Listed], gone: &[OsString]) {
        let is_new = |run: &&Listed| !run.is_from_index && run.run.head.is_ok();
        let new: Vec<&Listed> = listed.iter().filter(is_new).collect();
        if !new.is_empty() || !gone.is_empty() {
            self.change(|db| rows::save(db, dir, &new, gone));
        }
    }

    /// Forgets directories.
    pub fn forget(&mut self, dirs: &[PathBuf]) -> bool {
        self.change(|db| dirs.iter().try_for_each(|dir| rows::forget_directory(db, dir)))
    }
}
