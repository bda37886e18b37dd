//! The directory that takes the files of a bundle, held open: nothing is made in it after it was removed.
//!
//! A signal removes the directory while another thread still unpacks. By its path that thread would make it again.

use fathom_text::carried;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Only this user reads what is unpacked, also where a file is moved to another place.
const OWN_DIRECTORY: Mode = Mode::RWXU;
const OWN_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// The held directory.
pub(super) struct Room {
    top: OwnedFd,
}

impl Room {
    /// Holds a directory that is there.
    pub fn at(path: &Path) -> io::Result<Room> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Room { top: openat(CWD, path, flags, Mode::empty())? })
    }

    /// Makes a directory in it.
    pub fn directory(&self, name: &str) -> io::Result<()> {
        Ok(mkdirat(&self.top, carried::to_path(name), OWN_DIRECTORY)?)
    }

    /// Makes a file in a directory that was made, with the directories between them. `path` is below that directory.
    pub fn file(&self, directory: &str, path: &str) -> io::Result<File> {
        let mut at: PathBuf = carried::to_path(directory);
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            at.push(carried::to_path(part));
            match parts.peek().map(|_| mkdirat(&self.top, &at, OWN_DIRECTORY)) {
                None | Some(Ok(()) | Err(Errno::EXIST)) => {}
                Some(Err(e)) => return Err(e.into()),
            }
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.top, &at, flags, OWN_FILE)?.into())
    }
}
