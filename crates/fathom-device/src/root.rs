//! Where `/sys`, `/proc`, `/dev` and `/run` are.
//!
//! Every reader takes a [`Root`], so that a recorded tree of another machine
//! answers exactly like the live one. Nothing here writes.

mod directory;
mod in_memory;
mod place;

use crate::device::DevNumber;
use crate::tree::Tree;
use directory::Directory;
use in_memory::Held;
use place::PathSpec;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::{fs, io};

pub use place::{ERRORS, follow};

/// Where a recorded tree keeps what is not a file of the machine described: answers to questions,
/// earlier counters, the list of unreadable paths.
pub const BESIDE: &str = "/.fathom";

/// Where a machine is read: `/` for the one we run on, else a recorded one,
/// as a directory or in memory.
#[derive(Debug, Clone)]
pub struct Root {
    place: Arc<dyn PathSpec>,
    /// The path of the place in our own file system.
    path: PathBuf,
    trace: Option<Trace>,
}

/// The path of a recorded machine in memory, for readers that ask the file system itself: it does
/// not exist.
const NOWHERE: &str = "/proc/self/no-such-machine";

/// Two roots are the same if they lie at the same place.
impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        let is_held = self.path == Path::new(NOWHERE);
        self.path == other.path && (!is_held || Arc::ptr_eq(&self.place, &other.place))
    }
}

impl Eq for Root {}

impl Root {
    /// This machine.
    pub fn live() -> Self {
        Self::in_directory(Directory::live())
    }

    /// A recorded tree in a directory.
    pub fn recorded(path: impl Into<PathBuf>) -> Self {
        Self::in_directory(Directory::recorded(path.into()))
    }

    fn in_directory(directory: Directory) -> Self {
        let path = directory.path.clone();
        Self { place: Arc::new(directory), path, trace: None }
    }

    /// A recorded tree in memory. Nothing in it can lead a reader out of it.
    pub fn held(tree: &Tree) -> Self {
        Self { place: Arc::new(Held::new(tree)), path: PathBuf::from(NOWHERE), trace: None }
    }

    /// The same root, with a record of everything that is read through it.
    pub fn traced(&self) -> (Self, Trace) {
        let trace = Trace::default();
        (Self { trace: Some(trace.clone()), ..self.clone() }, trace)
    }

    /// Whether this is the machine we run on.
    pub fn is_live(&self) -> bool {
        self.path == Path::new("/")
    }

    /// Our own path for `absolute`, a path of the machine described.
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
        let bytes = self.place.read(absolute);
        self.note(|trace| trace.file(absolute, &bytes));
        bytes.map_err(|e| Unknown::from_io(absolute, &e))
    }

    /// The first bytes of a file, at most `len_bytes` of them, for a file that the machine makes byte by byte as it is read.
    pub fn read_first(&self, absolute: impl AsRef<Path>, len_bytes: usize) -> Result<Vec<u8>, Unknown> {
        let absolute = absolute.as_ref();
        let bytes = self.place.read_first(absolute, len_bytes);
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
        self.place.exists(absolute.as_ref())
    }

    /// Whether it is a directory, links followed.
    pub fn is_dir(&self, absolute: impl AsRef<Path>) -> bool {
        self.place.is_dir(absolute.as_ref())
    }

    /// The permission bits (`0o644`) of a file. Some kernels say by them what
    /// may be set: a managed interrupt's affinity is 0444.
    pub fn mode(&self, absolute: impl AsRef<Path>) -> Result<u32, Unknown> {
        let absolute = absolute.as_ref();
        let mode = self.place.mode(absolute).map_err(|e| Unknown::from_io(absolute, &e))? & 0o7777;
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
        self.place.read_link(absolute).map_err(|e| Unknown::from_io(absolute, &e))
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
        self.place.resolve(absolute).map_err(|e| Unknown::from_io(absolute, &e))
    }

    pub(crate) fn note(&self, write: impl FnOnce(&Trace)) {
        if let Some(trace) = &self.trace {
            write(trace);
        }
    }

    /// The names in a directory, sorted.
    pub fn list(&self, absolute: impl AsRef<Path>) -> Result<Vec<String>, Unknown> {
        let absolute = absolute.as_ref();
        self.note(|trace| trace.directory(absolute));
        let mut names = self.place.list(absolute).map_err(|e| Unknown::from_io(absolute, &e))?;
        names.sort();
        Ok(names)
    }

    /// The numbers behind `prefix` among the names in a directory, in order; none where it cannot
    /// be listed.
    pub fn numbers(&self, absolute: impl AsRef<Path>, prefix: &str) -> Vec<u32> {
        let names = self.list(absolute).unwrap_or_default();
        let numbers = names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }

    /// The block device to which a path (a node, or a link to one) leads.
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
        if !node.starts_with("/dev") || path.is_relative() {
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

    /// The path with every link on it followed that is there.
    fn follow(&self, path: &Path) -> PathBuf {
        self.note(|trace| trace.place(path));
        let real = follow(path, |at| Ok(self.place.read_link(at).ok()));
        real.unwrap_or_else(|_| path.to_path_buf())
    }
}

// What was read through a root.
//
// A capture must hold what the readers read, no more (a person will look through it) and no less
// (otherwise a check would give another result). A list kept by hand would soon be wrong, so the
// readers record it themselves.

/// The bytes that a read gave, or the number of its error.
type ReadOutcome = Result<Vec<u8>, i32>;

