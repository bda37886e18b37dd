//! The files that fathom writes beside its result, as fio does: logs, and the contents of wrong blocks. An older file may be
//! emptied, but none that is a link, that the run or the kernel uses, or that belongs to a saved run.

use super::{InUse, KernelFiles, can_be_new, is_saved, reopen};
use crate::exit::Failure;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Why a file is not opened.
pub enum NoFile {
    /// The run uses it: as what.
    InUse(&'static str),
    /// It is not a regular file.
    NotRegular,
    /// The kernel uses it, or it cannot be found out whether it does.
    OfKernel(Box<Failure>),
    /// It is a part of a saved run.
    OfSavedRun,
    /// The file system does not allow it.
    Failed(io::Error),
}

/// Opens a file that may be emptied then, or makes it.
///
/// # Errors
/// Why it is not opened. Nothing was changed then.
pub fn open_here(path: &Path, in_use: &InUse, kernel: &KernelFiles) -> Result<File, NoFile> {
    if let Some(user) = in_use.user_of(path) {
        return Err(NoFile::InUse(user));
    }
    // The path is first opened without any right, and what is found is judged. Then
    // the same file, whatever the path now leads to, is opened for writing.
    let pin = OpenOptions::new().read(true).custom_flags(libc::O_PATH | libc::O_NOFOLLOW).open(path);
    match pin {
        Ok(pin) => open_old(path, &pin, kernel),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let made = can_be_new(path).and_then(|()| no_links().read(true).create_new(true).open(path));
            made.map_err(NoFile::Failed)
        }
        Err(e) => Err(NoFile::Failed(e)),
    }
}

fn open_old(path: &Path, pin: &File, kernel: &KernelFiles) -> Result<File, NoFile> {
    if !pin.metadata().map_err(NoFile::Failed)?.is_file() {
        return Err(NoFile::NotRegular);
    }
    kernel.refuse(pin, path).map_err(|failure| NoFile::OfKernel(Box::new(failure)))?;
    let saved = reopen(pin, OpenOptions::new().read(true)).and_then(|mut file| is_saved(path, &mut file));
    if saved.map_err(NoFile::Failed)? {
        return Err(NoFile::OfSavedRun);
    }
    reopen(pin, OpenOptions::new().write(true)).map_err(NoFile::Failed)
}

/// Opens for writing, and through no link.
pub fn no_links() -> OpenOptions {
    let mut how = OpenOptions::new();
    how.write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    how
}
