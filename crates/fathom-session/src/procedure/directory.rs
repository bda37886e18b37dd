//! The directory of a procedure, which one driver at a time uses.

use crate::exit::Exit;
use crate::failure::Failure;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Forces the names in a directory to stable storage.
pub(super) fn sync(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}

/// How often it is tried again to lock a directory, and the time between.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// The directory, locked. The kernel removes the lock when the process ends, however it ends.
pub(crate) struct LockedDirectory {
    path: PathBuf,
    _lock: File,
}

impl LockedDirectory {
    /// Locks the directory.
    pub fn lock(path: &Path) -> Result<LockedDirectory, Failure> {
        let cannot = |e| Failure::new(Exit::Failed, format!("cannot lock {}: {e}", path.display()));
        let lock = File::open(path).map_err(cannot)?;
        let mut tried = lock.try_lock();
        // A list of runs holds the lock for a moment.
        for _ in 0..TRIES {
            if !matches!(tried, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(PAUSE);
            tried = lock.try_lock();
        }
        match tried {
            Ok(()) => Ok(LockedDirectory { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                let said = format!("the procedure in {} is running in another process", path.display());
                Err(Failure::new(Exit::Refused, said).hint("wait until it has ended, or stop it"))
            }
            Err(TryLockError::Error(e)) => Err(cannot(e)),
        }
    }

    /// Does a process work on the procedure in this directory?
    pub fn is_locked(path: &Path) -> bool {
        let tried = File::open(path).map(|dir| dir.try_lock());
        matches!(tried, Ok(Err(TryLockError::WouldBlock)))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
