//! The directory of a run or a procedure, which may come from anybody.
//!
//! A person names the directory, by any path. What is in it is read by name only, through the descriptor of the directory,
//! and never through a link: otherwise the person who made the directory could have a reader with more rights put the content of
//! another file into a report. Only regular files are read, because a FIFO has no end and a device no beginning, and only up
//! to a limit.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

/// A directory that is held open: if somebody puts another directory or a link in its place, this one is read on.
#[derive(Debug)]
pub struct SavedDirectory {
    path: PathBuf,
    handle: OwnedFd,
}

/// How a directory is opened: without the right to read the names in it, which nothing here needs.
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How a file is opened: a FIFO that takes its place in this moment is not waited for.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

impl SavedDirectory {
    /// Opens the directory that a person named. Links in this path are the person's own, and are followed.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn open(path: &Path) -> io::Result<SavedDirectory> {
        let handle = openat(rustix::fs::CWD, path, DIRECTORY, Mode::empty())?;
        Ok(SavedDirectory { path: path.to_owned(), handle })
    }

    /// Opens the directory to which this path leads, and names it by another one: in messages, and where it is looked for later.
    ///
    /// # Errors
    /// As [`SavedDirectory::open`].
    pub fn open_as(path: &Path, named: &Path) -> io::Result<SavedDirectory> {
        Ok(SavedDirectory { path: named.to_owned(), ..SavedDirectory::open(path)? })
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// There is none of this name, it is a link, or the name is a path.
    pub fn below(&self, name: &str) -> io::Result<SavedDirectory> {
        let path = self.path.join(name);
        self.kind(name)?.is_dir().then_some(()).ok_or(io::ErrorKind::NotADirectory)?;
        let handle = openat(&self.handle, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
        Ok(SavedDirectory { path, handle })
    }

    /// Opens a regular file that is in one of the directories below, by a path without `..`.
    ///
    /// # Errors
    /// As [`SavedDirectory::file`], for each part of the path.
    pub fn file_below(&self, path: &Path) -> io::Result<File> {
        let mut parts = path.components().map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(no_name()),
        });
        let last = parts.next_back().unwrap_or_else(|| Err(no_name()))?;
        let mut directory: Option<OwnedFd> = None;
        for part in parts {
            let within = directory.as_ref().unwrap_or(&self.handle);
            directory = Some(openat(within, part?, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?);
        }
        opened(directory.as_ref().unwrap_or(&self.handle), Path::new(last))
    }

    /// The directory above this one, which may have it as the directory of this name.
    ///
    /// # Errors
    /// There is none, or it has another directory or a link of this name.
    pub fn above_as(&self, name: &str) -> io::Result<SavedDirectory> {
        let handle = openat(&self.handle, "..", DIRECTORY, Mode::empty())?;
        let above = SavedDirectory { path: self.path.join(".."), handle };
        let (own, there) = (fstat(&self.handle)?, fstat(&above.below(name)?.handle)?);
        match (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino) {
            true => Ok(above),
            false => Err(io::Error::other(format!("it is not {name} of the directory above"))),
        }
    }

    /// The path by which it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of what has this name.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// There is none of this name; it is a link, or anything else that is not a regular file; or the name is a path.
    pub fn file(&self, name: &str) -> io::Result<File> {
        self.kind(name)?;
        opened(&self.handle, Path::new(name))
    }

    /// Does a regular file end with one of these?
    pub(crate) fn ends_with(&self, name: &str, ends: &[&[u8]]) -> io::Result<bool> {
        let longest = ends.iter().map(|end| end.len()).max().unwrap_or(0) as u64;
        let mut file = self.file(name)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(longest)))?;
        let mut last = Vec::new();
        file.take(longest).read_to_end(&mut last)?;
        Ok(ends.iter().any(|end| last.ends_with(end)))
    }

    /// Reads a regular file of at most this length.
    ///
    /// # Errors
    /// As [`SavedDirectory::file`]; it cannot be read, or is longer.
    pub fn bytes(&self, name: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
        let file = self.file(name)?;
        let too_long = || io::Error::other(format!("it is longer than {} MiB", max_bytes >> 20));
        let length = file.metadata()?.len();
        if length > max_bytes {
            return Err(too_long());
        }
        // A vector that grows would take up to twice the memory.
        let mut bytes = Vec::with_capacity(length as usize + 1);
        let length = file.take(max_bytes + 1).read_to_end(&mut bytes)? as u64;
        if length > max_bytes { Err(too_long()) } else { Ok(bytes) }
    }

    /// Reads a regular file of text.
    ///
    /// # Errors
    /// As [`SavedDirectory::bytes`]; and it is not text in UTF-8.
    pub fn text(&self, name: &str, max_bytes: u64) -> io::Result<String> {
        let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not a text in UTF-8");
        String::from_utf8(self.bytes(name, max_bytes)?).map_err(not_text)
    }

    /// What has this name, which is no path.
    fn kind(&self, name: &str) -> io::Result<FileType> {
        // `file_name` of `..` is none, and of `a/` it is `a`.
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(no_name());
        }
        let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(stat.st_mode))
    }
}

