//! What was read through a root.
//!
//! A capture must hold what the readers read, no more (a person will look through it) and no less
//! (otherwise a check would give another result). A list kept by hand would soon be wrong, so the
//! readers record it themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// The bytes that a read gave, or the number of its error.
pub type ReadOutcome = Result<Vec<u8>, i32>;

/// Everything that was touched, by path.
#[derive(Debug, Default, Clone)]
pub struct Touched {
    /// Files and answers to questions, as they were at the first reading.
    pub files: BTreeMap<PathBuf, ReadOutcome>,
    /// Permissions that were asked for.
    pub modes: BTreeMap<PathBuf, u32>,
    /// Directories that were listed.
    pub directories: BTreeSet<PathBuf>,
    /// Paths of which somebody wanted to know whether they are there, or where
    /// they lead.
    pub places: BTreeSet<PathBuf>,
}

/// A shared record of what is touched.
#[derive(Debug, Default, Clone)]
pub struct Trace {
    touched: Arc<Mutex<Touched>>,
}

impl Trace {
    /// What has been touched so far.
    pub fn touched(&self) -> Touched {
        self.lock().clone()
    }

    pub(crate) fn file(&self, path: &Path, bytes: &io::Result<Vec<u8>>) {
        let answer = match bytes {
            Ok(bytes) => Ok(bytes.clone()),
            Err(e) => Err(e.raw_os_error().unwrap_or(libc::EIO)),
        };
        self.lock().files.entry(path.to_path_buf()).or_insert(answer);
    }

    pub(super) fn mode(&self, path: &Path, mode: u32) {
        self.lock().modes.insert(path.to_path_buf(), mode);
    }

    pub(super) fn directory(&self, path: &Path) {
        self.lock().directories.insert(path.to_path_buf());
    }

    pub(super) fn place(&self, path: &Path) {
        self.lock().places.insert(path.to_path_buf());
    }

    fn lock(&self) -> MutexGuard<'_, Touched> {
        self.touched.lock().expect("no one panics with the trace")
    }
}
