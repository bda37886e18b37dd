//! All system calls that write: they create files, open inodes for writing, empty drives and mount file systems; and two
//! that ask the kernel about mounts and swap.

pub mod scsi;

use fathom_device::sys::{c_name, check, proc_path, without_proc};
use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens the inode that `fd` refers to once more, for writing too. `flags` are `O_*` bits other
/// than the access mode.
pub fn reopen_to_write(fd: &File, flags: i32) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(proc_path(fd)).map_err(without_proc)
}

/// Creates a file in a directory (`O_PATH` included), for reading and writing by this user alone.
/// No link is followed: what appears under the name after the last look belongs to somebody else.
pub fn create_new(directory: &File, name: &std::ffi::OsStr) -> io::Result<File> {
    let name = c_name(Path::new(name))?;
    open_at(
        directory,
        &name,
        libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC,
    )
}

// Names in a directory (`O_PATH` included); no link is followed.

/// Opens a file for reading and writing, which is made where it is not there. If it `must_be_new`, it is not there. Other users may read
/// it, as one that fio has laid out, unless the umask says otherwise: a later job of theirs reads the same file.
pub fn open_or_create(directory: &File, name: &CStr, must_be_new: bool) -> io::Result<File> {
    let new = if must_be_new { libc::O_EXCL } else { 0 };
    // A FIFO that somebody has put there is not waited for.
    let safe = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    open_at(directory, name, libc::O_RDWR | libc::O_CREAT | new | safe)
}

/// An `O_PATH` descriptor of what is under the name, which may be a link.
pub fn pin_name(directory: &File, name: &CStr) -> io::Result<File> {
    open_at(directory, name, libc::O_PATH | libc::O_NOFOLLOW | libc::O_CLOEXEC)
}

fn open_at(directory: &File, name: &CStr, flags: i32) -> io::Result<File> {
    // SAFETY: `name` is NUL-terminated and outlives the call.
    let fd = unsafe { libc::openat(directory.as_raw_fd(), name.as_ptr(), flags, 0o644) };
    check(fd)?;
    // SAFETY: a descriptor that was just opened, and is nobody else's.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// `mkdirat(2)`, for this user alone.
pub fn make_directory(directory: &File, name: &CStr) -> io::Result<()> {
    // SAFETY: `name` is NUL-terminated and outlives the call.
    check(unsafe { libc::mkdirat(directory.as_raw_fd(), name.as_ptr(), 0o700) })
}

/// `unlinkat(2)`: of a file, or of an empty directory.
pub fn remove_name(directory: &File, name: &CStr, is_directory: bool) -> io::Result<()> {
    let flags = if is_directory { libc::AT_REMOVEDIR } else { 0 };
    // SAFETY: `name` is NUL-terminated and outlives the call.
    check(unsafe { libc::unlinkat(directory.as_raw_fd(), name.as_ptr(), flags) })
}

/// `renameat2(2)` within a directory. What has the new name already stays, and is an error.
pub fn rename_name(directory: &File, from: &CStr, to: &CStr) -> io::Result<()> {
    let directory = directory.as_raw_fd();
    // SAFETY: both names are NUL-terminated and outlive the call.
    check(unsafe {
        libc::renameat2(directory, from.as_ptr(), directory, to.as_ptr(), libc::RENAME_NOREPLACE)
    })
}

/// How attributes are asked for (`stat_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatCall {
    /// `fstatat(2)`, which follows a link.
    Stat,
    /// `fstatat(2)` with `AT_SYMLINK_NOFOLLOW`.
    Lstat,
    /// `statx(2)` with all attributes, which follows a link.
    Statx,
}

/// Asks for the attributes of what is under the name.
pub fn ask_attributes(directory: &File, name: &CStr, how: StatCall) -> io::Result<()> {
    let fd = directory.as_raw_fd();
    let by_stat = |flags| {
        let mut answer = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: `name` is NUL-terminated, and the kernel fills the answer, which is ours; both outlive the call.
        check(unsafe { libc::fstatat(fd, name.as_ptr(), answer.as_mut_ptr(), flags) })
    };
    match how {
        StatCall::Stat => by_stat(0),
        StatCall::Lstat => by_stat(libc::AT_SYMLINK_NOFOLLOW),
        StatCall::Statx => {
            let mut answer = MaybeUninit::<libc::statx>::uninit();
            // SAFETY: as above.
            check(unsafe { libc::statx(fd, name.as_ptr(), 0, libc::STATX_ALL, answer.as_mut_ptr()) })
        }
    }
}

/// An error unless this process may make an entry in the directory.
pub fn takes_entries(directory: &Path) -> io::Result<()> {
    let name = c_name(directory)?;
    // SAFETY: `name` is NUL-terminated and outlives the call.
    let rc =
        unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK | libc::X_OK, libc::AT_EACCESS) };
    check(rc)
}

