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
//! A procedure that goes on after a kill may also write to the files that it was writing then (`writing`).
//!
//! `store` answers whether a file is ours (`CreatedFiles::check`), `entry` compares, `digest` samples.

mod attachment;
mod digest;
mod entry;
mod private_dir;
mod store;
mod writing;

pub(super) use entry::Entry;
pub(crate) use private_dir::PrivateDir;
pub use store::CreatedFiles;
pub use writing::Writing;
pub(super) use writing::Written;

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
    /// It changed so long after the last sign of the killed procedure that was writing it.
    ChangedAfterKill {
        late_ns: i64,
    },
    /// It is longer than the killed procedure would have made it.
    Longer,
    /// The clock is before the last sign of the killed procedure, so times say nothing.
    ClockSetBack,
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
            Doubt::ChangedAfterKill { late_ns } => {
                let s = *late_ns as f64 / 1e9;
                write!(f, "it was changed {s:.0} s after the last sign of the killed procedure that was writing it")
            }
            Doubt::Longer => f.write_str("it is longer than the killed procedure that was writing it makes it"),
            Doubt::ClockSetBack => f.write_str(
                "the clock was set back since the procedure that was writing it was killed, so its times do not say whether \
                 somebody has changed it",
            ),
            Doubt::Unknown(why) => {
                write!(f, "fathom does not know whether somebody has changed it since: {why}")
            }
        }
    }
}
