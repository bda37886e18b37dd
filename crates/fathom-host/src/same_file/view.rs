//! All that can be told of a file in order to know it again under another
//! name.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::FileId;
use super::kind::FsKind;
use super::reach::{is_removed, kind_of_mount, reach, shows_in_parts};
use crate::loops::LoopDevice;
use crate::root::Root;
use crate::sys;

/// A file as it can be seen from here.
#[derive(Debug)]
pub struct FileView {
    /// Its numbers; `None` where they are not known.
    pub(super) id: Option<FileId>,
    /// What its numbers are worth.
    pub(super) kind: FsKind,
    /// The last part of a path that it has now.
    pub(super) name: Option<OsString>,
    /// How many names it has.
    pub(super) links: Option<u64>,
    /// The file itself, without the right to read it.
    pub(super) pin: Option<File>,
    /// It reaches at least this far, in bytes.
    pub(super) end_bytes: u64,
    /// Its data may be a file of another name and of other times.
    pub(super) is_in_parts: bool,
}

impl FileView {
    /// A file that is at hand.
    pub fn of(pin: &File) -> io::Result<Self> {
        Self::reached(pin.try_clone()?, name_of(pin), &pin.metadata()?)
    }

    /// The file behind a loop device.
    pub fn behind(root: &Root, device: &LoopDevice) -> Self {
        Self::told(root, &device.backing_file, device.backing, device.end_bytes)
    }

    /// A file that the kernel names by a path: the numbers, where they are
    /// known, say whether the path still leads to it.
    pub fn told(root: &Root, path: &Path, id: Option<FileId>, end_bytes: u64) -> Self {
        let name = path.file_name().map(OsString::from);
        let found = id.and_then(|id| {
            let pin = reach(root, path, id)?;
            let meta = pin.metadata().ok()?;
            Self::reached(pin, name.clone(), &meta).ok()
        });
        let view = found.unwrap_or_else(|| Self {
            id,
            kind: id.map_or(FsKind::Unknown, |id| kind_of_mount(root, id.dev)),
            name: name.filter(|_| !is_removed(path)),
            ..Self::unseen()
        });
        let is_in_parts = view.kind == FsKind::Overlay && shows_in_parts(root);
        Self { end_bytes, is_in_parts, ..view }
    }

    /// A file of which nothing is known.
    pub fn unseen() -> Self {
        let kind = FsKind::Unknown;
        Self { id: None, kind, name: None, links: None, pin: None, end_bytes: 0, is_in_parts: false }
    }

    fn reached(pin: File, name: Option<OsString>, meta: &fs::Metadata) -> io::Result<Self> {
        let id = FileId::of(meta);
        let kind = FsKind::of_magic(id.dev, sys::file_system(&pin)?.magic);
        let (links, pin) = (Some(meta.nlink()), Some(pin));
        Ok(Self { id: Some(id), kind, name, links, pin, end_bytes: meta.len(), is_in_parts: false })
    }

    /// The file opened for reading, where that is allowed.
    pub fn reader(&self) -> Option<File> {
        sys::reopen(self.pin.as_ref()?, true, false, libc::O_NONBLOCK).ok()
    }

    /// Its numbers.
    pub fn id(&self) -> Option<FileId> {
        self.id
    }

    /// Whether its numbers are the file.
    pub fn is_owned(&self) -> bool {
        self.id.is_some() && self.kind == FsKind::Owner
    }
}

/// The name under which an open file is found now.
fn name_of(pin: &File) -> Option<OsString> {
    let path = sys::path_of(pin).ok()?;
    let there = FileId::of(&fs::symlink_metadata(&path).ok()?);
    let is_it = there == FileId::of(&pin.metadata().ok()?);
    path.file_name().filter(|_| is_it).map(OsString::from)
}