/// Sets the extended attribute `name` of an open file.
pub fn set_attribute(fd: BorrowedFd<'_>, name: &std::ffi::CStr, value: &[u8]) -> io::Result<()> {
    // SAFETY: `name` is NUL-terminated and `value` is readable for its length;
    // the kernel copies both before the call returns.
    let rc = unsafe { libc::fsetxattr(fd.as_raw_fd(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0) };
    check(rc)
}

// Requests that empty a range of a block device (linux/fs.h, all `_IO(0x12, …)`),
// and the one that reads its partition table again.
//
// `BLKDISCARDZEROES` is not asked: since 4.12 the kernel answers 0 whatever
// the device does. What a discarded range reads as is found out by reading.

const BLKRRPART: libc::Ioctl = 0x125f;
const BLKDISCARD: libc::Ioctl = 0x1277;
const BLKSECDISCARD: libc::Ioctl = 0x127d;
const BLKZEROOUT: libc::Ioctl = 0x127f;

/// How a range is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emptying {
    /// The device is told that the range is not needed (TRIM, UNMAP, Deallocate). What it reads as
    /// afterwards depends on the device.
    Discard,
    /// The same, copies inside the device included.
    SecureDiscard,
    /// Zeroes are written, by a command of the device's if it has one; the
    /// range stays allocated.
    ZeroOut,
}

pub fn empty(device: &File, range: Range<u64>, how: Emptying) -> io::Result<()> {
    let request = match how {
        Emptying::Discard => BLKDISCARD,
        Emptying::SecureDiscard => BLKSECDISCARD,
        Emptying::ZeroOut => BLKZEROOUT,
    };
    let pair = [range.start, range.end.saturating_sub(range.start)];
    // SAFETY: these requests read two u64, start and length, from the pointer,
    // which is ours and outlives the call.
    check(unsafe { libc::ioctl(device.as_raw_fd(), request, pair.as_ptr()) })
}

/// Makes the kernel look at the partition table again. Fails with EBUSY while
/// anyone has claimed the disk or uses a partition.
pub fn reread_partitions(disk: &File) -> io::Result<()> {
    // SAFETY: takes no argument; anything but a disk is an error code.
    check(unsafe { libc::ioctl(disk.as_raw_fd(), BLKRRPART) })
}

/// `mount(2)` without programs of other users and without device nodes.
pub fn mount(device: &Path, at: &Path, kind: &str) -> io::Result<()> {
    let (device, at, kind) = (c_name(device)?, c_name(at)?, c_name(Path::new(kind))?);
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    // SAFETY: all three are NUL-terminated and outlive the call; the options may be null; the kernel
    // copies what it keeps.
    let rc = unsafe { libc::mount(device.as_ptr(), at.as_ptr(), kind.as_ptr(), flags, std::ptr::null()) };
    check(rc)
}

/// `umount2(2)`; it fails while the file system is in use.
pub fn unmount(at: &Path) -> io::Result<()> {
    let at = c_name(at)?;
    // SAFETY: the path is NUL-terminated and outlives the call.
    let rc = unsafe { libc::umount2(at.as_ptr(), libc::UMOUNT_NOFOLLOW) };
    check(rc)
}

/// Whether the table (`/proc/self/mounts`, `/proc/swaps`) has changed since the last call for the
/// same open file. If the call fails, the table may have changed.
pub fn has_changed(table: &File) -> bool {
    let mut poll = libc::pollfd { fd: table.as_raw_fd(), events: libc::POLLPRI, revents: 0 };
    // SAFETY: one pollfd that is ours and outlives the call, which does not
    // wait.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready != 0
}

// Whether a file is active swap, asked of the file itself.
//
// `/proc/swaps` knows a swap file only by a path, which a mount may cover; a hard link to it has
// another path. The kernel's own mark is on the inode: no call may change an active swap file, and
// all of them fail with `ETXTBSY`.

pub fn is_active_swap(file: &File) -> io::Result<bool> {
    // The range ends beyond the largest offset, so that the call fails for every file.
    // `vfs_fallocate` (fs/open.c) looks for swap first: ETXTBSY means swap, and EFBIG means that
    // everything but the range was in order.
    let (offset, len) = (libc::off_t::MAX, 1);
    // SAFETY: takes no pointer; a bad descriptor or range is an error code.
    let rc = unsafe { libc::fallocate(file.as_raw_fd(), 0, offset, len) };
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        _ if rc == 0 => Err(io::Error::other("an impossible range was allocated")),
        Some(libc::ETXTBSY) => Ok(true),
        Some(libc::EFBIG | libc::EOPNOTSUPP) => Ok(false),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_no_device() {
        let file = tempfile::tempfile().unwrap();
        for how in [Emptying::Discard, Emptying::SecureDiscard, Emptying::ZeroOut] {
            assert_eq!(empty(&file, 0..512, how).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        }
        assert!(reread_partitions(&file).is_err());
    }

    #[test]
    fn an_ordinary_file_is_no_swap_and_stays_as_it_is() {
        let file = tempfile::tempfile().unwrap();
        let before = file.metadata().unwrap();
        assert!(!is_active_swap(&file).unwrap());
        let after = file.metadata().unwrap();
        assert_eq!((after.len(), after.modified().unwrap()), (0, before.modified().unwrap()));
    }
}
