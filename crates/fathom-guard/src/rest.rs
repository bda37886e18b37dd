//! The state of a file after fathom's last write to it.
//!
//! A job that reads a file which fathom laid out does not change it. If the file has changed by the
//! end of the run, somebody else has written to it.

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
    /// Notes that we opened the file.
    pub(super) fn note(&self, file: &File, writes: bool) {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *rest = match *rest {
            _ if writes => None,
            Some(stamp) => Some(stamp),
            // Where the kernel does not say whether it is being written, nothing is noted.
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
                Err(io::Error::other("another program changed it while it was read"))
            }
            _ => Ok(()),
        }
    }
}

fn stamp(meta: &Metadata) -> Stamp {
    (meta.len(), meta.ctime(), meta.ctime_nsec())
}
