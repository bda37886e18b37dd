//! A file to which parts are added while they come: the states of a run, and its result at the end.
//!
//! The first part replaces the file in one step, as every output does. Each further one is appended to the file that was made
//! then, whatever its path leads to meanwhile. A part is in the file as a whole or not at all, also if fathom is killed.

use super::replace;
use fathom_session::outputs::reopen;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The file, once a part is in it.
#[derive(Debug, Default)]
pub(super) struct Growing(Mutex<Option<File>>);

impl Growing {
    /// Adds a part to the file at `path`. `judge` is asked before a file is replaced.
    pub fn add<E: From<io::Error>>(
        &self,
        path: &Path,
        part: &str,
        judge: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ours) = file.as_ref().filter(|ours| leads_to(path, ours)) {
            return append(ours, part).map_err(E::from);
        }
        judge()?;
        let made = replace::replace(path, part)?;
        *file = Some(reopen(&made, OpenOptions::new().append(true))?);
        Ok(())
    }
}

/// Is it still this file that the path names?
fn leads_to(path: &Path, file: &File) -> bool {
    let named = path.symlink_metadata().map(|meta| (meta.dev(), meta.ino()));
    matches!((named, file.metadata()), (Ok(named), Ok(ours)) if named == (ours.dev(), ours.ino()))
}

/// Appends all of it, or nothing.
fn append(mut file: &File, part: &str) -> io::Result<()> {
    let before = file.metadata()?.len();
    file.write_all(part.as_bytes()).inspect_err(|_| {
        // Where that fails too, the error says that the file is not complete.
        let _ = file.set_len(before);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(growing: &Growing, path: &Path, part: &str) -> io::Result<()> {
        growing.add(path, part, || Ok(()))
    }

    #[test]
    fn each_part_is_in_the_file_when_it_was_added() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, "an older result\n").unwrap();
        let growing = Growing::default();
        for (part, all) in [("one\n", "one\n"), ("two\n", "one\ntwo\n"), ("result\n", "one\ntwo\nresult\n")] {
            add(&growing, &path, part).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), all);
        }
        assert_eq!(dir.path().read_dir().unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_of_somebody_else_is_judged_before_it_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let growing = Growing::default();
        add(&growing, &path, "one\n").unwrap();
        std::fs::rename(&path, dir.path().join("old")).unwrap();
        std::fs::write(&path, "mine\n").unwrap();
        let refused = growing.add(&path, "two\n", || Err(io::Error::other("refused")));
        assert_eq!(refused.unwrap_err().to_string(), "refused");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine\n");
        add(&growing, &path, "two\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two\n");
    }
}
