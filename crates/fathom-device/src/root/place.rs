//! Where a machine's files are: what the two kinds of places have in common.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Answers as a file system does, for absolute paths of the machine described.
pub(super) trait PathSpec: fmt::Debug + Send + Sync {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Its first bytes, at most `len_bytes` of them.
    fn read_first(&self, path: &Path, len_bytes: usize) -> io::Result<Vec<u8>> {
        self.read(path).map(|bytes| bytes.into_iter().take(len_bytes).collect())
    }
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Whether there is anything, a link at the end not followed.
    fn exists(&self, path: &Path) -> bool;
    fn is_dir(&self, path: &Path) -> bool;
    /// Permission bits; the bits above them depend on the place.
    fn mode(&self, path: &Path) -> io::Result<u32>;
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
}

/// Error names that a recorded tree may hold; any other is taken for EIO.
pub const ERRORS: [(&str, i32); 7] = [
    ("EACCES", libc::EACCES),
    ("EPERM", libc::EPERM),
    ("EIO", libc::EIO),
    ("EINVAL", libc::EINVAL),
    ("ENODEV", libc::ENODEV),
    ("EOPNOTSUPP", libc::EOPNOTSUPP),
    ("ENODATA", libc::ENODATA),
];

pub(super) fn error_code(name: &str) -> i32 {
    ERRORS.iter().find(|(known, _)| *known == name).map_or(libc::EIO, |(_, code)| *code)
}

/// Links on one path before it is taken for a loop, as the kernel counts.
const LINKS_MAX: usize = 40;

/// Where a path ends once all links on it are followed, as a file system does
/// it. `leads` tells where the link at a path leads, and `None` of what is none.
///
/// # Errors
/// What `leads` says; ELOOP for a loop.
pub fn follow(
    path: &Path,
    mut leads: impl FnMut(&Path) -> io::Result<Option<PathBuf>>,
) -> io::Result<PathBuf> {
    let mut left = names(path);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(name) = left.pop() {
        if name == ".." {
            at.pop();
            continue;
        }
        at.push(name);
        let Some(to) = leads(&at)? else { continue };
        links += 1;
        if links > LINKS_MAX {
            return Err(io::Error::from_raw_os_error(libc::ELOOP));
        }
        at.pop();
        if to.is_absolute() {
            at = PathBuf::from("/");
        }
        left.extend(names(&to));
    }
    Ok(at)
}

/// The names of a path, the last first: what is left of it for a walk that
/// follows links itself.
fn names(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    let names = parts.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    names.map(|part| part.as_os_str().to_owned()).collect()
}
