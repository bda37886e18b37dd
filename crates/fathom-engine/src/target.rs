//! How the engine gets an open target: through a [`TargetSource`].
//!
//! The engine opens nothing by path. A [`TargetSource`]
//! (in the program: the guard) has checked the target and holds it open. It gives out
//! descriptors of exactly that inode, never with more rights than were
//! granted. So no write path exists that the guard did not open.

use crate::shared_drive::SharedDrive;
use std::io;
use std::os::fd::OwnedFd;

/// How to open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenHow {
    /// Open for writing too.
    pub write: bool,
    /// O_DIRECT.
    pub direct: bool,
    /// O_SYNC.
    pub sync: bool,
    /// O_DSYNC.
    pub dsync: bool,
}

/// An open target.
#[derive(Debug)]
pub struct OpenTarget {
    /// The descriptor, this worker's own.
    pub fd: OwnedFd,
    /// It is a block device, and not a file or a character device.
    pub is_block: bool,
    /// Size at the time of opening, bytes.
    pub size: u64,
}

/// Hands out targets that may be used.
pub trait TargetSource: Sync {
    /// Opens `path` for one worker. Errors name the path and the reason.
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget>;

    /// Removes a file that this run created; refuses any other.
    fn unlink(&self, path: &str) -> io::Result<()>;

    /// The simulated drive of that name, which all workers share. Only runs in virtual time have some.
    fn simulated(&self, name: &str) -> io::Result<SharedDrive> {
        Err(io::Error::new(io::ErrorKind::NotFound, format!("{name}: this run has no simulated drives")))
    }
}

/// A source without targets, for diskless engines.
#[derive(Clone, Copy, Debug)]
pub struct NoTargets;

impl TargetSource for NoTargets {
    fn open(&self, path: &str, _how: OpenHow) -> io::Result<OpenTarget> {
        Err(io::Error::new(io::ErrorKind::NotFound, format!("{path}: this run has no targets")))
    }

    fn unlink(&self, _path: &str) -> io::Result<()> {
        Ok(())
    }
}
