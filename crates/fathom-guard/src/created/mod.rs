//! Which files are fathom's own to overwrite: those that fathom created and that nobody has touched
//! since.
//!
//! When a run ends, the guard records what it knows of every file that fathom created: device and
//! inode, birth, size, last change, and a digest of samples. The record is in a state directory and
//! not in the file, because a mark in the file would stay there when somebody changes or copies the
//! file. Before the next run writes to the file, all of it must still be true. Any doubt means that
//! the file is not ours: there is no record (a killed run leaves none), the record cannot be read
//! or trusted, or something differs.
//!
//! `store` answers whether a file is ours (`CreatedFiles::check`), `entry` compares, `digest` samples.

mod attachment;
mod digest;
mod entry;
mod private_dir;
mod store;

pub(super) use entry::Entry;
pub(crate) use private_dir::PrivateDir;
pub use store::CreatedFiles;

use std::fmt;

/// Why a file does not count as ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doubt {
    NotRecorded,
    /// This property of the file differs from the record.
    Changed(&'static str),
    /// The disk was attached again, and its content may have been changed while it was not
    /// attached.
    Elsewhere,
    Unknown(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::NotRecorded => {
                f.write_str("no run has recorded it since (a run that is killed records nothing)")
            }
            Doubt::Changed(what) => write!(f, "{what} changed after fathom last closed it"),
            Doubt::Elsewhere => f.write_str("its disk was attached again after fathom last closed the file"),
            Doubt::Unknown(why) => {
                write!(f, "fathom does not know whether somebody has changed it since: {why}")
            }
        }
    }
}
