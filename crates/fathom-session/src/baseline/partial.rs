//! The directory of a baseline while its files are copied. It is locked, so one that is not locked is what a process left that
//! was killed.

use crate::state::{is_at, make_own};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Ending of its name.
const ENDING: &str = ".partial";

/// A directory that a baseline is made in; what is in it is removed with this value.
pub(super) struct Partial {
    pub(super) path: PathBuf,
    /// Its lock.
    _held: File,
}

impl Partial {
    /// Makes it in `dir`.
    pub(super) fn make(dir: &Path, name: &str) -> io::Result<Partial> {
        let path = dir.join(format!(".{name}.{}{ENDING}", std::process::id()));
        loop {
            make_own(&path)?;
            // Another process may take it for an old one until it is locked.
            match locked(&path) {
                Ok(Some(held)) => return Ok(Partial { path, _held: held }),
                Ok(None) => std::thread::yield_now(),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Locks the directory; `None` where another process has it, or another directory has its name by now.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let held = File::open(path)?;
    match held.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(e)) => return Err(e),
    }
    Ok(is_at(&held, path)?.then_some(held))
}

/// Removes what killed processes left. What cannot be removed stays, and is tried again by the next one.
pub(super) fn remove_left(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_partial = name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(ENDING));
        if is_partial && let Ok(Some(_held)) = locked(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
