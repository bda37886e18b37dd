//! Everything of a directory that no reading command may change.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What is at a path, without the time of its last reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Kind and permissions.
    pub mode: u32,
    owner: [u32; 2],
    inode: u64,
    length: u64,
    /// Seconds and nanoseconds. A directory has none, because a page may be made in it.
    modified: [i64; 2],
    /// A checksum of the content, or of where a link leads; 0 of what is neither, and of a file that is long.
    pub content: u32,
}

/// Longer files are sparse.
const CONTENT_MAX_BYTES: u64 = 64 << 20;

impl Entry {
    pub fn is_dir(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    fn of(path: &Path, meta: &Metadata) -> Entry {
        let content = match meta.file_type() {
            kind if kind.is_symlink() => fs::read_link(path).unwrap().into_os_string().into_encoded_bytes(),
            kind if kind.is_file() && meta.len() <= CONTENT_MAX_BYTES => unnoticed(path),
            _ => Vec::new(),
        };
        let is_dir = meta.is_dir();
        Entry {
            mode: meta.mode(),
            owner: [meta.uid(), meta.gid()],
            inode: meta.ino(),
            length: if is_dir { 0 } else { meta.len() },
            modified: if is_dir { [0, 0] } else { [meta.mtime(), meta.mtime_nsec()] },
            content: crc32fast::hash(&content),
        }
    }

    /// Is it the same kind of thing with the same content?
    pub fn holds_the_same(&self, other: &Entry) -> bool {
        let of = |entry: &Entry| (entry.mode & 0o170_000, entry.length, entry.content);
        of(self) == of(other)
    }
}

/// Reads a file without a new time of its last reading.
fn unnoticed(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = File::options().read(true).custom_flags(libc::O_NOATIME).open(path);
    file.unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// The directory itself and all that is below it, by the path from it.
pub fn state(dir: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut found = BTreeMap::new();
    add(dir, Path::new(""), &mut found);
    found
}

fn add(dir: &Path, below: &Path, found: &mut BTreeMap<PathBuf, Entry>) {
    let path = dir.join(below);
    let Ok(meta) = fs::symlink_metadata(&path) else { return };
    found.insert(below.to_owned(), Entry::of(&path, &meta));
    if meta.is_dir() {
        for entry in fs::read_dir(&path).unwrap() {
            add(dir, &below.join(entry.unwrap().file_name()), found);
        }
    }
}

/// What differs between two states, in a line; `None` where nothing does.
pub fn difference(before: &BTreeMap<PathBuf, Entry>, after: &BTreeMap<PathBuf, Entry>) -> Option<String> {
    let changed = before.iter().filter_map(|(path, entry)| match after.get(path) {
        None => Some(format!("{} is gone", path.display())),
        Some(now) if now != entry => Some(format!("{} was {entry:?} and is {now:?}", path.display())),
        Some(_) => None,
    });
    let new = after.keys().filter(|path| !before.contains_key(*path));
    let new = new.map(|path| format!("{} is new", path.display()));
    changed.chain(new).reduce(|all, one| format!("{all}; {one}"))
}
