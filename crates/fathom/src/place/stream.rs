//! Places that are written as a stream: pipes, terminals, /dev/null, and the
//! descriptors that a shell passes.

use super::{OutputTerms, PLACES, cannot, refused};
use crate::failure::{Exit, Failure};
use fathom_session::outputs::{KernelFiles, reopen};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Links that the kernel follows before it gives up (`MAXSYMLINKS`).
const LINKS_MAX: usize = 40;

/// How long to wait before writing to a full pipe again.
const PAUSE: Duration = Duration::from_millis(5);

/// The number of our own descriptor that the path is a name of, such as
/// /dev/stdout or /dev/fd/63.
pub(super) fn descriptor(path: &Path) -> Option<u32> {
    let own = format!("/proc/{}/", std::process::id());
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let parent = path.parent()?.canonicalize().ok()?;
        if parent.starts_with(&own) && parent.file_name()? == "fd" {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = parent.join(std::fs::read_link(&path).ok()?);
    }
    None
}

/// Opens what one of our descriptors leads to. A file is appended to: the shell
/// that opened it has emptied it if the person wanted that.
pub(super) fn of_descriptor(path: &Path, asked: &OutputTerms<'_>) -> Result<File, Failure> {
    let pin = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
    let pin = pin.map_err(|e| cannot(path, &e))?;
    let meta = pin.metadata().map_err(|e| cannot(path, &e))?;
    if !meta.is_file() {
        return match super::inspect(path, asked)? {
            super::To::Stream(file) => Ok(file),
            _ => Err(cannot(path, &io::Error::other("it is neither a pipe nor a terminal"))),
        };
    }
    let real = path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    if let Some(user) = asked.in_use.user_of(&real) {
        return Err(refused(path, asked, &format!("it is {user}")));
    }
    KernelFiles::of_this_machine().refuse(&pin, path)?;
    reopen(&pin, OpenOptions::new().append(true)).map_err(|e| cannot(path, &e))
}

/// Opens a FIFO that a program reads. Without a reader it fails at once, instead of
/// waiting without limit.
pub(super) fn fifo(path: &Path, pin: &File) -> Result<File, Failure> {
    reopen(pin, OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK)).map_err(|e| {
        match e.raw_os_error() {
            Some(libc::ENXIO) => Failure::new(
                Exit::Usage,
                format!("cannot write {}: it is a FIFO, and no program reads from it", path.display()),
            )
            .hint("start the program that reads it first"),
            _ => cannot(path, &e),
        }
    })
}

/// Opens a device that stores nothing.
pub(super) fn device(path: &Path, pin: &File, meta: &Metadata) -> Result<File, Failure> {
    if !holds_nothing(meta.rdev()) {
        let message = format!("refused to write to {}: it is a device", path.display());
        return Err(Failure::new(Exit::Refused, message).hint(PLACES));
    }
    let how = libc::O_NOCTTY;
    reopen(pin, OpenOptions::new().write(true).custom_flags(how)).map_err(|e| cannot(path, &e))
}

/// /dev/null; /dev/tty; virtual consoles, not the serial lines behind them; and
/// terminals of windows and logins (Documentation/admin-guide/devices.txt).
fn holds_nothing(rdev: u64) -> bool {
    matches!((libc::major(rdev), libc::minor(rdev)), (1, 3) | (5, 0) | (4, 0..64) | (136..=143, _))
}

/// Writes all of it. A pipe that was opened without waiting says so when it is
/// full.
pub(super) fn write(mut file: &File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_our_descriptors() {
        assert_eq!(descriptor(Path::new("/dev/stdout")), Some(1));
        assert_eq!(descriptor(Path::new("/dev/fd/2")), Some(2));
        assert_eq!(descriptor(Path::new("/proc/self/fd/63")), Some(63));
        for other in ["/dev/null", "/proc/1/fd/1", "file", "/", "/proc/self/fd/x", "/nowhere/fd/1"] {
            assert_eq!(descriptor(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn devices_that_hold_nothing() {
        let fits = [(1, 3), (5, 0), (4, 1), (136, 7)];
        let others =
            [(1, 1), (1, 2), (1, 4), (1, 5), (1, 7), (1, 8), (1, 11), (4, 64), (5, 1), (10, 130), (9, 0)];
        for (major, minor) in fits {
            assert!(holds_nothing(libc::makedev(major, minor)), "{major}:{minor}");
        }
        for (major, minor) in others {
            assert!(!holds_nothing(libc::makedev(major, minor)), "{major}:{minor}");
        }
    }
}
