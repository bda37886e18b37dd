//! The files of a directory tree (`opendir`).

use fathom_text::{carried, shown};
use std::fs;
use std::path::{Path, PathBuf};

/// The regular files below a directory, in the order of their names. Links are not followed, so no tree has a circle, and a file that
/// has one name is one file of the job.
///
/// # Errors
/// A directory cannot be read, or there are more files than `most`.
pub(crate) fn files_below(top: &Path, most: usize) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        let unread = |e: std::io::Error| format!("{}: {e}", shown::path(&directory));
        for entry in fs::read_dir(&directory).map_err(unread)? {
            let entry = entry.map_err(unread)?;
            let kind = entry.file_type().map_err(unread)?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(carried::of_os(entry.path()));
            }
        }
        if files.len() > most {
            return Err(format!("there are more than {most} files"));
        }
    }
    files.sort_unstable();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn regular_files_at_any_depth_are_listed_and_links_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir_all(path("b/deep")).unwrap();
        for name in ["z", "a", "b/deep/c", "b/d"] {
            fs::write(path(name), name).unwrap();
        }
        symlink("a", path("link")).unwrap();
        symlink("..", path("b/round")).unwrap();
        let wanted = ["a", "b/d", "b/deep/c", "z"].map(|name| carried::of_os(path(name)));
        assert_eq!(files_below(dir.path(), 4).unwrap(), wanted);
        assert_eq!(files_below(dir.path(), 3).unwrap_err(), "there are more than 3 files");
        assert!(files_below(&path("none"), 3).unwrap_err().contains("No such file"));
    }
}
