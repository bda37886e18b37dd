//! All that is known of a file, to recognise it under another name, and whether two files are one.

use super::FileId;
use super::kind::FsKind;
use super::layer::{Opened, beneath, upper_device};
use super::reach::{is_removed, kind_of, kind_of_mount, last_name, reach, shows_in_parts};
use crate::device::DevNumber;
use crate::loops::LoopDevice;
use crate::root::Root;
use crate::sys;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

/// What is visible of a file.
#[derive(Debug)]
pub struct FileView {
    /// Its numbers; `None` where they are not known.
    pub(super) id: Option<FileId>,
    /// How far its numbers can be trusted.
    pub(super) kind: FsKind,
    /// The last part of a path that it has now.
    pub(super) name: Option<OsString>,
    /// The name that it has now, or the last one that it had.
    pub(super) last_name: Option<OsString>,
    pub(super) links: Option<u64>,
    /// The file itself, without the right to read it.
    pub(super) pin: Option<File>,
    /// The file of an overlay that shows this one of a layer, if that is the one that was asked for.
    shown_by: Option<File>,
    /// It reaches at least this far, in bytes.
    pub(super) end_bytes: u64,
    /// The file system below, where it is known of a file in an overlay.
    pub(super) lies_on: Option<DevNumber>,
    /// The file below has this name too.
    pub(super) name_tells: bool,
    /// The file below has these times too.
    pub(super) times_tell: bool,
}

impl FileView {
    /// An open file that is to be written.
    pub fn of(root: &Root, pin: &File) -> io::Result<Self> {
        let view = Self::reached(pin.try_clone()?, name_of(pin), &pin.metadata()?)?;
        let path = sys::path_of(pin).ok().filter(|_| shows_own_name(pin));
        let last_name = path.and_then(|path| last_name(&path));
        Ok(Self { last_name, ..view.settled(root, Opened::ForWriting) })
    }

    /// The file behind a loop device.
    pub fn behind(root: &Root, device: &LoopDevice) -> Self {
        let opened = if device.is_read_only { Opened::ForReading } else { Opened::ForWriting };
        Self::named(root, &device.backing_file, device.backing, device.end_bytes, opened)
    }

    /// A swap file, which the kernel names by a path.
    pub fn of_swap(root: &Root, path: &Path, id: Option<FileId>, end_bytes: u64) -> Self {
        Self::named(root, path, id, end_bytes, Opened::ForWriting)
    }

    /// A file that the kernel names by a path: the numbers, where they are
    /// known, say whether the path still leads to it.
    fn named(root: &Root, path: &Path, id: Option<FileId>, end_bytes: u64, opened: Opened) -> Self {
        let name = path.file_name().map(OsString::from);
        let last_name = last_name(path);
        let at_path = id.and_then(|id| {
            let pin = reach(root, path, id)?;
            let meta = pin.metadata().ok()?;
            Self::reached(pin, name.clone(), &meta).ok()
        });
        let view = at_path.unwrap_or_else(|| Self {
            id,
            kind: id.map_or(FsKind::Unknown, |id| kind_of(root, path, id.dev)),
            name: name.filter(|_| !is_removed(path)),
            ..Self::unseen()
        });
        let view = view.settled(root, opened);
        let is_whole = view.kind != FsKind::Overlay || !shows_in_parts(root);
        // What an overlay has copied up since shows the times of the copy.
        let has_its_times = view.kind != FsKind::Overlay || opened == Opened::ForWriting;
        let lies_on = match (view.kind, view.id, opened) {
            (FsKind::Overlay, Some(id), Opened::ForWriting) => upper_device(root, id.dev),
            _ => None,
        };
        Self {
            end_bytes,
            last_name,
            lies_on,
            name_tells: view.kind.keeps_names() && is_whole,
            times_tell: view.kind.keeps_times() && is_whole && has_its_times,
            ..view
        }
    }

    /// With what only the mount table tells: the file in the layer of an
    /// overlay, and what kind of FUSE it is. An overlay may be a layer of
    /// another one.
    fn settled(mut self, root: &Root, opened: Opened) -> Self {
        while let FsKind::Overlay = self.kind
            && let Some(file) = self.pin.as_ref().and_then(|pin| beneath(root, pin, opened))
            && let Some(view) = view_of(file)
        {
            self = Self { shown_by: self.shown_by.or(self.pin), ..view };
        }
        // The magic number of FUSE is virtiofs's too, which shows the files of the machine around
        // this one; the mount table distinguishes them.
        if let (FsKind::Other, Some(id)) = (self.kind, self.id) {
            self.kind = kind_of_mount(root, id.dev).known_or(FsKind::Other);
        }
        self
    }

