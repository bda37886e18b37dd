//! The directory of the journals, and its lock. All processes that use the default directory share
//! this one lock.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::TuneError;
use super::watched_process::WatchedProcess;
use fathom_device::bounded;
use fathom_device::root::Root;
use fathom_device::sys;

/// Where journals are kept, across reboots.
pub const STATE_DIR: &str = "/var/lib/fathom";
/// The file of the lock.
const LOCK: &str = "lock";
/// What the lock's text says of a guardian.
const PUTS_BACK: &str = "puts back";
/// The longest wait for a guardian. It looks at the watched process each second, and one setting of
/// a slow drive takes some seconds.
const PUT_BACK_MAX: Duration = Duration::from_secs(30);
/// Between two attempts to take the lock.
const RETRY: Duration = Duration::from_millis(50);

/// Makes the directory. A journal says what root will write to `/sys`, so nobody else may change
/// it. An existing directory stays as it is, since others may need it.
pub fn prepare(dir: &Path) -> Result<(), TuneError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(TuneError::state("make", dir))?;
    if owned(dir)?.mode() & 0o022 == 0 {
        return Ok(());
    }
    let message =
        "other users may write to it; name a directory of your own, or take that right away from them";
    Err(TuneError::state("trust", dir)(io::Error::new(io::ErrorKind::PermissionDenied, message)))
}

/// The directory, if it is one and ours. In a directory of another user, or behind a link that
/// another user may have made, we would follow that user's journals, or close a directory of that
/// user's choice to everybody else.
fn owned(dir: &Path) -> Result<Metadata, TuneError> {
    let meta = fs::symlink_metadata(dir).map_err(TuneError::state("look at", dir))?;
    if meta.is_dir() && meta.uid() == sys::user() {
        return Ok(meta);
    }
    let sentence =
        io::Error::new(io::ErrorKind::PermissionDenied, "it is not a directory that belongs to this user");
    Err(TuneError::state("trust", dir)(sentence))
}

/// The files in the directory whose names have this ending, in the order of their names.
pub(super) fn files_with(dir: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(dir)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == ending));
    paths.sort();
    Ok(paths)
}

/// A journal's bytes, if the file is ours and no link.
pub(super) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.uid() != sys::user() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is not a file that belongs to this user",
        ));
    }
    bounded::whole(&mut file, bounded::SETTINGS_MAX_BYTES)
}

/// Held while settings are changed or put back. It belongs to the open file,
/// which a process can share with another, and not to a process.
#[derive(Debug)]
pub struct Lock {
    file: File,
    /// Another process, with which it is shared, keeps it.
    is_left: bool,
}

impl Lock {
    /// Takes the lock, or says that another has it. A command that is started again as soon as it
    /// was killed waits until the guardian of the killed one has put back what that one had set.
    pub fn take(dir: &Path) -> Result<Self, TuneError> {
        let (path, file) = open(dir)?;
        match lock_after_guardian(&path, &file) {
            Ok(()) => Ok(Self::of(file, "")),
            Err(TryLockError::WouldBlock) => {
                Err(TuneError::Locked { pid: Holder::read(&path).map(|holder| holder.pid), lock: path })
            }
            Err(TryLockError::Error(e)) => Err(TuneError::state("lock", &path)(e)),
        }
    }

    /// Says in the file who holds it and what for, for those who find it taken.
    fn of(file: File, what_for: &str) -> Self {
        let message = format!("{} {what_for}\n", std::process::id());
        // The lock works without this text. The new line is there before the rest of an old one goes,
        // because others read it at any time.
        let _ = file.write_all_at(message.as_bytes(), 0).and_then(|()| file.set_len(message.len() as u64));
        Self { file, is_left: false }
    }

