//! The hold on an admitted inode.
//!
//! A descriptor (`O_PATH`) keeps the inode whatever becomes of its name. A run
//! may have more files than a process may open. Beyond the first few hundred, the
//! guard keeps no descriptor: it finds a file by its path again, and compares
//! device, inode and time of birth.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::ops::Deref;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::SystemTime;

use fathom_device::sys;

/// Files of which a guard holds descriptors.
pub(super) const HELD_MAX: usize = 384;

/// An inode: its file system, its number, and its birth where that is known, since
/// a number is given again once a file is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct InodeId {
    dev: u64,
    inode: u64,
    born: Option<SystemTime>,
}

impl InodeId {
    pub fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|meta| Self::told_by(&meta))
    }

    /// An error unless the file is this one.
    fn is_of(&self, file: &File, path: &Path) -> io::Result<()> {
        if InodeId::of(file)? == *self {
            return Ok(());
        }
        let message = format!("{} is another file than the one that was admitted", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    }

    pub fn told_by(meta: &Metadata) -> Self {
        Self { dev: meta.dev(), inode: meta.ino(), born: meta.created().ok() }
    }
}

/// How the guard finds the inode again.
#[derive(Debug)]
pub(super) enum Pin {
    Held(File),
    Named(InodeId),
}

/// The inode, held for as long as this lives.
pub(super) enum Held<'p> {
    Before(&'p File),
    Now(File),
}

impl Deref for Held<'_> {
    type Target = File;

    fn deref(&self) -> &File {
        match self {
            Held::Before(file) => file,
            Held::Now(file) => file,
        }
    }
}

impl Pin {
    /// Holds the inode that was admitted by this path.
    ///
    /// # Errors
    /// Where another file has its name now.
    pub fn hold(&self, path: &Path) -> io::Result<Held<'_>> {
        let id = match self {
            Pin::Held(file) => return Ok(Held::Before(file)),
            Pin::Named(id) => id,
        };
        let file = sys::pin(path)?;
        id.is_of(&file, path)?;
        Ok(Held::Now(file))
    }

    /// Opens the inode for reading.
    ///
    /// # Errors
    /// Where another file has its name now.
    pub fn read(&self, path: &Path, flags: i32) -> io::Result<File> {
        match self {
            Pin::Held(file) => sys::reopen(file, flags),
            Pin::Named(id) => {
                let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
                id.is_of(&file, path).map(|()| file)
            }
        }
    }

    pub fn id(&self) -> io::Result<InodeId> {
        match self {
            Pin::Held(file) => InodeId::of(file),
            Pin::Named(id) => Ok(*id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_has_taken_the_name_is_not_the_one_that_was_admitted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "ours").unwrap();
        let held = Pin::Held(sys::pin(&path).unwrap());
        let named = Pin::Named(held.id().unwrap());
        assert_eq!(named.hold(&path).unwrap().metadata().unwrap().len(), 4);
        assert_eq!(named.read(&path, 0).unwrap().metadata().unwrap().len(), 4);
        fs::rename(&path, dir.path().join("g")).unwrap();
        assert!(named.hold(&path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound));
        fs::write(&path, "theirs").unwrap();
        let message = named.hold(&path).err().unwrap().to_string();
        assert!(message.ends_with("is another file than the one that was admitted"), "{message}");
        assert_eq!(held.hold(&path).unwrap().metadata().unwrap().len(), 4, "a descriptor keeps it");
    }

    #[test]
    fn a_link_that_leads_elsewhere_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b, link] = ["a", "b", "link"].map(|name| dir.path().join(name));
        fs::write(&a, "").unwrap();
        fs::write(&b, "").unwrap();
        std::os::unix::fs::symlink(&a, &link).unwrap();
        let named = Pin::Named(InodeId::of(&sys::pin(&link).unwrap()).unwrap());
        assert!(named.hold(&link).is_ok());
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&b, &link).unwrap();
        assert!(named.hold(&link).is_err() && named.read(&link, 0).is_err());
    }
}
