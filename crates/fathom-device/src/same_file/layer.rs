//! The file that an overlay shows, in the layer that holds it.
//!
//! The mount table names the layers by the paths that the mounting process used. So a file that is
//! found there counts only if it has the times of the one that is shown. In a container the layers
//! are often not visible.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::FileId;
use super::compare::times;
use super::kind::FsKind;
use super::reach::{find, is_removed, mount_with, seen_by};
use crate::device::DevNumber;
use crate::mounts::{Mount, all_mounts, own_mounts, unescape_bytes};
use crate::root::Root;
use crate::sys;

/// How the file that is shown was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    /// For writing, or it will be: it is in the upper layer if there is one.
    ForWriting,
    /// For reading: it stays in the layer where it was then.
    ForReading,
}

/// How often a file is looked for if it changes meanwhile.
const LOOKS: usize = 5;

/// Pins the file in its layer; `None` where that is not certain.
pub(super) fn beneath(root: &Root, shown: &File, opened: Opened) -> Option<File> {
    let mount = mount_of(root, shown)?;
    let path = sys::path_of(shown).ok().filter(|path| !is_removed(path))?;
    let within = mount.root.join(path.strip_prefix(&mount.point).ok()?);
    let within = within.strip_prefix("/").unwrap_or(&within).to_path_buf();
    let layers = Layers::of(&mount)?;
    let upper = layers.upper.map(|upper| upper.join(&within));
    let is_copied = upper.as_ref().is_some_and(|upper| find(root, upper, |meta| meta.is_file()).is_some());
    if is_copied && opened == Opened::ForReading {
        return None;
    }
    let candidates: Vec<PathBuf> = match is_copied {
        true => upper.into_iter().collect(),
        false => layers.lower.iter().map(|lower| lower.join(&within)).collect(),
    };
    // The first layer that has a file of this name is the one that shows it.
    (0..LOOKS).find_map(|_| {
        let there = |path: &PathBuf| find(root, path, |meta| meta.is_file());
        let found = candidates.iter().find_map(there)?;
        (times(&found.metadata().ok()?) == times(&shown.metadata().ok()?)).then_some(found)
    })
}

/// The file system that an overlay writes to. The path of a layer may lead to another place by now,
/// so the directory counts only where its file system has the size that the overlay reports, which
/// is that of the upper layer.
pub(super) fn upper_device(root: &Root, overlay: DevNumber) -> Option<DevNumber> {
    let mount = mount_with(root, overlay)?;
    let upper = find(root, &Layers::of(&mount)?.upper?, |meta| meta.is_dir())?;
    let shown = sys::pin(&seen_by(mount.pid, &mount.point)).ok()?;
    let dev = |directory: &File| Some(FileId::of(&directory.metadata().ok()?).dev);
    let (below, above) = (sys::file_system(&upper).ok()?, sys::file_system(&shown).ok()?);
    let is_it = dev(&shown)? == overlay && below.size_bytes == above.size_bytes;
    let below_dev = dev(&upper)?;
    (is_it && FsKind::of_magic(below_dev, below.magic) == FsKind::Owner).then_some(below_dev)
}

fn mount_of(root: &Root, file: &File) -> Option<Mount> {
    let id = sys::statx_file(file).ok()?.mount_id?;
    let among = |mounts: Vec<Mount>| mounts.into_iter().find(|mount| mount.id == id);
    own_mounts(root).ok().and_then(among).or_else(|| all_mounts(root).ok().and_then(among))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Layers {
    upper: Option<PathBuf>,
    lower: Vec<PathBuf>,
}

impl Layers {
    /// `None` for layers that do not hold all of a file, and for paths that
    /// are relative to a directory that nobody knows any more.
    fn of(mount: &Mount) -> Option<Self> {
        let mut layers = Self::default();
        for option in mount.options.split(',') {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let value = unescape_bytes(value.as_bytes());
            match (key, value.as_bytes()) {
                ("metacopy", b"on") | ("datadir+", _) => return None,
                ("upperdir", _) => layers.upper = Some(PathBuf::from(value)),
                ("lowerdir", _) => layers.lower.extend(listed(&value)?),
                ("lowerdir+", _) => layers.lower.push(PathBuf::from(value)),
                _ => {}
            }
        }
        let are_known = layers.upper.iter().chain(&layers.lower).all(|path| path.is_absolute());
        are_known.then_some(layers)
    }
}

/// The lower layers, with `:` between them and `\:` for a colon. Two colons come before layers of
/// data without names.
fn listed(value: &OsStr) -> Option<Vec<PathBuf>> {
    let mut paths = vec![Vec::new()];
    let mut bytes = value.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        let last = paths.last_mut()?;
        match byte {
            b'\\' => last.push(*bytes.next()?),
            b':' => paths.push(Vec::new()),
            _ => last.push(byte),
        }
    }
    let path = |bytes: &Vec<u8>| {
        (!bytes.is_empty()).then(|| Path::new(&OsString::from(OsStr::from_bytes(bytes))).to_path_buf())
    };
    paths.iter().map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(options: &str) -> Option<Layers> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("proc/self")).unwrap();
        let line = format!("44 27 0:39 / /ov rw,relatime - overlay overlay {options}\n");
        std::fs::write(dir.path().join("proc/self/mountinfo"), line).unwrap();
        Layers::of(&own_mounts(&Root::recorded(dir.path())).unwrap()[0])
    }

    #[test]
    fn layers_as_the_mount_table_writes_them() {
        let found = layers(r"rw,lowerdir=/a:/b\134:c:/d\040e,upperdir=/u\054v,workdir=/w").unwrap();
        assert_eq!(found.upper, Some(PathBuf::from("/u,v")));
        assert_eq!(found.lower, [Path::new("/a"), Path::new("/b:c"), Path::new("/d e")]);
        let found = layers("ro,lowerdir+=/a,lowerdir+=/b").unwrap();
        assert_eq!((found.upper, found.lower.len()), (None, 2));
    }

    #[test]
    fn layers_that_cannot_be_known() {
        assert_eq!(layers("rw,lowerdir=lo,upperdir=/u"), None);
        assert_eq!(layers("rw,lowerdir=/a,metacopy=on"), None);
        assert_eq!(layers("ro,lowerdir=/a::/data"), None);
    }
}