/// A name that is a path leads out of the directory.
fn no_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file in this directory")
}

/// Opens a regular file, and nothing else: opening a device can be an act.
fn opened(within: &OwnedFd, name: &Path) -> io::Result<File> {
    is_regular(statat(within, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)?;
    let file = File::from(openat(within, name, FILE, Mode::empty())?);
    is_regular(fstat(&file)?.st_mode)?;
    Ok(file)
}

fn is_regular(mode: u32) -> io::Result<()> {
    let what = match FileType::from_raw_mode(mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Symlink => "a link, which is not followed",
        FileType::Directory => "a directory",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(io::Error::other(format!("it is {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_files_of_the_directory_that_end() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "root:x").unwrap();
        let dir = outside.path().join("run");
        fs::create_dir_all(dir.join("rounds/0001")).unwrap();
        fs::write(dir.join("run.json"), "text").unwrap();
        fs::write(dir.join("long"), "").unwrap();
        fs::write(dir.join("rounds/0001/spool"), "deep").unwrap();
        File::options().write(true).open(dir.join("long")).unwrap().set_len(1 << 40).unwrap();
        symlink(&secret, dir.join("link")).unwrap();
        symlink(outside.path(), dir.join("away")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(dir.join("fifo")).status().unwrap().success());
        let held = SavedDirectory::open(&dir).unwrap();
        assert_eq!(held.text("run.json", 1 << 20).unwrap(), "text");
        assert_eq!(held.file_below(Path::new("rounds/0001/spool")).unwrap().metadata().unwrap().len(), 4);
        for (name, why) in [
            ("long", "it is longer than 1 MiB"),
            ("link", "it is a link, which is not followed"),
            ("fifo", "it is a FIFO"),
            ("rounds", "it is a directory"),
            ("../secret", "it is not the name of a file in this directory"),
            ("..", "it is not the name of a file in this directory"),
            ("/etc/passwd", "it is not the name of a file in this directory"),
            ("", "it is not the name of a file in this directory"),
        ] {
            assert_eq!(held.text(name, 1 << 20).unwrap_err().to_string(), why, "{name}");
        }
        for path in ["away/secret", "../secret", "/etc/passwd", "link", ""] {
            held.file_below(Path::new(path)).unwrap_err();
        }
        for name in ["away", "..", "run.json", "../run"] {
            held.below(name).unwrap_err();
        }
        // A round belongs to the procedure above only if that has it, and not by a link.
        let rounds = held.below("rounds").unwrap();
        assert!(rounds.below("0001").unwrap().above_as("0001").unwrap().above_as("rounds").is_ok());
        symlink(dir.join("rounds"), outside.path().join("other")).unwrap();
        rounds.above_as("run.json").unwrap_err();
        SavedDirectory::open(&outside.path().join("other")).unwrap().above_as("other").unwrap_err();
    }

    /// The directory that was opened is read, whatever has its name now.
    #[test]
    fn a_directory_that_takes_its_place_is_not_read() {
        let outside = tempfile::tempdir().unwrap();
        let at = |name: &str| outside.path().join(name);
        for name in ["mine", "other"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("run.json"), name).unwrap();
        }
        let held = SavedDirectory::open(&at("mine")).unwrap();
        fs::rename(at("mine"), at("moved")).unwrap();
        symlink(at("other"), at("mine")).unwrap();
        assert_eq!(held.text("run.json", 100).unwrap(), "mine");
    }
}
