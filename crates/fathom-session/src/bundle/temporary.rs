//! A directory for temporary files, which is removed on every way out.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A new directory for temporary files; what it holds is removed with the value.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
}

impl TemporaryDirectory {
    /// Makes one that no other user can read, whatever the umask is.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(prefix: &str) -> io::Result<Self> {
        let only_own = Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix(prefix).permissions(only_own).tempdir()?;
        Ok(TemporaryDirectory { path: made.keep() })
    }

    /// Leaves it where it is.
    pub fn keep(mut self) -> PathBuf {
        // Without a path there is nothing to remove.
        std::mem::take(&mut self.path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let _ = remove(&self.path);
    }
}

/// Removes a directory with all that is in it. Never more than one descriptor is open, and none for an empty directory: where
/// a process may hardly open files, `std::fs::remove_dir_all` would leave all of it.
///
/// # Errors
/// Something in it cannot be removed; the rest is gone.
pub fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir(directory) {
        Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => {}
        removed => return removed,
    }
    // The list is closed before the first entry is removed; an entry of it would keep it open. A link is removed, and not what it
    // leads to.
    let of_entry = |entry: fs::DirEntry| (entry.file_type().is_ok_and(|kind| kind.is_dir()), entry.path());
    let entries: Vec<_> =
        fs::read_dir(directory)?.map(|entry| entry.map(of_entry)).collect::<io::Result<_>>()?;
    let mut failed = Ok(());
    for (is_directory, path) in entries {
        let removed = if is_directory { remove(&path) } else { fs::remove_file(&path) };
        failed = failed.and(removed);
    }
    fs::remove_dir(directory).and(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_in_it_goes_and_a_link_leads_nowhere() {
        let kept = tempfile::tempdir().unwrap();
        fs::write(kept.path().join("kept"), "").unwrap();
        let made = TemporaryDirectory::make("fathom-test-").unwrap();
        let path = made.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir_all(path.join("a/b/c")).unwrap();
        fs::write(path.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink(kept.path(), path.join("a/link")).unwrap();
        drop(made);
        assert!(!path.exists() && kept.path().join("kept").exists());
    }
}
