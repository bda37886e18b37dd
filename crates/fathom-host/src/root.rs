//! Where `/sys`, `/proc`, `/dev` and `/run` are.
//!
//! Every reader takes a [`Root`], so that a recorded tree of another machine
//! answers exactly like the live one. Nothing here writes.

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

/// The directory under which the machine's `/sys`, `/proc`, `/dev`, `/run`
/// lie: `/` for this machine, any other directory for a recorded one.
#[derive(Debug, Clone)]
pub struct Root {
    path: PathBuf,
    /// Of a recorded tree: what could not be read when it was recorded.
    unreadable: Arc<BTreeMap<PathBuf, i32>>,
    /// Where somebody wants to know what is read.
    trace: Option<Trace>,
}

/// Two roots are the same if they lie at the same place.
impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for Root {}

impl Root {
    /// This machine.
    pub fn live() -> Self {
        Self { path: PathBuf::from("/"), unreadable: Arc::default(), trace: None }
    }

    /// A recorded tree.
    pub fn recorded(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let list = fs::read_to_string(path.join(&UNREADABLE[1..])).unwrap_or_default();
        Self { path, unreadable: Arc::new(unreadable(&list)), trace: None }
    }

    /// The same, writing down everything that is read through it.
    pub fn traced(&self) -> (Self, Trace) {
        let trace = Trace::default();
        (Self { trace: Some(trace.clone()), ..self.clone() }, trace)
    }

    /// Whether this is the machine we run on.
    pub fn is_live(&self) -> bool {
        self.path == Path::new("/")
    }

    /// Where `absolute` (a path of the machine described) is for us.
    pub fn at(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.path.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// The path on the machine described of a path of ours; the inverse of
    /// [`Root::at`].
    pub fn named(&self, ours: &Path) -> PathBuf {
        match ours.strip_prefix(&self.path) {
            Ok(rest) => Path::new("/").join(rest),
            Err(_) => ours.to_path_buf(),
        }
    }

    /// The bytes of a file.
    pub fn read_bytes(&self, absolute: impl AsRef<Path>) -> Result<Vec<u8>, Unknown> {
        let absolute = absolute.as_ref();
        let bytes = self.recorded_error(absolute).map_or_else(|| fs::read(self.at(absolute)), Err);
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
        self.unreadable.contains_key(absolute.as_ref()) || self.at(absolute).symlink_metadata().is_ok()
    }

    /// The permission bits (`0o644`) of a file. Some kernels say by them what
    /// may be set: a managed interrupt's affinity is 0444.
    pub fn mode(&self, absolute: impl AsRef<Path>) -> Result<u32, Unknown> {
        let absolute = absolute.as_ref();
        let meta = fs::metadata(self.at(absolute)).map_err(|e| Unknown::from_io(absolute, &e))?;
        let mode = meta.mode() & 0o7777;
        self.note(|trace| trace.mode(absolute, mode));
        Ok(mode)
    }

    /// Where the link at the path leads, as it is written there.
    pub fn read_link(&self, absolute: impl AsRef<Path>) -> Result<PathBuf, Unknown> {
        let absolute = absolute.as_ref();
        self.note(|trace| trace.place(absolute));
        fs::read_link(self.at(absolute)).map_err(|e| Unknown::from_io(absolute, &e))
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
        let base = self.path.canonicalize().map_err(|e| Unknown::from_io(absolute, &e))?;
        let ours = self.at(absolute).canonicalize().map_err(|e| Unknown::from_io(absolute, &e))?;
        match ours.strip_prefix(&base) {
            Ok(rest) => Ok(Path::new("/").join(rest)),
            Err(_) => Err(Unknown::garbled(absolute, &ours.to_string_lossy())),
        }
    }

    /// What could not be read when the tree was recorded is in its directory
    /// all the same.
    fn unreadable_in(&self, dir: &Path) -> Vec<String> {
        let below = self.unreadable.keys().filter(|path| path.parent() == Some(dir));
        below.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    }

    pub(crate) fn note(&self, write: impl FnOnce(&Trace)) {
        if let Some(trace) = &self.trace {
            write(trace);
        }
    }

    fn recorded_error(&self, absolute: &Path) -> Option<io::Error> {
        self.unreadable.get(absolute).map(|code| io::Error::from_raw_os_error(*code))
    }

    /// The names in a directory, sorted.
    pub fn list(&self, absolute: impl AsRef<Path>) -> Result<Vec<String>, Unknown> {
        let absolute = absolute.as_ref();
        self.note(|trace| trace.directory(absolute));
        let entries = self.recorded_error(absolute).map_or_else(|| fs::read_dir(self.at(absolute)), Err);
        let entries = entries.map_err(|e| Unknown::from_io(absolute, &e))?;
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.extend(self.unreadable_in(absolute));
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

fn unreadable(list: &str) -> BTreeMap<PathBuf, i32> {
    let entry = |line: &str| {
        let (path, name) = line.rsplit_once(' ')?;
        let known = ERRORS.iter().find(|(known, _)| *known == name);
        Some((PathBuf::from(path), known.map_or(libc::EIO, |(_, code)| *code)))
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
