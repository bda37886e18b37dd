//! The file that an overlay shows, in the layer that holds it.
//!
//! The mount table names the layers by the paths that the mounting process used. So a file that is
//! found there counts only if it has the times of the one that is shown. In a container the layers
//! are often not visible.

use super::FileId;
use super::kind::FsKind;
use super::reach::{find, is_removed, mount_with, seen_by};
use super::view::times;
use crate::device::DevNumber;
use crate::mounts::{Mount, all_mounts, own_mounts, unescape_bytes};
use crate::root::Root;
use crate::sys;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

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
        let layer_file = candidates.iter().find_map(there)?;
        (times(&layer_file.metadata().ok()?) == times(&shown.metadata().ok()?)).then_some(layer_file)
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

/// The directories that an overlay is made of, as its mount names them.
pub(crate) fn layer_paths(mount: &Mount) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (key, value) in named(mount) {
        match key {
            "upperdir" | "lowerdir+" | "datadir+" => paths.push(PathBuf::from(value)),
            // Two colons come before layers of data, and leave an empty name.
            "lowerdir" => paths.extend(split(&value).into_iter().filter(|path| !path.as_os_str().is_empty())),
            _ => {}
        }
    }
    paths
}

/// The options of a mount that have a value, without the escapes of the mount table.
fn named(mount: &Mount) -> impl Iterator<Item = (&str, OsString)> {
    let named = mount.options.split(',').filter_map(|option| option.split_once('='));
    named.map(|(key, value)| (key, unescape_bytes(value.as_bytes())))
}

impl Layers {
    /// `None` for layers that do not hold all of a file, and for paths that
    /// are relative to a directory that nobody knows any more.
    fn of(mount: &Mount) -> Option<Self> {
        let mut layers = Self::default();
        for (key, value) in named(mount) {
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
    let paths = split(value);
    paths.iter().all(|path| !path.as_os_str().is_empty()).then_some(paths)
}

fn split(value: &OsStr) -> Vec<PathBuf> {
    let (mut paths, mut last) = (Vec::new(), Vec::new());
    let mut bytes = value.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => last.extend(bytes.next()),
            b':' => paths.push(std::mem::take(&mut last)),
            _ => last.push(byte),
        }
    }
    paths.push(last);
    paths.into_iter().map(|path| PathBuf::from(OsString::from_vec(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn layers(options: &str) -> Option<Layers> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("proc/self")).unwrap();
        let line = format!("44 27 0:39 / /ov rw,relatime - overlay overlay {options}\n");
        std::fs::write(dir.path().join("proc/self/mountinfo"), line).unwrap();
        Layers::of(&own_mounts(&Root::recorded(dir.path())).unwrap()[0])
    }

    #[test]
    fn layers_as_the_mount_table_writes_them() {
        let layers_read = layers(r"rw,lowerdir=/a:/b\134:c:/d\040e,upperdir=/u\054v,workdir=/w").unwrap();
        assert_eq!(layers_read.upper, Some(PathBuf::from("/u,v")));
        assert_eq!(layers_read.lower, [Path::new("/a"), Path::new("/b:c"), Path::new("/d e")]);
        let layers_read = layers("ro,lowerdir+=/a,lowerdir+=/b").unwrap();
        assert_eq!((layers_read.upper, layers_read.lower.len()), (None, 2));
    }

    #[test]
    fn layers_that_cannot_be_known() {
        assert_eq!(layers("rw,lowerdir=lo,upperdir=/u"), None);
        assert_eq!(layers("rw,lowerdir=/a,metacopy=on"), None);
        assert_eq!(layers("ro,lowerdir=/a::/data"), None);
    }
}
