//! Compares two views of files: they are one file, or two, or that is not known.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use super::FileId;
use super::kind::FsKind;
use super::view::FileView;
use crate::sys;

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
