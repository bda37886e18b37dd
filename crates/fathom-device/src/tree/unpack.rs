//! Tree to directory, so that every reader finds files where it looks.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{Tree, TreeEntry};
use crate::root::{BESIDE, Root};

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

impl Tree {
    /// Writes the tree into a new temporary directory.
    pub fn unpack(&self) -> io::Result<Unpacked> {
        let dir = tempfile::tempdir()?;
        let mut unreadable = String::new();
        for (path, entry) in self.iter() {
            if let Some(link) = self.link_above(path) {
                let said =
                    format!("{} is below {}, which is not a directory", path.display(), link.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, said));
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
        Ok(Unpacked { dir })
    }

    /// The link (or file) at a place where the path needs a directory. Writing through it could
    /// lead out of the tree.
    fn link_above(&self, path: &Path) -> Option<PathBuf> {
        let above = path.ancestors().skip(1);
        let mut entries = above.filter_map(|path| Some((path, self.get(path)?)));
        let (path, _) = entries.find(|(_, entry)| !matches!(entry, TreeEntry::Directory))?;
        Some(path.to_path_buf())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Why;

    fn unpacked(text: &str) -> Unpacked {
        Tree::parse(&format!("fathom-tree 1\n{text}")).unwrap().unpack().unwrap()
    }

    #[test]
    fn readers_find_what_the_text_says() {
        let tree =
            unpacked("/sys/a/size = 7\n/sys/b -> /sys/a\n/x/mode 0444 = ff\n/secret !EACCES\n/empty/\n");
        let root = tree.root();
        assert_eq!(root.read_value::<u32>("/sys/b/size").unwrap(), 7);
        assert_eq!(root.mode("/x/mode").unwrap(), 0o444);
        assert_eq!(root.read_text("/secret").unwrap_err().why, Why::Denied);
        assert_eq!(root.read_text("/none").unwrap_err().why, Why::Missing);
        assert_eq!(root.list("/empty").unwrap(), Vec::<String>::new());
        assert_eq!(root.resolve("/sys/b/size").unwrap(), Path::new("/sys/a/size"));
        assert!(root.exists("/secret"));
    }

    #[test]
    fn a_tree_cannot_reach_outside() {
        let (deep, long) = (format!("{} = 1", "/a".repeat(65)), format!("/{} = 1", "a".repeat(4096)));
        for path in ["/../x = 1", "x = 1", "/a/../../b = 1", &deep, &long] {
            assert!(Tree::parse(&format!("fathom-tree 1\n{path}\n")).is_err(), "{path}");
        }
        assert!(Tree::parse("other\n").is_err());
    }

    #[test]
    fn what_is_taken_away_is_found_without_looking_at_the_rest() {
        let (given, gone): (String, String) = (0..60_000)
            .map(|n| (format!("/sys/{n}/a = 1\n/sys/{n}-b = 1\n"), format!("-/sys/{n}\n")))
            .unzip();
        let tree = Tree::parse(&format!("fathom-tree 1\n{given}{gone}")).unwrap();
        assert_eq!(tree.len(), 60_000);
        assert!(tree.iter().all(|(path, _)| path.to_string_lossy().ends_with("-b")));
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let outside = tempfile::tempdir().unwrap();
        let text = format!("fathom-tree 1\n/a -> ../../../../../..{}\n/a/x = 1\n", outside.path().display());
        assert!(Tree::parse(&text).unwrap().unpack().is_err());
        assert!(!outside.path().join("x").exists());
    }

    #[test]
    fn an_overlay_takes_away_what_lies_below() {
        let mut tree = Tree::parse("fathom-tree 1\n/a/b = 1\n/a/c = 2\n/ab = 3\n").unwrap();
        tree.overlay("-/a\n/ab = 4\n").unwrap();
        let left: Vec<_> = tree.iter().collect();
        assert_eq!(left, [(Path::new("/ab"), &TreeEntry::text("4"))]);
    }
}
