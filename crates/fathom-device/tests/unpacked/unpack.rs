//! Tree to directory, for tests that change a recorded machine: what writes to it needs files.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fathom_device::tree::{Tree, TreeEntry};
use fathom_device::{BESIDE, Root};

/// A tree as a directory of its own, removed when this is dropped.
#[derive(Debug)]
pub struct Unpacked {
    dir: tempfile::TempDir,
}

impl Unpacked {
    /// The recorded machine.
    pub fn root(&self) -> Root {
        Root::recorded(self.dir.path())
    }
}

impl Unpacked {
    /// Writes the tree into a new temporary directory.
    pub fn of(tree: &Tree) -> io::Result<Self> {
        let dir = tempfile::tempdir()?;
        let mut unreadable = String::new();
        for (path, entry) in tree.iter() {
            if let Some(link) = link_above(tree, path) {
                let message =
                    format!("{} is below {}, which is not a directory", path.display(), link.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            let there = within(dir.path(), path);
            if let Some(parent) = there.parent() {
                fs::create_dir_all(parent)?;
            }
            match entry {
                TreeEntry::File { bytes, mode } => write(&there, bytes, *mode)?,
                TreeEntry::Link(to) => symlink(relative(path, to), &there)?,
                TreeEntry::Directory => fs::create_dir_all(&there)?,
                TreeEntry::Unreadable(name) => unreadable.push_str(&format!("{} {name}\n", path.display())),
            }
        }
        let beside = within(dir.path(), Path::new(BESIDE));
        fs::create_dir_all(&beside)?;
        fs::write(beside.join("unreadable"), unreadable)?;
        Ok(Self { dir })
    }
}

/// The link (or file) at a place where the path needs a directory. Writing through it could
/// lead out of the tree.
fn link_above(tree: &Tree, path: &Path) -> Option<PathBuf> {
    let above = path.ancestors().skip(1);
    let mut entries = above.filter_map(|path| Some((path, tree.get(path)?)));
    let (path, _) = entries.find(|(_, entry)| !matches!(entry, TreeEntry::Directory))?;
    Some(path.to_path_buf())
}

fn within(dir: &Path, path: &Path) -> PathBuf {
    dir.join(path.strip_prefix("/").unwrap_or(path))
}

fn write(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    fs::write(path, bytes)?;
    mode.map_or(Ok(()), |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)))
}

/// An absolute link would lead out of the directory: it is made to climb to
/// the tree's own root first.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let Ok(rest) = to.strip_prefix("/") else {
        return to.to_path_buf();
    };
    let depth = from.components().count().saturating_sub(2);
    std::iter::repeat_n(Path::new(".."), depth).collect::<PathBuf>().join(rest)
}