    /// A file of which nothing is known.
    pub fn unseen() -> Self {
        Self {
            id: None,
            kind: FsKind::Unknown,
            name: None,
            last_name: None,
            links: None,
            pin: None,
            shown_by: None,
            end_bytes: 0,
            lies_on: None,
            name_tells: false,
            times_tell: false,
        }
    }

    fn reached(pin: File, name: Option<OsString>, meta: &fs::Metadata) -> io::Result<Self> {
        let id = FileId::of(meta);
        let kind = FsKind::of_magic(id.dev, sys::file_system(&pin)?.magic);
        Ok(Self {
            id: Some(id),
            kind,
            last_name: name.clone(),
            name,
            links: Some(meta.nlink()),
            pin: Some(pin),
            shown_by: None,
            end_bytes: meta.len(),
            lies_on: None,
            name_tells: true,
            times_tell: kind.keeps_times(),
        })
    }

    /// The file opened for reading, where that is allowed.
    pub fn reader(&self) -> Option<File> {
        sys::reopen(self.pin.as_ref()?, libc::O_NONBLOCK).ok()
    }

    /// The descriptor that pins the file, where there is one.
    pub fn pin(&self) -> Option<&File> {
        self.pin.as_ref()
    }

    /// The file that was asked for, which an overlay may show instead of the one of its layer.
    pub(crate) fn asked(&self) -> Option<&File> {
        self.shown_by.as_ref().or(self.pin())
    }

    /// Whether its numbers identify the file.
    pub fn is_owned(&self) -> bool {
        self.id.is_some() && self.kind == FsKind::Owner
    }
}

fn view_of(file: File) -> Option<FileView> {
    let (name, meta) = (name_of(&file), file.metadata().ok()?);
    FileView::reached(file, name, &meta).ok()
}

/// Whether the path of an open file ends with a name of the file: a file that is bound over another
/// is shown under the other's name.
fn shows_own_name(pin: &File) -> bool {
    sys::statx_file(pin).is_ok_and(|file| file.is_mount_root == Some(false))
}

/// The name under which an open file is found now.
fn name_of(pin: &File) -> Option<OsString> {
    let path = sys::path_of(pin).ok().filter(|_| shows_own_name(pin))?;
    let there = FileId::of(&fs::symlink_metadata(&path).ok()?);
    let is_it = there == FileId::of(&pin.metadata().ok()?);
    path.file_name().filter(|_| is_it).map(OsString::from)
}

/// What two views of files have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// They are one file.
    Same,
    /// They are two.
    Different,
    /// Nothing that fathom can see shows whether they are one or two.
    Unknown,
}

/// How often the times of a file are compared if it changes while we look.
const LOOKS: usize = 5;

/// What the numbers alone say, if that is enough.
pub fn by_numbers(target: &FileView, used: Option<FileId>) -> Option<Sharing> {
    match used {
        _ if used.is_some() && target.id == used => Some(Sharing::Same),
        Some(id) if target.is_owned() && FsKind::of_device(id.dev) == Some(FsKind::Owner) => {
            Some(Sharing::Different)
        }
        _ => None,
    }
}

/// Compares the file that is to be written with one that the kernel uses.
pub fn sharing(target: &FileView, used: &FileView) -> Sharing {
    if target.id.is_some() && target.id == used.id {
        return Sharing::Same;
    }
    let are_two = numbers_differ(target, used)
        || nobody_uses(target, used)
        || times_differ(target, used).unwrap_or_else(|| names_differ(target, used))
        || target.end_bytes < used.end_bytes;
    if are_two { Sharing::Different } else { Sharing::Unknown }
}

