//! The directory of a procedure, which one driver at a time uses, and what its rounds write to lay out files.

use crate::exit::{Exit, Failure};
use fathom_job::options;
use fathom_job::plan::Plan;
use std::collections::BTreeMap;
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
                let message = format!("the procedure in {} is running in another process", path.display());
                Err(Failure::new(Exit::Refused, message).hint("wait until it has ended, or stop it"))
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

/// Bytes that are laid out, by file.
#[derive(Debug, Default)]
pub(super) struct LaidOut {
    pub(super) files: BTreeMap<String, u64>,
}

impl LaidOut {
    /// Adds a round that is measured so many times. Every round is planned before the first is measured, so each plan has the file
    /// as missing that only the first round lays out; one that removes its files lays them out every time.
    pub(super) fn add(&mut self, plan: &Plan, times: u32) {
        let mut once: BTreeMap<&str, u64> = BTreeMap::new();
        for job in &plan.jobs {
            let removes = job.job.get(&options::UNLINK);
            for file in job.files.iter().filter(|file| file.layout.0 > 0) {
                let bytes = file.layout.0.saturating_mul(if removes { u64::from(times) } else { 1 });
                let sum = once.entry(&file.path).or_default();
                *sum = sum.saturating_add(bytes);
            }
        }
        for (path, bytes) in once {
            let most = self.files.entry(path.to_owned()).or_default();
            *most = bytes.max(*most);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.files.values().copied().fold(0, u64::saturating_add)
    }
}
