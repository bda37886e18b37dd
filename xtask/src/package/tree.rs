//! The files of the package, as they will be installed.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{capture, command};

/// A directory that becomes the root of a package.
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// An empty tree. What was there is removed.
    pub fn new(root: PathBuf) -> Result<Tree, String> {
        let renew = || {
            if root.exists() {
                fs::remove_dir_all(&root)?;
            }
            fs::create_dir_all(&root)?;
            fs::set_permissions(&root, Permissions::from_mode(0o755))
        };
        renew().map_err(|e| format!("{}: {e}", root.display()))?;
        Ok(Tree { root })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Puts a file that everybody may read.
    pub fn file(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.put(path, bytes, 0o644).map_err(|e| format!("{path}: {e}"))
    }

    /// Puts a program.
    pub fn program(&self, path: &str, source: &Path) -> Result<(), String> {
        let bytes = fs::read(source).map_err(|e| format!("{}: {e}", source.display()))?;
        self.put(path, &bytes, 0o755).map_err(|e| format!("{path}: {e}"))
    }

    /// Puts a compressed file; `.gz` is added to its name.
    pub fn compressed(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.file(&format!("{path}.gz"), &gzip(bytes)?)
    }

    fn put(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        let path = self.root.join(path);
        let mut above = path.parent();
        fs::create_dir_all(above.unwrap_or(&self.root))?;
        while let Some(directory) = above.filter(|directory| directory.starts_with(&self.root)) {
            fs::set_permissions(directory, Permissions::from_mode(0o755))?;
            above = directory.parent();
        }
        fs::write(&path, bytes)?;
        fs::set_permissions(&path, Permissions::from_mode(mode))
    }

    /// Every file below the root, without those for dpkg, sorted, relative to the root.
    fn files(&self) -> Result<Vec<String>, String> {
        let said = capture(
            command("find", &[".", "-type", "f", "-not", "-path", "./DEBIAN/*"]).current_dir(&self.root),
        )?;
        let mut files: Vec<String> =
            said.lines().map(|line| line.trim_start_matches("./").to_owned()).collect();
        files.sort();
        Ok(files)
    }

    /// The sums by which `dpkg --verify` finds files that were changed.
    pub fn md5sums(&self) -> Result<String, String> {
        capture(command("md5sum", &[]).args(self.files()?).current_dir(&self.root))
    }

    /// Size of all files in KiB, each rounded up as a file system would.
    pub fn size_kib(&self) -> Result<u64, String> {
        let length = |file: &String| fs::metadata(self.root.join(file)).map_or(0, |found| found.len());
        Ok(self.files()?.iter().map(|file| length(file).div_ceil(1024)).sum())
    }
}

/// The bytes as `gzip -9n` packs them: without name and time, so that the same input gives the same output.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let cannot = |e: io::Error| format!("gzip: {e}");
    let mut gzip = Command::new("gzip");
    let child = gzip.arg("-9n").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(cannot)?;
    let mut input = child.stdin.take().expect("it was asked for as a pipe");
    let output = std::thread::scope(|scope| {
        // A pipe holds less than the whole, so it is written while the output is read.
        scope.spawn(move || input.write_all(bytes));
        child.wait_with_output()
    });
    Ok(output.map_err(cannot)?.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_permissions_of_a_package() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::new(dir.path().join("tree")).unwrap();
        tree.file("usr/share/doc/x/a", b"a\n").unwrap();
        tree.compressed("usr/share/doc/x/b", &[b'b'; 200_000]).unwrap();
        tree.file("DEBIAN/control", b"").unwrap();
        let sums = tree.md5sums().unwrap();
        assert_eq!(sums.lines().count(), 2, "{sums}");
        assert!(sums.starts_with("60b725f10c9c85c70d97880dfe8191b3  usr/share/doc/x/a"), "{sums}");
        assert_eq!(tree.size_kib().unwrap(), 2);
        for (path, mode) in [("usr", 0o755), ("usr/share/doc/x/b.gz", 0o644)] {
            let found = fs::metadata(tree.root().join(path)).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{path}");
        }
    }
}
