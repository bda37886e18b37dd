//! A directory that only this user can change, for state that fathom trusts.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fathom_device::sys;

/// Write permission for the group and for others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// How long a writer waits for another one. Writing takes milliseconds; a
/// process that was stopped while it wrote must not stop us too.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// The directory, held open: every file is reached through the descriptor, so
/// nobody can put another directory in its place.
#[derive(Debug)]
pub struct PrivateDir {
    handle: File,
}

/// Held while the directory's files are changed.
#[derive(Debug)]
pub struct DirLock {
    _held: File,
}

impl PrivateDir {
    /// Opens the directory. It must not be a link, must belong to this user, and must not be
    /// writable by anybody else.
    ///
    /// # Errors
    /// `NotFound` where there is none; `PermissionDenied` where it cannot be trusted.
    pub fn open(path: &Path) -> io::Result<Self> {
        let how = libc::O_PATH | libc::O_NOFOLLOW | libc::O_DIRECTORY;
        let handle = OpenOptions::new().read(true).custom_flags(how).open(path)?;
        believe(&handle.metadata()?)?;
        Ok(Self { handle })
    }

    pub fn prepare(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Self::open(path)
    }

    /// Locks the directory against other processes that lock it.
    ///
    /// # Errors
    /// `TimedOut` where another process keeps the lock.
    pub fn lock(&self) -> io::Result<DirLock> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let mut how = OpenOptions::new();
        let how = how.create(true).truncate(false).write(true).mode(0o600).custom_flags(flags);
        let file = how.open(self.at("lock"))?;
        let end = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(DirLock { _held: file }),
                Err(TryLockError::Error(e)) => return Err(e),
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "another process keeps it locked"));
                }
            }
        }
    }

    /// Reads a file of at most `max_bytes`, which must belong to this user and must not be a link.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn read(&self, name: &str, max_bytes: u64) -> io::Result<Vec<u8>> {
        let file = self.hold(name)?;
        if file.metadata()?.len() > max_bytes {
            return Err(io::Error::other(format!("{name} is longer than {max_bytes} bytes")));
        }
        let mut bytes = Vec::new();
        file.take(max_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Opens a file for reading. It must belong to this user and must not be a link.
    ///
    /// # Errors
    /// `NotFound` where there is none.
    pub fn hold(&self, name: &str) -> io::Result<File> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(self.at(name))?;
        let meta = file.metadata()?;
        believe(&meta)?;
        match meta.is_file() {
            true => Ok(file),
            false => Err(io::Error::other(format!("{name} is not a file"))),
        }
    }

    /// Replaces a file in one step: a reader, and a machine that loses power, has either the old or
    /// the new file, complete.
    pub fn replace(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(self.at(""))?;
        let mut to = BufWriter::new(&mut file);
        write(&mut to)?;
        to.flush()?;
        drop(to);
        file.as_file().sync_all()?;
        file.persist(self.at(name)).map_err(|e| e.error)?;
        File::open(self.at(""))?.sync_all()
    }

    /// Removes a file, and flushes the directory.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.at(name))?;
        File::open(self.at(""))?.sync_all()
    }

    /// Gives a file a second name, by which it is kept when the first name gets a new file.
    pub fn keep_aside(&self, name: &str, aside: &str) -> io::Result<()> {
        fs::hard_link(self.at(name), self.at(aside)).map_err(|e| {
            io::Error::new(e.kind(), format!("{name} is damaged and cannot be kept as {aside}: {e}"))
        })
    }

    /// Removes the oldest of the files that `is_meant` accepts, until there are at most `most`
    /// files and `bytes_max` bytes. The newest file stays.
    pub fn forget_oldest(
        &self,
        most: usize,
        bytes_max: u64,
        is_meant: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        let mut meant = Vec::new();
        for file in fs::read_dir(self.at(""))? {
            let file = file?;
            if file.file_name().to_str().is_some_and(&is_meant) {
                let meta = file.metadata()?;
                meant.push((meta.modified()?, meta.len(), file.file_name()));
            }
        }
        meant.sort();
        let mut bytes = 0u64;
        for (at, (_, length, name)) in meant.iter().rev().enumerate() {
            bytes = bytes.saturating_add(*length);
            if at > 0 && (at >= most || bytes > bytes_max) {
                fs::remove_file(self.at("").join(name))?;
            }
        }
        Ok(())
    }

    fn at(&self, name: &str) -> PathBuf {
        sys::proc_path(&self.handle).join(name)
    }
}

fn believe(meta: &Metadata) -> io::Result<()> {
    let message = match () {
        () if meta.uid() != sys::user() => "it belongs to another user",
        () if meta.mode() & WRITABLE_BY_OTHERS != 0 => "other users may write to it",
        () => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_files_go_first_and_the_newest_stays() {
        let left = |most: usize, bytes_max: u64| {
            let dir = tempfile::tempdir().unwrap();
            fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
            for (age, name) in ["a", "b", "c", "other"].iter().enumerate() {
                let file = File::create(dir.path().join(name)).unwrap();
                file.set_len(10).unwrap();
                file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(age as u64)).unwrap();
            }
            let private = PrivateDir::open(dir.path()).unwrap();
            private.forget_oldest(most, bytes_max, |name| name.len() == 1).unwrap();
            let mut names: Vec<_> =
                fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
            names.sort();
            names.into_iter().map(|name| name.into_string().unwrap()).collect::<Vec<_>>().concat()
        };
        assert_eq!(left(3, 30), "abcother");
        assert_eq!((left(2, 30), left(3, 29)), ("bcother".to_owned(), "bcother".to_owned()));
        assert_eq!((left(0, 30), left(3, 5)), ("cother".to_owned(), "cother".to_owned()));
    }
}
