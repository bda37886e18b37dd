//! A machine as a directory: `/`, or one that was recorded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::place::{PathSpec, error_code, follow};
use super::silent;
use crate::bounded;

/// In a recorded tree: paths that were there and could not be read, one per
/// line with the error's name, as `/proc/kcore EACCES`.
const UNREADABLE: &str = ".fathom/unreadable";

/// The directory, and what is known of it in addition to its files.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    /// For a recorded tree: the paths that could not be read when it was recorded.
    unreadable: BTreeMap<PathBuf, i32>,
}

impl Directory {
    pub(super) fn live() -> Self {
        Self { path: PathBuf::from("/"), unreadable: BTreeMap::new() }
    }

    pub(super) fn recorded(path: PathBuf) -> Self {
        let mut recorded = Self { path, unreadable: BTreeMap::new() };
        let list = recorded.within(&Path::new("/").join(UNREADABLE));
        let list = list.and_then(|list| bounded::file(&list, bounded::SETTINGS_MAX_BYTES));
        recorded.unreadable = unreadable(&String::from_utf8_lossy(&list.unwrap_or_default()));
        recorded
    }

    /// What is recorded may come from a stranger; the kernel's files may be of
    /// any kind.
    fn is_live(&self) -> bool {
        self.path == Path::new("/")
    }

    fn at(&self, absolute: &Path) -> PathBuf {
        self.path.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// Our path of what the path leads to. In a recorded tree every link is followed within the tree, as the machine itself
    /// followed it: a stranger's link does not lead to a file of this machine.
    fn within(&self, absolute: &Path) -> io::Result<PathBuf> {
        match self.is_live() {
            true => Ok(self.at(absolute)),
            false => Ok(self.at(&follow(absolute, |at| Ok(fs::read_link(self.at(at)).ok()))?)),
        }
    }

    fn refused(&self, absolute: &Path) -> io::Result<()> {
        let code = self.unreadable.get(absolute);
        code.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(*code)))
    }
}

impl PathSpec for Directory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.refused(path)?;
        match self.is_live() {
            true => {
                silent::refuse(path)?;
                fs::read(path)
            }
            false => bounded::file(&self.within(path)?, bounded::SETTINGS_MAX_BYTES),
        }
    }

    /// With those that could not be read when the tree was recorded.
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.refused(path)?;
        let there = fs::read_dir(self.within(path)?)?.flatten().map(|entry| entry.file_name());
        let refused = self.unreadable.keys().filter(|refused| refused.parent() == Some(path));
        let refused = refused.filter_map(|path| path.file_name().map(ToOwned::to_owned));
        // A kernel gives only names that are plain text. A directory that somebody made may hold
        // others, which could not be found again.
        let plain = |name: OsString| name.into_string().ok().filter(|n| !n.chars().any(char::is_control));
        Ok(there.chain(refused).filter_map(plain).collect())
    }

    fn exists(&self, path: &Path) -> bool {
        self.unreadable.contains_key(path) || self.at(path).symlink_metadata().is_ok()
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.within(path).is_ok_and(|path| path.is_dir())
    }

    fn mode(&self, path: &Path) -> io::Result<u32> {
        Ok(fs::metadata(self.within(path)?)?.mode())
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(self.at(path))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let base = self.path.canonicalize()?;
        let ours = self.at(path).canonicalize()?;
        match ours.strip_prefix(&base) {
            Ok(rest) => Ok(Path::new("/").join(rest)),
            Err(_) => Err(io::Error::other(format!("leads out of the tree, to {}", ours.display()))),
        }
    }
}

fn unreadable(list: &str) -> BTreeMap<PathBuf, i32> {
    let entry = |line: &str| {
        let (path, name) = line.rsplit_once(' ')?;
        Some((PathBuf::from(path), error_code(name)))
    };
    list.lines().filter_map(entry).collect()
}
