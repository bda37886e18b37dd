//! Where `/sys`, `/proc`, `/dev` and `/run` are.
//!
//! Every reader takes a [`Root`], so that a recorded tree of another machine
//! answers exactly like the live one. Nothing here writes.

mod held;
mod trace;
mod unknown;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use crate::device::DevNumber;
use crate::tree::Tree;

use held::Held;

pub use trace::{Touched, Trace};
pub use unknown::{Unknown, Why};

/// Links followed by hand before a recorded tree is taken for a loop; the
/// kernel's own limit is 40, udev's links are one deep.
const LINKS_MAX: usize = 8;

/// Where a recorded tree keeps what is no file of the machine described:
/// answers to questions, earlier counters, the list of unreadable paths.
pub const BESIDE: &str = "/.fathom";

/// In a recorded tree: paths that were there and could not be read, one per
/// line with the error's name, as `/proc/kcore EACCES`.
const UNREADABLE: &str = "/.fathom/unreadable";

/// Where a machine is read: `/` for the one we run on, else a recorded one,
/// as a directory or in memory.
#[derive(Debug, Clone)]
pub struct Root {
    place: Place,
    /// Where somebody wants to know what is read.
    trace: Option<Trace>,
}

#[derive(Debug, Clone)]
enum Place {
    Directory {
        path: PathBuf,
        /// Of a recorded tree: what could not be read when it was recorded.
        unreadable: Arc<BTreeMap<PathBuf, i32>>,
    },
    Held(Arc<Held>),
}

/// Where a recorded machine in memory seems to lie, for readers that ask the
/// file system itself: nowhere.
const NOWHERE: &str = "/proc/self/no-such-machine";

/// Two roots are the same if they lie at the same place.
impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        match (&self.place, &other.place) {
            (Place::Directory { path, .. }, Place::Directory { path: other, .. }) => path == other,
            (Place::Held(held), Place::Held(other)) => Arc::ptr_eq(held, other),
            _ => false,
        }
    }
}

impl Eq for Root {}

impl Root {
    /// This machine.
    pub fn live() -> Self {
        Self { place: Place::Directory { path: PathBuf::from("/"), unreadable: Arc::default() }, trace: None }
    }

    /// A recorded tree in a directory.
    pub fn recorded(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let list = fs::read_to_string(path.join(&UNREADABLE[1..])).unwrap_or_default();
        Self { place: Place::Directory { path, unreadable: Arc::new(unreadable(&list)) }, trace: None }
    }

    /// A recorded tree in memory. Nothing in it can lead a reader out of it.
    pub fn held(tree: &Tree) -> Self {
        Self { place: Place::Held(Arc::new(Held::new(tree))), trace: None }
    }

    /// The same, writing down everything that is read through it.
    pub fn traced(&self) -> (Self, Trace) {
        let trace = Trace::default();
        (Self { trace: Some(trace.clone()), ..self.clone() }, trace)
    }

    /// Whether this is the machine we run on.
    pub fn is_live(&self) -> bool {
        matches!(&self.place, Place::Directory { path, .. } if path == Path::new("/"))
    }

