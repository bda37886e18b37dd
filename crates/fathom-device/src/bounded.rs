//! Reads files that a user named, without an endless wait and without filling the memory.
//!
//! A name can lead to a FIFO that nobody writes to, to a device that never
//! ends, or to a file of a terabyte. So a file is looked at before it is
//! opened, opened without waiting, looked at again through its descriptor, and
//! read up to a limit.

use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::sys::path_of;

/// The most that a file of settings, a plan or a journal may hold.
pub const SETTINGS_MAX_BYTES: u64 = 16 << 20;

/// How long a FIFO may have no writer: a shell that starts one in the
/// background has opened it by then.
const WRITER_WAIT: Duration = Duration::from_secs(2);

/// How often a pipe with nothing to read yet is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Reads a regular file of at most `max_bytes`.
///
/// # Errors
/// If it cannot be read, is anything but a regular file, or is longer; the
/// text of the error is one sentence without the path.
pub fn file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    is_file(&fs::metadata(path)?)?;
    let mut file = open(path)?;
    is_file(&file.metadata()?)?;
    let mut bytes = Vec::new();
    // Some files of `/proc` and `/sys` wait for something to happen.
    let no_answer = || io::Error::other("it has nothing to read at once, so it is not a saved file");
    read(&mut file, max_bytes, &mut bytes, || Err(no_answer()))?;
    Ok(bytes)
}

/// Reads a regular file, a pipe or a terminal: what a person may name as the
/// source of a text, such as `<(generator)`.
///
/// # Errors
/// As [`file()`]; and if it is a FIFO that has no writer within two seconds. A
/// pipe with a writer is waited for, as a shell would.
pub fn stream(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    stream_within(path, max_bytes, WRITER_WAIT)
}

fn stream_within(path: &Path, max_bytes: u64, wait: Duration) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.file_type().is_char_device() && !meta.file_type().is_fifo() {
        return file(path, max_bytes);
    }
    let mut source = open(path)?;
    let meta = source.metadata()?;
    if !(meta.file_type().is_fifo() || is_null(&meta) || source.is_terminal()) {
        return Err(io::Error::other(format!("it is {}, not a text", kind_of(&meta))));
    }
    let may_lack_writer = meta.file_type().is_fifo() && !is_anonymous(&source);
    let begun = Instant::now();
    let mut bytes = Vec::new();
    let mut had_writer = !may_lack_writer;
    loop {
        let mut waited = false;
        read(&mut source, max_bytes, &mut bytes, || {
            waited = true;
            sleep(LOOK);
            Ok(())
        })?;
        had_writer |= waited || !bytes.is_empty();
        if had_writer {
            return Ok(bytes);
        }
        if begun.elapsed() >= wait {
            return Err(io::Error::other("it is a FIFO, and no program writes to it"));
        }
        sleep(LOOK);
    }
}

/// Reads on to the end; `wait` is called when there is nothing to read yet.
fn read(
    source: &mut impl Read,
    max_bytes: u64,
    bytes: &mut Vec<u8>,
    mut wait: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let mut part = [0; 1 << 16];
    loop {
        match source.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => wait()?,
            Err(e) => return Err(e),
        }
        if bytes.len() as u64 > max_bytes {
            let message =
                format!("it is longer than {} MiB, the limit for files of this kind", max_bytes >> 20);
            return Err(io::Error::other(message));
        }
    }
}

/// Reads an open source, such as standard input, of at most `max_bytes`.
///
/// # Errors
/// If it cannot be read or is longer.
pub fn whole(source: &mut impl Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read(source, max_bytes, &mut bytes, || {
        sleep(LOOK);
        Ok(())
    })?;
    Ok(bytes)
}

/// `O_NOCTTY`: a terminal that is opened must not become our controlling terminal, whose hang-up
/// would end us.
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

fn is_file(meta: &Metadata) -> io::Result<()> {
    if meta.is_file() {
        return Ok(());
    }
    Err(io::Error::other(format!("it is {}, not a file", kind_of(meta))))
}

fn kind_of(meta: &Metadata) -> &'static str {
    let kind = meta.file_type();
    match () {
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () if kind.is_block_device() => "a block device",
        () if kind.is_char_device() => "a character device",
        () => "of an unknown kind",
    }
}

/// `/dev/null` (major 1, minor 3): an empty text.
fn is_null(meta: &Metadata) -> bool {
    meta.file_type().is_char_device() && (libc::major(meta.rdev()), libc::minor(meta.rdev())) == (1, 3)
}

/// Whether it is a pipe without a name: once such a pipe has no writer, it never gets one again.
fn is_anonymous(file: &File) -> bool {
    path_of(file).is_ok_and(|name| name.as_os_str().as_encoded_bytes().starts_with(b"pipe:"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;
    use std::process::Command;

    fn fifo(dir: &Path) -> PathBuf {
        let path = dir.join("fifo");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    fn text_of<T: std::fmt::Debug>(result: io::Result<T>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_saved_file_is_a_file_that_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "text").unwrap();
        assert_eq!(file(&path, 4).unwrap(), b"text");
        assert!(text_of(file(&path, 3)).contains("longer"));
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(text_of(file(&path, 1 << 20)).contains("longer than 1 MiB"));
        for (path, word) in [
            (fifo(dir.path()).as_path(), "a FIFO"),
            (Path::new("/dev/zero"), "a character device"),
            (dir.path(), "a directory"),
            (Path::new("/proc/self/no"), "No such file"),
        ] {
            assert!(text_of(file(path, 1 << 20)).contains(word), "{}", path.display());
        }
    }

    #[test]
    fn a_text_may_come_through_a_pipe_but_not_from_an_endless_device() {
        let dir = tempfile::tempdir().unwrap();
        let path = fifo(dir.path());
        let lonely = stream_within(&path, 100, Duration::from_millis(20));
        assert!(text_of(lonely).contains("no program writes to it"));
        let target = path.clone();
        let writer = std::thread::spawn(move || {
            let mut end = File::options().write(true).open(target).unwrap();
            for part in ["[a]\n", "rw=read\n"] {
                sleep(Duration::from_millis(20));
                io::Write::write_all(&mut end, part.as_bytes()).unwrap();
            }
        });
        assert_eq!(stream(&path, 100).unwrap(), b"[a]\nrw=read\n");
        writer.join().unwrap();
        assert!(text_of(stream(Path::new("/dev/zero"), 100)).contains("a character device"));
        assert_eq!(stream(Path::new("/dev/null"), 100).unwrap(), b"");
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        let name = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(stream(Path::new(std::ffi::OsStr::from_bytes(name.as_bytes())), 100).unwrap(), b"");
        assert!(text_of(whole(&mut io::repeat(b'x'), 100)).contains("longer"));
    }
}
