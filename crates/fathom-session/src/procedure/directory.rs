//! The directory of a procedure, which one driver at a time uses.

use crate::exit::Exit;
use crate::failure::Failure;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The directory, locked. The kernel removes the lock when the process ends, however it ends.
pub(super) struct LockedDirectory {
    path: PathBuf,
    _lock: File,
}

impl LockedDirectory {
    /// Locks the directory.
    pub fn lock(path: &Path) -> Result<LockedDirectory, Failure> {
        let cannot = |e| Failure::new(Exit::Failed, format!("cannot lock {}: {e}", path.display()));
        let lock = File::open(path).map_err(cannot)?;
        match lock.try_lock() {
            Ok(()) => Ok(LockedDirectory { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                let said = format!("the procedure in {} is running in another process", path.display());
                Err(Failure::new(Exit::Refused, said).hint("wait until it has ended, or stop it"))
            }
            Err(TryLockError::Error(e)) => Err(cannot(e)),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
