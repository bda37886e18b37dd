//! How a file was when fathom had ended writing it.
//!
//! A job that reads a file which fathom laid out leaves it as it is. If it is
//! another one at the end of the run, its owner has written to it meanwhile.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

use fathom_device::sys::lease::is_being_written;

/// Size and time of the last change of a file that nobody was writing when we
/// opened it for reading, if we have not opened it for writing since.
#[derive(Debug, Default)]
pub(super) struct Rest(Mutex<Option<Stamp>>);

/// Size in bytes and `st_ctim`.
type Stamp = (u64, i64, i64);

impl Rest {
    /// An open of ours.
    pub(super) fn note(&self, file: &File, writes: bool) {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *rest = match *rest {
            _ if writes => None,
            Some(stamp) => Some(stamp),
            // Where the kernel does not tell, nothing is known.
            None if is_being_written(file).is_ok_and(|is_written| !is_written) => {
                file.metadata().ok().map(|meta| stamp(&meta))
            }
            None => None,
        };
    }

    /// An error if the file has changed since.
    pub(super) fn holds(&self, meta: &Metadata) -> io::Result<()> {
        let rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *rest {
            Some(then) if then != stamp(meta) => {
                Err(io::Error::other("somebody changed it while it was read"))
            }
            _ => Ok(()),
        }
    }
}

fn stamp(meta: &Metadata) -> Stamp {
    (meta.len(), meta.ctime(), meta.ctime_nsec())
}
