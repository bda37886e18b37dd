//! The open files of a job that keeps fewer open than it has (`openfiles`).
//!
//! The table has an entry for each open file, and engines know a file by the
//! number of its entry. An I/O for a file that is not open replaces a file for
//! which no further I/O comes. Before that, it waits until nothing is in flight
//! on the file to be replaced, and the I/Os behind it wait with it. A job whose
//! files all stay open has no table: the number of a file is then its index.

use super::prepare::failed;
use super::{Worker, drain, failure};
use crate::engine::{EngineError, Replacement};
use crate::invalidate;
use crate::target::{OpenHow, TargetSource};
use crate::write_hint::{WriteHint, open};
use fathom_results::JobFailure;
use std::collections::HashMap;

pub struct FileTable<'a> {
    targets: &'a dyn TargetSource,
    how: OpenHow,
    hint: Option<WriteHint>,
    /// The file of each entry.
    files: Vec<u32>,
    entry_of: HashMap<u32, u32>,
    /// Where the search for an entry to be replaced begins.
    search_from: usize,
    /// Files that were opened in the course of the job.
    opened: u64,
}

/// The functions of the worker's loop that replacing a file needs.
pub struct Exchange<'e> {
    pub replace: &'e mut dyn FnMut(&Replacement<'_>) -> Result<(), EngineError>,
    /// Is anything in flight on an entry?
    pub is_busy: &'e dyn Fn(u32) -> bool,
}

impl<'a> FileTable<'a> {
    /// The entries of the first `count` files of a job, in their order.
    pub fn new(targets: &'a dyn TargetSource, how: OpenHow, hint: Option<WriteHint>, count: usize) -> Self {
        let files: Vec<u32> = (0..count as u32).collect();
        let entry_of = files.iter().map(|&file| (file, file)).collect();
        FileTable { targets, how, hint, files, entry_of, search_from: 0, opened: 0 }
    }

    pub fn file_of(&self, entry: u32) -> u32 {
        self.files[entry as usize]
    }

    /// The entry to be replaced: one of a file for which no further I/O comes, or,
    /// if I/O comes for all of them, of any file. `None` while they are busy.
    fn next_to_replace(
        &mut self,
        is_wanted: impl Fn(u32) -> bool,
        is_busy: &dyn Fn(u32) -> bool,
    ) -> Option<u32> {
        let count = self.files.len();
        let all = || (0..count).map(|step| (self.search_from + step) % count);
        let mut unwanted = all().filter(|&entry| !is_wanted(self.files[entry])).peekable();
        let idle = |entry: &usize| !is_busy(*entry as u32);
        let entry = match unwanted.peek() {
            Some(_) => unwanted.find(idle),
            None => all().find(idle),
        }?;
        self.search_from = entry + 1;
        Some(entry as u32)
    }

    fn replace(&mut self, entry: u32, file: u32) {
        let before = std::mem::replace(&mut self.files[entry as usize], file);
        self.entry_of.remove(&before);
        self.entry_of.insert(file, entry);
    }

    /// The number of files that were kept open and opened, for the result.
    pub fn notes(&self) -> [(String, String); 2] {
        let note = |name: &str, value: String| (name.to_owned(), value);
        [
            note("files.kept_open", self.files.len().to_string()),
            note("files.opened_while_running", self.opened.to_string()),
        ]
    }
}

impl Worker<'_> {
    /// Releases I/Os up to the first whose file is not open, and opens
    /// that file if it can. Returns false if a file cannot be opened, which ends
    /// the job.
    #[cold]
    pub fn release(&mut self, by: &mut Exchange<'_>) -> bool {
        while let Some(desc) = self.block.held() {
            match self.entry_for(desc.file(), by) {
                Ok(Some(entry)) => self.block.let_go(desc.in_file(entry)),
                Ok(None) => return true,
                Err(why) => {
                    self.broken = Some(why);
                    self.block.clear();
                    return false;
                }
            }
        }
        true
    }

    /// The entry of a file. The file is opened if it can replace another one now.
    fn entry_for(&mut self, file: u32, by: &mut Exchange<'_>) -> Result<Option<u32>, JobFailure> {
        let Some(table) = &mut self.file_table else { return Ok(Some(file)) };
        if let Some(&entry) = table.entry_of.get(&file) {
            return Ok(Some(entry));
        }
        // Released I/Os use their entries, although they are not in flight yet.
        if !self.block.is_empty() {
            return Ok(None);
        }
        // The source is ahead of the I/Os that are held back, so it may be done with a file that they need.
        let is_wanted = |file| self.source.has_open(file) || self.block.holds(file);
        let free = table.next_to_replace(is_wanted, by.is_busy);
        free.map_or(Ok(None), |entry| self.open_in(entry, file, by).map(|()| Some(entry)))
    }

    /// Closes the file of an entry, and opens another one in its place.
    fn open_in(&mut self, entry: u32, file: u32, by: &mut Exchange<'_>) -> Result<(), JobFailure> {
        let index = entry as usize;
        if drain::syncs_files(self.plan) {
            drain::sync(self, index)?;
        }
        let Some(table) = &mut self.file_table else { return Ok(()) };
        let (targets, how, hint, plan) = (table.targets, table.how, table.hint, self.plan);
        let planned = &plan.files[file as usize];
        let opening = || {
            let opened = open(targets, &planned.path, how, hint)?;
            // Pages that stay in the cache show in the figures, as in fio.
            let _ = invalidate::settle_opened(plan, planned, &opened);
            Ok(opened)
        };
        let opened = self.lender.during(&mut self.recorder, opening, || ()).0.map_err(failed)?;
        (by.replace)(&Replacement { entry: index, file: &opened, planned })
            .map_err(|e| failure(e.source.raw_os_error().unwrap_or(0), e.to_string()))?;
        let closed = std::mem::replace(&mut self.files[index], opened);
        self.lender.during(&mut self.recorder, || drop(closed), || ());
        table.replace(entry, file);
        table.opened += 1;
        Ok(())
    }

    /// The index in the job of the file of an entry; an engine knows only the entry.
    pub fn file_of(&self, entry: u32) -> u32 {
        self.file_table.as_ref().map_or(entry, |table| table.file_of(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::NoTargets;

    fn table(count: usize) -> FileTable<'static> {
        FileTable::new(&NoTargets, OpenHow::default(), None, count)
    }

    #[test]
    fn a_file_that_is_done_is_replaced_once_nothing_is_in_flight() {
        let mut table = table(3);
        assert_eq!(table.next_to_replace(|file| file != 1, &|_| false), Some(1));
        assert_eq!(table.next_to_replace(|file| file != 1, &|entry| entry == 1), None, "it is waited for");
        assert_eq!(table.next_to_replace(|_| true, &|entry| entry == 2), Some(0), "all are wanted");
        assert_eq!(table.next_to_replace(|_| true, &|_| true), None);
    }

    #[test]
    fn entries_that_are_idle_are_replaced_in_turn() {
        let mut table = table(2);
        let mut given = |file| {
            let entry = table.next_to_replace(|_| false, &|_| false).unwrap();
            table.replace(entry, file);
            (entry, table.file_of(entry), table.entry_of.len())
        };
        assert_eq!([given(7), given(8), given(9)], [(0, 7, 2), (1, 8, 2), (0, 9, 2)]);
    }
}
