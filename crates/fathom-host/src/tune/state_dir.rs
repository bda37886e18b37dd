//! The directory of the journals, and its lock: for all who leave it where it
//! is by default, the one lock of the whole system.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::error::TuneError;
use crate::sys;

/// Where journals are kept, across reboots.
pub const STATE_DIR: &str = "/var/lib/fathom";

/// Makes the directory. A journal says what root will write to `/sys`, so
/// nobody else may have a hand in it.
pub fn prepare(dir: &Path) -> Result<(), TuneError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(TuneError::state("make", dir))?;
    let meta = owned(dir)?;
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(dir, Permissions::from_mode(0o700)).map_err(TuneError::state("close", dir))?;
    }
    Ok(())
}

/// The directory, if it is one and ours: another's, or a link that another may
/// have laid, would have us obey their journals, or close their choice of
/// directory to the world.
fn owned(dir: &Path) -> Result<Metadata, TuneError> {
    let meta = fs::symlink_metadata(dir).map_err(TuneError::state("look at", dir))?;
    if meta.is_dir() && meta.uid() == sys::user() {
        return Ok(meta);
    }
    let said = io::Error::new(io::ErrorKind::PermissionDenied, "it is no directory of this user's own");
    Err(TuneError::state("trust", dir)(said))
}

/// A journal's bytes, if the file is ours and no link.
pub(super) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.uid() != sys::user() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is no file of this user's own"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
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
    owned(dir)?;
    let mut how = OpenOptions::new();
    let how = how.create(true).truncate(false).write(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let file = how.open(&path);
    file.map_err(TuneError::state("open", &path)).map(|file| (path, file))
}
