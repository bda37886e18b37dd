//! The directory on which a file system is to be mounted: judged, and made where it is missing.

use crate::error::FileSystemError;
use fathom_device::sys;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A directory on which something can be mounted. The directories that were made for it are removed when it is dropped,
/// unless it is kept.
#[derive(Debug)]
pub(crate) struct MountPoint {
    path: PathBuf,
    /// What was made, the outermost first.
    made: Vec<PathBuf>,
}

impl MountPoint {
    /// An error if nothing can be mounted there. Nothing is made.
    ///
    /// # Errors
    /// It is not a directory, it holds something, something is mounted on it, or it is missing and cannot be made.
    pub fn check(at: &Path) -> Result<(), FileSystemError> {
        match fs::metadata(at) {
            Ok(meta) => is_free(at, &meta),
            Err(e) if e.kind() == ErrorKind::NotFound && fs::symlink_metadata(at).is_err() => can_be_made(at),
            Err(e) if e.kind() == ErrorKind::NotFound || e.kind() == ErrorKind::NotADirectory => {
                Err(FileSystemError::NoDirectory(at.to_owned()))
            }
            Err(e) => Err(failed("examine", at)(e)),
        }
    }

    /// The directory, made if it is missing.
    ///
    /// # Errors
    /// As [`MountPoint::check`].
    pub fn make(at: &Path) -> Result<MountPoint, FileSystemError> {
        MountPoint::check(at)?;
        let mut point = MountPoint { path: at.to_owned(), made: Vec::new() };
        let missing: Vec<&Path> = above(at).take_while(|dir| !dir.exists()).collect();
        for dir in missing.into_iter().rev() {
            fs::create_dir(dir).map_err(failed("make", dir))?;
            point.made.push(dir.to_owned());
        }
        Ok(point)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps what was made.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for MountPoint {
    fn drop(&mut self) {
        // What somebody has put there since stays.
        self.made.iter().rev().for_each(|dir| drop(fs::remove_dir(dir)));
    }
}

/// The directory and those above it, the innermost first.
fn above(at: &Path) -> impl Iterator<Item = &Path> {
    at.ancestors().filter(|dir| !dir.as_os_str().is_empty())
}

fn is_free(at: &Path, meta: &fs::Metadata) -> Result<(), FileSystemError> {
    if !meta.is_dir() {
        return Err(FileSystemError::NoDirectory(at.to_owned()));
    }
    let is_root = sys::statx_path(at).map_err(failed("examine", at))?.is_mount_root;
    if is_root.map_or_else(|| is_on_other_device(at, meta), Ok)? {
        return Err(FileSystemError::Mounted(at.to_owned()));
    }
    match fs::read_dir(at).map_err(failed("read", at))?.next() {
        Some(_) => Err(FileSystemError::NotEmpty(at.to_owned())),
        None => Ok(()),
    }
}

/// Before Linux 5.8: the root of a file system is on another device than the directory above it, or is its own parent.
fn is_on_other_device(at: &Path, meta: &fs::Metadata) -> Result<bool, FileSystemError> {
    let outside = fs::metadata(at.join("..")).map_err(failed("examine", at))?;
    Ok(outside.dev() != meta.dev() || outside.ino() == meta.ino())
}

/// A missing directory can be made where the nearest one above it takes new entries.
fn can_be_made(at: &Path) -> Result<(), FileSystemError> {
    let nearest = above(at).skip(1).find(|dir| fs::symlink_metadata(dir).is_ok()).unwrap_or(Path::new("."));
    let meta = fs::metadata(nearest).map_err(failed("examine", nearest))?;
    if !meta.is_dir() {
        return Err(FileSystemError::NoDirectory(nearest.to_owned()));
    }
    crate::file::refuse_kernel_files(&sys::pin(nearest).map_err(failed("find", nearest))?, at)?;
    crate::sys::takes_entries(nearest).map_err(failed("make a directory in", nearest))
}

fn failed(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileSystemError {
    let path = path.to_owned();
    move |source| FileSystemError::Io { act, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// What is wrong with a place, and whether what was made for it is gone again.
    #[test]
    fn a_place_is_judged_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "mine").unwrap();
        fs::create_dir_all(at("full/below")).unwrap();
        fs::create_dir(at("empty")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        symlink(at("empty"), at("link")).unwrap();
        for (place, message) in [
            (at("file"), Some("file is not a directory")),
            (at("file/below"), Some("file/below is not a directory")),
            (at("dangling"), Some("dangling is not a directory")),
            (at("full"), Some("full is not empty; nothing is mounted over what it holds")),
            ("/proc".into(), Some("something is mounted on /proc already")),
            ("/".into(), Some("something is mounted on / already")),
            ("/proc/fathom".into(), Some("proc")),
            (at("empty"), None),
            (at("link"), None),
            (at("new"), None),
            (at("a/b/c"), None),
        ] {
            let judged = MountPoint::check(&place).map_err(|e| e.to_string());
            match message {
                Some(message) => {
                    assert!(judged.as_ref().is_err_and(|e| e.contains(message)), "{place:?}: {judged:?}")
                }
                None => assert_eq!(judged, Ok(()), "{place:?}"),
            }
            let made = MountPoint::make(&place);
            assert_eq!(made.is_ok(), message.is_none(), "{place:?}");
            assert!(made.is_err() || place.is_dir(), "{place:?}");
        }
        assert!(!at("new").exists() && !at("a").exists() && at("empty").exists());
        MountPoint::make(&at("a/b/c")).unwrap().keep();
        assert!(at("a/b/c").is_dir());
    }
}