/// Whether the numbers show that the files are two. They do for two files that file systems own;
/// for two files on one such file system, even where the kind of the used file's file system is not
/// known; and for a file on another file system than the one that an overlay writes to.
fn numbers_differ(target: &FileView, used: &FileView) -> bool {
    let (Some(ours), Some(theirs)) = (target.id, used.id) else { return false };
    let is_elsewhere = used.lies_on.is_some_and(|below| below != ours.dev);
    match target.kind {
        FsKind::Owner => used.is_owned() || theirs.dev == ours.dev || is_elsewhere,
        // Only a loop device can reach a file of a file system that no mount shows. Even if that is
        // an overlay, a file that is open for writing is in its upper layer, and has one number
        // there under all its names.
        FsKind::Unserved => theirs.dev == ours.dev,
        _ => false,
    }
}

/// A file system on this machine that uses the target's file has it open. A server of network file
/// systems opens files only while it serves them.
fn nobody_uses(target: &FileView, used: &FileView) -> bool {
    if !target.is_owned() || used.kind == FsKind::Network {
        return false;
    }
    target.reader().is_some_and(|file| sys::lease::is_open_elsewhere(&file).is_ok_and(|is_open| !is_open))
}

/// Whether nobody but this descriptor has its file open, on a file system that owns its files. Then
/// no loop device, swap, mount or overlay on this machine uses the file; only a server of network
/// file systems may, which opens files while it serves them. `false` also where the kernel or the
/// file system does not tell.
pub fn has_one_opener(file: &File) -> bool {
    let kind = || {
        let dev = FileId::of(&file.metadata().ok()?).dev;
        Some(FsKind::of_magic(dev, sys::file_system(file).ok()?.magic))
    };
    kind() == Some(FsKind::Owner) && sys::lease::is_open_elsewhere(file).is_ok_and(|is_open| !is_open)
}

/// Times are compared between two looks at the used file that agree, because its user may write to
/// it meanwhile. `None` where they prove nothing. Where they show that the files are the same,
/// names prove nothing: somebody may have renamed the file below an overlay, which still shows it
/// under its old name.
fn times_differ(target: &FileView, used: &FileView) -> Option<bool> {
    let (ours, theirs) = (target.pin.as_ref()?, used.pin.as_ref()?);
    let tell = target.times_tell && used.times_tell;
    tell.then(|| (0..LOOKS).any(|_| differ_once(ours, theirs).unwrap_or(false)))
}

fn differ_once(ours: &File, theirs: &File) -> Option<bool> {
    let before = theirs.metadata().ok()?;
    let here = ours.metadata().ok()?;
    let after = theirs.metadata().ok()?;
    Some(times(&before) == times(&after) && times(&here) != times(&after))
}

/// Size, the times of the last changes, and of birth where it is known.
pub(crate) fn times(meta: &Metadata) -> (u64, [i64; 4], Option<SystemTime>) {
    let changed = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
    (meta.len(), changed, meta.created().ok())
}

/// Whether the names show that the files are two: a file without names is not the one that has a
/// name, and a file with one name has no other.
fn names_differ(target: &FileView, used: &FileView) -> bool {
    // Some file servers do not count links and report one.
    let are_counted = target.kind != FsKind::Other;
    let differ = |ours: &Option<OsString>, theirs: &Option<OsString>| {
        ours.as_ref().zip(theirs.as_ref()).is_some_and(|(ours, theirs)| !ours.eq_ignore_ascii_case(theirs))
    };
    let are_two = match target.links {
        // Without a name it can be attached only through a descriptor that is open, and is then
        // known by the name that it had last.
        Some(0) => are_counted && (used.name.is_some() || differ(&target.last_name, &used.last_name)),
        Some(1) => {
            let has_one = used.links.map_or(are_counted, |links| links == 1);
            has_one && differ(&target.name, &used.name)
        }
        _ => false,
    };
    are_two && used.name_tells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opener_is_seen_on_a_file_system_that_owns_its_files() {
        // It is a tmpfs everywhere, also in a container, where `/tmp` is on an overlay.
        let path = tempfile::NamedTempFile::new_in("/dev/shm").unwrap().into_temp_path();
        let writer = || File::options().read(true).write(true).open(&path).unwrap();
        let first = writer();
        assert!(has_one_opener(&first));
        let reader = File::open(&path).unwrap();
        assert!(!has_one_opener(&first));
        drop(reader);
        assert!(has_one_opener(&first));
        let _second = writer();
        assert!(!has_one_opener(&first));
    }

    #[test]
    fn a_file_system_that_owns_no_files_is_not_asked() {
        assert!(!has_one_opener(&File::open("/proc/self/status").unwrap()));
    }
}