    /// Where `absolute` (a path of the machine described) is for us.
    pub fn at(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.directory().join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// The path on the machine described of a path of ours; the inverse of
    /// [`Root::at`].
    pub fn named(&self, ours: &Path) -> PathBuf {
        match ours.strip_prefix(self.directory()) {
            Ok(rest) => Path::new("/").join(rest),
            Err(_) => ours.to_path_buf(),
        }
    }

    /// The bytes of a file.
    pub fn read_bytes(&self, absolute: impl AsRef<Path>) -> Result<Vec<u8>, Unknown> {
        let absolute = absolute.as_ref();
        let bytes = match &self.place {
            Place::Held(held) => held.read(absolute),
            Place::Directory { .. } => {
                self.recorded_error(absolute).map_or_else(|| fs::read(self.at(absolute)), Err)
            }
        };
        self.note(|trace| trace.file(absolute, &bytes));
        bytes.map_err(|e| Unknown::from_io(absolute, &e))
    }

    /// The text of a file without surrounding white space. Bytes that are
    /// not UTF-8 are replaced, because serials and paths may hold any.
    pub fn read_text(&self, absolute: impl AsRef<Path>) -> Result<String, Unknown> {
        let bytes = self.read_bytes(absolute)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The number (or other value) that a file holds.
    pub fn read_value<T: FromStr>(&self, absolute: impl AsRef<Path>) -> Result<T, Unknown> {
        let absolute = absolute.as_ref();
        let text = self.read_text(absolute)?;
        text.parse().map_err(|_| Unknown::garbled(absolute, &text))
    }

    /// Whether there is anything at the path, readable or not.
    pub fn exists(&self, absolute: impl AsRef<Path>) -> bool {
        self.note(|trace| trace.place(absolute.as_ref()));
        match &self.place {
            Place::Held(held) => held.exists(absolute.as_ref()),
            Place::Directory { unreadable, .. } => {
                unreadable.contains_key(absolute.as_ref()) || self.at(absolute).symlink_metadata().is_ok()
            }
        }
    }

    /// Whether it is a directory, links followed.
    pub fn is_dir(&self, absolute: impl AsRef<Path>) -> bool {
        match &self.place {
            Place::Held(held) => held.list(absolute.as_ref()).is_ok(),
            Place::Directory { .. } => self.at(absolute).is_dir(),
        }
    }

    /// The permission bits (`0o644`) of a file. Some kernels say by them what
    /// may be set: a managed interrupt's affinity is 0444.
    pub fn mode(&self, absolute: impl AsRef<Path>) -> Result<u32, Unknown> {
        let absolute = absolute.as_ref();
        let mode = match &self.place {
            Place::Held(held) => held.mode(absolute),
            Place::Directory { .. } => fs::metadata(self.at(absolute)).map(|meta| meta.mode()),
        };
        let mode = mode.map_err(|e| Unknown::from_io(absolute, &e))? & 0o7777;
        if self.trace.is_some() {
            // A file cannot be recorded with its permissions and no content.
            let _ = self.read_bytes(absolute);
        }
        self.note(|trace| trace.mode(absolute, mode));
        Ok(mode)
    }

    /// Where the link at the path leads, as it is written there.
    pub fn read_link(&self, absolute: impl AsRef<Path>) -> Result<PathBuf, Unknown> {
        let absolute = absolute.as_ref();
        self.note(|trace| trace.place(absolute));
        let target = match &self.place {
            Place::Held(held) => held.read_link(absolute),
            Place::Directory { .. } => fs::read_link(self.at(absolute)),
        };
        target.map_err(|e| Unknown::from_io(absolute, &e))
    }

    /// The last part of what the link at the path leads to: the driver, the
    /// subsystem, the group.
    pub fn link_name(&self, absolute: impl AsRef<Path>) -> Result<String, Unknown> {
        let link = self.read_link(&absolute)?;
        let name = link.file_name().map(|name| name.to_string_lossy().into_owned());
        name.ok_or_else(|| Unknown::garbled(absolute.as_ref(), &link.to_string_lossy()))
    }

    /// The path with every link in it resolved, within the tree.
    pub fn resolve(&self, absolute: impl AsRef<Path>) -> Result<PathBuf, Unknown> {
        let absolute = absolute.as_ref();
        self.note(|trace| trace.place(absolute));
        let Place::Directory { path, .. } = &self.place else {
            return self.resolve_held(absolute).map_err(|e| Unknown::from_io(absolute, &e));
        };
        let base = path.canonicalize().map_err(|e| Unknown::from_io(absolute, &e))?;
        let ours = self.at(absolute).canonicalize().map_err(|e| Unknown::from_io(absolute, &e))?;
        match ours.strip_prefix(&base) {
            Ok(rest) => Ok(Path::new("/").join(rest)),
            Err(_) => Err(Unknown::garbled(absolute, &ours.to_string_lossy())),
        }
    }

    fn resolve_held(&self, absolute: &Path) -> io::Result<PathBuf> {
        match &self.place {
            Place::Held(held) => held.resolve(absolute),
            Place::Directory { .. } => Ok(absolute.to_path_buf()),
        }
    }

    fn directory(&self) -> &Path {
        match &self.place {
            Place::Held(_) => Path::new(NOWHERE),
            Place::Directory { path, .. } => path,
        }
    }

    pub(crate) fn note(&self, write: impl FnOnce(&Trace)) {
        if let Some(trace) = &self.trace {
            write(trace);
        }
    }

    fn recorded_error(&self, absolute: &Path) -> Option<io::Error> {
        let Place::Directory { unreadable, .. } = &self.place else {
            return None;
        };
        unreadable.get(absolute).map(|code| io::Error::from_raw_os_error(*code))
    }

    /// The names in a directory of the file system, with those that could not
    /// be read when the tree was recorded.
    fn listed(&self, dir: &Path) -> io::Result<Vec<String>> {
        let Place::Directory { unreadable, .. } = &self.place else {
            return Ok(Vec::new());
        };
        let entries = self.recorded_error(dir).map_or_else(|| fs::read_dir(self.at(dir)), Err)?;
        let there = entries.flatten().map(|entry| entry.file_name());
        let refused = unreadable.keys().filter(|path| path.parent() == Some(dir));
        let refused = refused.filter_map(|path| path.file_name().map(ToOwned::to_owned));
        Ok(there.chain(refused).map(|name| name.to_string_lossy().into_owned()).collect())
    }

    /// The names in a directory, sorted.
    pub fn list(&self, absolute: impl AsRef<Path>) -> Result<Vec<String>, Unknown> {
        let absolute = absolute.as_ref();
        self.note(|trace| trace.directory(absolute));
        let names = match &self.place {
            Place::Held(held) => held.list(absolute),
            Place::Directory { .. } => self.listed(absolute),
        };
        let mut names = names.map_err(|e| Unknown::from_io(absolute, &e))?;
        names.sort();
        Ok(names)
    }

    /// The block device that a path (a node, or a link to one) stands for.
    ///
    /// A recorded tree has no device nodes, so there the name is looked up in
    /// `/sys/class/block`, as it is for a live node that has vanished.
    pub fn block_number_of(&self, path: &Path) -> Option<DevNumber> {
        if self.is_live()
            && let Ok(meta) = fs::metadata(path)
        {
            let is_block = meta.file_type().is_block_device();
            return is_block.then(|| DevNumber::from_raw(meta.rdev()));
        }
        let node = self.follow(path);
        if !node.starts_with("/dev") {
            return None;
        }
        let name = node.file_name()?.to_str()?.to_owned();
        self.block_number_named(&name).or_else(|| self.mapped_number(&name))
    }

    /// The number of the block device with this kernel name.
    pub fn block_number_named(&self, name: &str) -> Option<DevNumber> {
        let name = name.replace('/', "!");
        self.read_value(format!("/sys/class/block/{name}/dev")).ok()
    }

    /// The number of the device-mapper device that `/dev/mapper/NAME` means.
    fn mapped_number(&self, name: &str) -> Option<DevNumber> {
        let disks = self.list("/sys/class/block").ok()?;
        let dm = disks.iter().find(|disk| {
            let text = self.read_text(format!("/sys/class/block/{disk}/dm/name"));
            text.is_ok_and(|text| text == name)
        })?;
        self.block_number_named(dm)
    }

    fn follow(&self, path: &Path) -> PathBuf {
        let mut path = path.to_path_buf();
        for _ in 0..LINKS_MAX {
            let Ok(link) = self.read_link(&path) else {
                break;
            };
            let base = path.parent().unwrap_or(Path::new("/")).to_path_buf();
            path = normalise(&base.join(link));
        }
        path
    }
}

/// Error names that a recorded tree may hold; any other is taken for EIO.
pub(crate) const ERRORS: [(&str, i32); 7] = [
    ("EACCES", libc::EACCES),
    ("EPERM", libc::EPERM),
    ("EIO", libc::EIO),
    ("EINVAL", libc::EINVAL),
    ("ENODEV", libc::ENODEV),
    ("EOPNOTSUPP", libc::EOPNOTSUPP),
    ("ENODATA", libc::ENODATA),
];

/// The number of an error by its name.
fn error_code(name: &str) -> i32 {
    ERRORS.iter().find(|(known, _)| *known == name).map_or(libc::EIO, |(_, code)| *code)
}

fn unreadable(list: &str) -> BTreeMap<PathBuf, i32> {
    let entry = |line: &str| {
        let (path, name) = line.rsplit_once(' ')?;
        Some((PathBuf::from(path), error_code(name)))
    };
    list.lines().filter_map(entry).collect()
}

/// `a/b/../c` as `a/c`, without asking the file system.
fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part == std::path::Component::ParentDir {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_unknown_with_its_own_path() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::recorded(dir.path());
        let unknown = root.read_text("/sys/block/sda/size").unwrap_err();
        assert_eq!(unknown.path, Path::new("/sys/block/sda/size"));
        assert!(unknown.reason.contains("No such file"));
    }

    #[test]
    fn garbage_is_unknown_and_quoted() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("size"), "many\n").unwrap();
        let root = Root::recorded(dir.path());
        let unknown = root.read_value::<u64>("/size").unwrap_err();
        assert_eq!(unknown.reason, "unexpected text \"many\"");
    }

    #[test]
    fn links_resolve_within_the_recorded_tree() {
        let dir = tempfile::tempdir().unwrap();
        let class = dir.path().join("sys/class/block/sdb");
        fs::create_dir_all(&class).unwrap();
        fs::write(class.join("dev"), "8:16\n").unwrap();
        let by_id = dir.path().join("dev/disk/by-id");
        fs::create_dir_all(&by_id).unwrap();
        std::os::unix::fs::symlink("../../sdb", by_id.join("ata-X")).unwrap();
        let root = Root::recorded(dir.path());
        let number = root.block_number_of(Path::new("/dev/disk/by-id/ata-X"));
        assert_eq!(number, Some(DevNumber { major: 8, minor: 16 }));
    }
}