/// Everything that was touched, by path.
#[derive(Debug, Default, Clone)]
pub struct Touched {
    /// Files and answers to questions, as they were at the first reading.
    pub files: BTreeMap<PathBuf, ReadOutcome>,
    /// Permissions that were asked for.
    pub modes: BTreeMap<PathBuf, u32>,
    /// Directories that were listed.
    pub directories: BTreeSet<PathBuf>,
    /// Paths of which somebody wanted to know whether they are there, or where
    /// they lead.
    pub places: BTreeSet<PathBuf>,
}

/// A shared record of what is touched.
#[derive(Debug, Default, Clone)]
pub struct Trace {
    touched: Arc<Mutex<Touched>>,
}

impl Trace {
    /// What has been touched so far.
    pub fn touched(&self) -> Touched {
        self.lock().clone()
    }

    pub(crate) fn file(&self, path: &Path, bytes: &io::Result<Vec<u8>>) {
        let answer = match bytes {
            Ok(bytes) => Ok(bytes.clone()),
            Err(e) => Err(e.raw_os_error().unwrap_or(libc::EIO)),
        };
        self.lock().files.entry(path.to_path_buf()).or_insert(answer);
    }

    fn mode(&self, path: &Path, mode: u32) {
        self.lock().modes.insert(path.to_path_buf(), mode);
    }

    fn directory(&self, path: &Path) {
        self.lock().directories.insert(path.to_path_buf());
    }

    fn place(&self, path: &Path) {
        self.lock().places.insert(path.to_path_buf());
    }

    fn lock(&self) -> MutexGuard<'_, Touched> {
        self.touched.lock().expect("no one panics with the trace")
    }
}

// A fact that could not be read.
//
// It is a result like any other: "there is no such file" shows the kernel's age, "permission
// denied" shows the user what root could read, and text that is not understood must never be taken
// for a value.

/// The kind of reason for which a fact is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There is no such file: the kernel, driver or machine does not have it.
    Missing,
    /// Reading it needs more rights.
    Denied,
    /// It is there, and says something that is not understood.
    Garbled,
    /// Its owner did not answer in time.
    Silent,
    /// The read failed for another reason.
    #[default]
    Failed,
}

/// A fact that could not be read: where it would have been, and why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("cannot read {path}: {reason}", path = path.display())]
pub struct Unknown {
    /// The path that was tried, as it is named on the machine described.
    #[serde(with = "crate::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// What the kernel or the parser said.
    pub reason: String,
    /// The kind of reason.
    #[serde(default)]
    pub why: Why,
}

impl Unknown {
    /// A fact that `path` did not give, because of `reason`.
    pub fn new(path: impl Into<PathBuf>, reason: impl std::fmt::Display) -> Self {
        Self { path: path.into(), reason: reason.to_string(), why: Why::Failed }
    }

    /// A fact that the system refused to give.
    pub fn from_io(path: impl Into<PathBuf>, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Why::Missing,
            io::ErrorKind::PermissionDenied => Why::Denied,
            io::ErrorKind::TimedOut => Why::Silent,
            _ => Why::Failed,
        };
        Self { path: path.into(), reason: error.to_string(), why }
    }

    /// A file that is not there.
    pub fn missing(path: impl Into<PathBuf>) -> Self {
        Self::from_io(path, &io::Error::from_raw_os_error(libc::ENOENT))
    }

    /// A fact that the kernel, the driver or the machine does not have.
    pub fn absent(path: impl Into<PathBuf>, reason: impl std::fmt::Display) -> Self {
        Self { why: Why::Missing, ..Self::new(path, reason) }
    }

    /// A file whose `text` is not what such a file holds.
    pub fn garbled(path: &Path, text: &str) -> Self {
        Self { path: path.to_path_buf(), reason: format!("unexpected text {text:?}"), why: Why::Garbled }
    }

    /// Whether more rights would have given the fact.
    pub fn is_denied(&self) -> bool {
        self.why == Why::Denied
    }
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
    fn the_first_bytes_are_the_same_wherever_the_machine_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config");
        fs::write(&path, [7; 300]).unwrap();
        let mut tree = Tree::default();
        tree.insert("/config", crate::tree::TreeEntry::File { bytes: vec![7; 300], mode: None });
        let recorded = Root::recorded(dir.path());
        for (root, path) in [
            (Root::live(), path.as_path()),
            (recorded, "/config".as_ref()),
            (Root::held(&tree), "/config".as_ref()),
        ] {
            assert_eq!(root.read_first(path, 256).unwrap(), [7; 256], "{root:?}");
            assert_eq!(root.read_first(path, 4096).unwrap().len(), 300, "{root:?}");
        }
    }

    /// Neither a link to a file of this machine nor one that climbs out of the tree.
    #[test]
    fn no_link_of_a_recorded_tree_leads_out_of_it() {
        let outside = tempfile::tempdir().unwrap();
        let (tree, secret) = (outside.path().join("tree"), outside.path().join("secret"));
        fs::create_dir_all(tree.join("proc")).unwrap();
        fs::write(&secret, "root:x").unwrap();
        fs::write(tree.join("proc/version"), "Linux").unwrap();
        let link =
            |to: &Path, name: &str| std::os::unix::fs::symlink(to, tree.join("proc").join(name)).unwrap();
        link(&secret, "cmdline");
        link(Path::new("../../secret"), "meminfo");
        link(outside.path(), "away");
        link(Path::new("/proc/version"), "inside");
        let root = Root::recorded(&tree);
        for path in ["/proc/cmdline", "/proc/meminfo", "/proc/away/secret"] {
            assert!(root.read_text(path).is_err(), "{path}");
            assert!(root.mode(path).is_err(), "{path}");
        }
        assert!(!root.is_dir("/proc/away") && root.list("/proc/away").is_err());
        assert_eq!(root.read_text("/proc/inside").unwrap(), "Linux");
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