    pub(super) fn share(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// The lock that another process has shared. If that process has released
    /// it, it is taken as soon as nobody else has it.
    pub(super) fn shared(dir: &Path, file: File) -> Result<Self, TuneError> {
        let (path, own) = open(dir)?;
        let inode = |file: &File| file.metadata().map(|meta| (meta.dev(), meta.ino()));
        let is_same = inode(&file).and_then(|shared| Ok(shared == inode(&own)?));
        // Any other descriptor is not the lock: then the lock of the directory is waited for.
        let file = if is_same.map_err(TuneError::state("look at", &path))? { file } else { own };
        file.lock().map_err(TuneError::state("lock", &path))?;
        Ok(Self::of(file, PUTS_BACK))
    }

    /// Leaves it to the process with which it is shared.
    pub(super) fn leave(&mut self) {
        self.is_left = true;
    }
}

impl Drop for Lock {
    /// Unlocks it, because closing is not enough: the file is open as long as a guardian, or a
    /// thread that cannot end, has it open.
    fn drop(&mut self) {
        if self.is_left {
            return;
        }
        // A lock that cannot be released ends with the last who has it open.
        let _ = self.file.unlock();
    }
}

/// Waits until the guardian of a command that was killed has put back what that one had set: a plan
/// that is made earlier takes those values for the machine's own. Nothing is waited for where no
/// guardian is at work.
pub fn after_guardian(dir: &Path) {
    if !dir.join(LOCK).exists() {
        return;
    }
    // What is wrong with the lock is told when it is taken.
    if let Ok((path, file)) = open(dir) {
        let _ = lock_after_guardian(&path, &file).map(|()| file.unlock());
    }
}

/// Whether a session or a guardian holds the lock of the directory. Nothing is made.
pub(super) fn is_held(dir: &Path) -> bool {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let lock = OpenOptions::new().read(true).custom_flags(flags).open(dir.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn lock_after_guardian(path: &Path, file: &File) -> Result<(), TryLockError> {
    let until = Instant::now() + PUT_BACK_MAX;
    loop {
        let tried = file.try_lock();
        let is_taken = matches!(tried, Err(TryLockError::WouldBlock));
        let ends = || Holder::read(path).is_some_and(|holder| holder.is_about_to_end());
        if !is_taken || Instant::now() > until || !ends() {
            return tried;
        }
        thread::sleep(RETRY);
    }
}

/// Who holds the lock, by its text.
struct Holder {
    pid: u32,
    is_guardian: bool,
}

impl Holder {
    fn read(lock: &Path) -> Option<Self> {
        let message = String::from_utf8(read_own(lock).ok()?).ok()?;
        let (pid, what_for) = message.lines().next()?.split_once(' ')?;
        Some(Self { pid: pid.parse().ok()?, is_guardian: what_for == PUTS_BACK })
    }

    /// Whether a guardian holds it, or a process that was killed, whose guardian comes next.
    fn is_about_to_end(&self) -> bool {
        let live = Root::live();
        self.is_guardian || !WatchedProcess::of(&live, self.pid).is_some_and(|watched| watched.runs(&live))
    }
}

fn open(dir: &Path) -> Result<(PathBuf, File), TuneError> {
    let path = dir.join(LOCK);
    owned(dir)?;
    let mut how = OpenOptions::new();
    // Opening a FIFO in its place would wait for a writer.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let how = how.create(true).truncate(false).write(true).mode(0o600).custom_flags(flags);
    let file = how.open(&path).and_then(|file| match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    });
    file.map_err(TuneError::state("open", &path)).map(|file| (path, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    #[test]
    fn a_directory_that_others_may_write_is_refused_and_none_is_changed() {
        let state = tempfile::tempdir().unwrap();
        for (mode, is_taken) in [(0o1777, false), (0o770, false), (0o755, true), (0o700, true)] {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(state.path(), permissions).unwrap();
            assert_eq!(prepare(state.path()).is_ok(), is_taken, "{mode:o}");
            assert_eq!(fs::metadata(state.path()).unwrap().mode() & 0o7777, mode);
        }
    }

    /// The lock is held by an open file with this text, and released after a while.
    #[track_caller]
    fn held_by(text: &str, is_waited_for: bool) {
        let state = tempfile::tempdir().unwrap();
        let (path, file) = open(state.path()).unwrap();
        file.lock().unwrap();
        fs::write(&path, text).unwrap();
        let taken = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(3 * RETRY);
                file.unlock().unwrap();
            });
            Lock::take(state.path()).is_ok()
        });
        assert_eq!(taken, is_waited_for, "{text:?}");
    }

    #[test]
    fn only_a_guardian_and_a_killed_process_are_waited_for() {
        let me = std::process::id();
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        held_by(&format!("{me} \n"), false);
        held_by(&format!("{me} {PUTS_BACK}\n"), true);
        held_by(&format!("{} \n", ended.id()), true);
        held_by("", false);
    }

    #[test]
    fn a_fifo_in_the_place_of_a_file_is_not_waited_for() {
        let state = tempfile::tempdir().unwrap();
        let dir = state.path().join("state");
        prepare(&dir).unwrap();
        for name in ["lock", "journal"] {
            assert!(Command::new("mkfifo").arg(dir.join(name)).status().unwrap().success());
        }
        assert!(Lock::take(&dir).is_err());
        assert!(read_own(&dir.join("journal")).is_err());
    }
}
