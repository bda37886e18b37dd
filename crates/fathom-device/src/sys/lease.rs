//! Whether anybody else has a file open, by a lease (fcntl(2), `F_SETLEASE`).
//!
//! The kernel grants a read lease only on a file that nobody has open for writing. It grants a
//! write lease only on a file that nobody else has open: no process in any namespace, no loop
//! device, no swap, and no other file system that uses it. The lease is given back at once. It
//! needs a file of our own, or the capability `CAP_LEASE`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;

/// `F_SETSIG` of linux/fcntl.h.
const F_SETSIG: libc::c_int = 10;

/// Whether somebody else has the file open. An error means that the kernel or
/// the file system does not tell.
pub fn is_open_elsewhere(file: &File) -> io::Result<bool> {
    is_refused(file, libc::F_WRLCK)
}

/// Whether anybody has the file open for writing, or mapped so. `file` must be
/// open for reading only.
pub fn is_being_written(file: &File) -> io::Result<bool> {
    is_refused(file, libc::F_RDLCK)
}

fn is_refused(file: &File, lease: libc::c_int) -> io::Result<bool> {
    // A process that opens the file during the lease has to wait for the end of the lease, and the
    // kernel sends us a signal. The usual one, SIGIO, would end this process; SIGURG is ignored
    // unless somebody asks for it.
    set(file, F_SETSIG, libc::SIGURG)?;
    match set(file, libc::F_SETLEASE, lease) {
        Ok(()) => set(file, libc::F_SETLEASE, libc::F_UNLCK).map(|()| false),
        Err(e) if e.raw_os_error() == Some(libc::EAGAIN) => Ok(true),
        Err(e) => Err(e),
    }
}

fn set(file: &File, command: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: these commands take an integer; no memory is touched.
    check(unsafe { libc::fcntl(file.as_raw_fd(), command, value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opener_is_seen_and_gone_again() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_path_buf();
        assert!(is_open_elsewhere(&File::open(&path).unwrap()).unwrap(), "the one of the test is open");
        let path = file.into_temp_path();
        assert!(!is_open_elsewhere(&File::open(&path).unwrap()).unwrap());
        let reader = File::open(&path).unwrap();
        assert!(is_open_elsewhere(&File::open(&path).unwrap()).unwrap());
        drop(reader);
        assert!(!is_open_elsewhere(&File::open(&path).unwrap()).unwrap(), "and no lease is left");
    }

    #[test]
    fn a_writer_is_seen_and_a_reader_is_not() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let _reader = File::open(&path).unwrap();
        assert!(!is_being_written(&File::open(&path).unwrap()).unwrap());
        let writer = File::options().write(true).open(&path).unwrap();
        assert!(is_being_written(&File::open(&path).unwrap()).unwrap());
        drop(writer);
        assert!(!is_being_written(&File::open(&path).unwrap()).unwrap());
    }
}
