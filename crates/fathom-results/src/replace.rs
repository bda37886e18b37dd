//! Files in the directory of a run, each written in one step.
//!
//! Other users may be able to write in that directory, and may have put a
//! link or a FIFO there under any name that they can guess. So the bytes go to
//! a new file with a random name, which is then renamed and replaces whatever had
//! the name. Nothing that was there before is opened.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// Writes the file `name` in `dir`, and replaces an older one. The bytes are on
/// stable storage before the file has its name: after a crash there is either the
/// old file or the new one.
///
/// # Errors
/// The errors of the file system; the old file is then still there.
pub fn write_run_file(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    partial(dir, bytes)?.persist(dir.join(name)).map(drop).map_err(|e| e.error)
}

/// Writes the file `name` in `dir`, which must not exist.
///
/// # Errors
/// The errors of the file system; `AlreadyExists` where something has the name.
pub(crate) fn create_run_file(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    partial(dir, bytes)?.persist_noclobber(dir.join(name)).map(drop).map_err(|e| e.error)
}

/// A new file with a random name that has the bytes.
fn partial(dir: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // The permissions of any new file, subject to the umask.
    builder.prefix(".fathom-").permissions(Permissions::from_mode(0o666));
    let mut file = builder.tempfile_in(dir).map_err(without_path)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_data()?;
    Ok(file)
}

/// The error without the path that `tempfile` adds: a person knows neither the random name nor the descriptor of the directory.
fn without_path(e: io::Error) -> io::Error {
    // Behind the words of the system, it says `at path "…"`. The kind alone has no words for a limit of open files.
    match e.to_string().split_once(" at path ") {
        Some((said, _)) => io::Error::new(e.kind(), said.to_owned()),
        None => e,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;

    /// Whatever has the name is replaced, and its target is never written.
    #[test]
    fn links_and_fifos_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("precious"), "mine").unwrap();
        symlink("precious", at("soft")).unwrap();
        fs::hard_link(at("precious"), at("hard")).unwrap();
        assert!(Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        assert!(fs::metadata(at("fifo")).unwrap().file_type().is_fifo());
        for name in ["soft", "hard", "fifo", "new", "new"] {
            write_run_file(dir.path(), name, name.as_bytes()).unwrap();
            assert!(fs::symlink_metadata(at(name)).unwrap().is_file(), "{name}");
            assert_eq!(fs::read_to_string(at(name)).unwrap(), name);
        }
        assert_eq!(fs::read_to_string(at("precious")).unwrap(), "mine");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 5, "a partial file is left");
    }

    /// The directory of a run that ends is known by a descriptor, which says nothing to a person.
    #[test]
    fn an_error_does_not_tell_the_way_to_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("proc-self-fd-8");
        let e = write_run_file(&gone, "run.json", b"text").unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::NotFound);
        assert!(!e.to_string().contains("proc-self-fd-8"), "{e}");
    }

    #[test]
    fn a_file_that_cannot_take_its_place_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("taken/by")).unwrap();
        write_run_file(dir.path(), "taken", b"text").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
