//! The directory of the journals, and the one lock of the whole system.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::error::TuneError;

/// Where journals are kept, across reboots.
pub const STATE_DIR: &str = "/var/lib/fathom";

/// Makes the directory. A journal says what root will write to `/sys`, so
/// nobody else may have a hand in it.
pub fn prepare(dir: &Path) -> Result<(), TuneError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(TuneError::state("make", dir))?;
    let meta = fs::symlink_metadata(dir).map_err(TuneError::state("look at", dir))?;
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(dir, Permissions::from_mode(0o700)).map_err(TuneError::state("close", dir))?;
    }
    Ok(())
}

/// Held while settings are changed or put back.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, or says that another has it.
    pub fn take(dir: &Path) -> Result<Self, TuneError> {
        let (path, file) = open(dir)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(TuneError::Locked(path)),
            Err(TryLockError::Error(e)) => Err(TuneError::state("lock", &path)(e)),
        }
    }

    /// Takes the lock as soon as the other lets go of it.
    pub fn wait(dir: &Path) -> Result<Self, TuneError> {
        let (path, file) = open(dir)?;
        file.lock().map_err(TuneError::state("lock", &path))?;
        Ok(Self { _file: file })
    }
}

fn open(dir: &Path) -> Result<(PathBuf, File), TuneError> {
    let path = dir.join("lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    file.map_err(TuneError::state("open", &path)).map(|file| (path, file))
}
