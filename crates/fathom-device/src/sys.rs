//! The system calls that the standard library does not offer.
//!
//! All of the crate's `unsafe` is here and in the files of `sys/`, behind functions that take owned or
//! borrowed descriptors and return plain values.

pub mod cache;
pub mod child;
pub mod device_mapper;
pub mod fiemap;
pub mod lease;
pub mod nvme;
pub mod perf;
pub mod scsi;

use crate::device::DevNumber;
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// `BLKGETDISKSEQ` of linux/fs.h (5.15): `_IOR(0x12, 128, __u64)`.
const BLKGETDISKSEQ: libc::Ioctl = libc::_IOR::<u64>(0x12, 128);

/// Pins the inode that `path` leads to, without the side effects of an open
/// (`O_PATH`: no driver is called). Every later open goes through this pin.
pub fn pin(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)
}

/// Opens the inode that `fd` refers to once more, for reading. `flags` are `O_*` bits other than
/// the access mode.
pub fn reopen(fd: &File, flags: i32) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(flags).open(proc_path(fd)).map_err(without_proc)
}

/// The error of a path below `/proc/self/fd`, which leads to an open file, whatever became of its name. So where it is not
/// found, there is no `/proc`.
pub fn without_proc(e: io::Error) -> io::Error {
    match e.kind() {
        io::ErrorKind::NotFound => io::Error::other(
            "/proc is not mounted, and fathom opens files through it (mount -t proc proc /proc)",
        ),
        _ => e,
    }
}

/// The name by which the kernel lets us reach the open file `fd` again.
pub fn proc_path(fd: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

/// Where the open file `fd` is now, links resolved.
pub fn path_of(fd: &File) -> io::Result<PathBuf> {
    std::fs::read_link(proc_path(fd)).map_err(without_proc)
}

/// The fields of `statx` that we use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extended {
    /// File type and permission bits.
    pub mode: u32,
    /// The device of the file system.
    pub dev: DevNumber,
    /// Its number there.
    pub inode: u64,
    /// Length in bytes.
    pub size_bytes: u64,
    /// Bytes of the blocks that it has.
    pub allocated_bytes: u64,
    /// The device of a node.
    pub rdev: DevNumber,
    /// Mount ID, the first field of mountinfo (5.8).
    pub mount_id: Option<u64>,
    /// Whether a mount begins here, as with a file that another one is bound
    /// over (5.8). Such a file is shown under the name of the mount point.
    pub is_mount_root: Option<bool>,
    /// Memory and offset alignment in bytes that O_DIRECT needs (6.1); both 0
    /// where O_DIRECT is not supported.
    pub dio_align_bytes: Option<(u32, u32)>,
}

impl Extended {
    /// Whether the file is a block device node.
    pub fn is_block(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFBLK
    }
}

/// `statx` of an open file, `O_PATH` included.
pub fn statx_file(fd: &File) -> io::Result<Extended> {
    statx(fd.as_raw_fd(), c"", libc::AT_EMPTY_PATH)
}

/// `statx` of what a path leads to.
pub fn statx_path(path: &Path) -> io::Result<Extended> {
    statx(libc::AT_FDCWD, &c_name(path)?, 0)
}

/// A path as the kernel reads it.
pub fn c_name(path: &Path) -> io::Result<std::ffi::CString> {
    Ok(std::ffi::CString::new(path.as_os_str().as_bytes())?)
}

/// `statx` of a path, answered from cache where the file system allows it, so
/// that another process's file on a dead network server cannot hang us.
pub fn statx_cached(path: &Path) -> io::Result<Extended> {
    statx(libc::AT_FDCWD, &c_name(path)?, libc::AT_STATX_DONT_SYNC | libc::AT_NO_AUTOMOUNT)
}

/// The least and the largest write that what a path leads to does whole or not at all, bytes; `None` where it promises
/// none, and before Linux 6.11.
pub fn atomic_write_bytes(path: &Path) -> io::Result<Option<(u32, u32)>> {
    let out = raw_statx(libc::AT_FDCWD, &c_name(path)?, 0, libc::STATX_WRITE_ATOMIC)?;
    let limits = (out.stx_atomic_write_unit_min, out.stx_atomic_write_unit_max);
    Ok(Some(limits).filter(|limits| out.stx_mask & libc::STATX_WRITE_ATOMIC != 0 && limits.0 > 0))
}

fn raw_statx(dir: i32, name: &std::ffi::CStr, flags: i32, mask: u32) -> io::Result<libc::statx> {
    let mut out = MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: `name` is NUL-terminated and `out` is a writable statx buffer;
    // both live across the call, and the kernel keeps neither.
    let rc = unsafe { libc::statx(dir, name.as_ptr(), flags, mask, out.as_mut_ptr()) };
    check(rc)?;
    // SAFETY: statx is integers only, so the zeroed buffer is a valid value
    // whatever part of it the kernel filled.
    Ok(unsafe { out.assume_init() })
}

fn statx(dir: i32, name: &std::ffi::CStr, flags: i32) -> io::Result<Extended> {
    let mask = libc::STATX_BASIC_STATS | libc::STATX_MNT_ID | libc::STATX_DIOALIGN;
    let out = raw_statx(dir, name, flags, mask)?;
    let has = |bit| out.stx_mask & bit != 0;
    let root = libc::STATX_ATTR_MOUNT_ROOT as u64;
    Ok(Extended {
        mode: u32::from(out.stx_mode),
        dev: DevNumber { major: out.stx_dev_major, minor: out.stx_dev_minor },
        inode: out.stx_ino,
        size_bytes: out.stx_size,
        allocated_bytes: out.stx_blocks.saturating_mul(512),
        rdev: DevNumber { major: out.stx_rdev_major, minor: out.stx_rdev_minor },
        is_mount_root: (out.stx_attributes_mask & root != 0).then_some(out.stx_attributes & root != 0),
        mount_id: has(libc::STATX_MNT_ID).then_some(out.stx_mnt_id),
        dio_align_bytes: has(libc::STATX_DIOALIGN)
            .then_some((out.stx_dio_mem_align, out.stx_dio_offset_align)),
    })
}

/// The sequence number of the disk behind an open block device. It is never used twice in one boot,
/// so it distinguishes a replaced disk from the one that was judged. `None` where the kernel is
/// older than 5.15.
pub fn disk_sequence(fd: &File) -> io::Result<Option<u64>> {
    let mut sequence = 0u64;
    // SAFETY: BLKGETDISKSEQ writes one u64 to the pointer, which is ours and
    // outlives the call; on anything but a block device it fails untouched.
    let rc = unsafe { libc::ioctl(fd.as_raw_fd(), BLKGETDISKSEQ, &raw mut sequence) };
    match check(rc) {
        Ok(()) => Ok(Some(sequence)),
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOTTY | libc::EINVAL)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Drops the clean cached pages of a range, so that what is read next is what the device holds.
/// This is advice: if it fails, the next read may come from the cache.
pub fn forget_cached(fd: &File, offset: u64, len: u64) {
    let range = (i64::try_from(offset), i64::try_from(len));
    if let (Ok(offset), Ok(len)) = range {
        // SAFETY: takes no pointer; a bad descriptor or range is an error code.
        unsafe { libc::posix_fadvise(fd.as_raw_fd(), offset, len, libc::POSIX_FADV_DONTNEED) };
    }
}

/// Whether the kernel reads more than it is asked for, because what follows may be wanted too. A device that is slow is then
/// waited for longer, and so is its last close. This is advice.
pub fn reads_ahead(fd: &File, does: bool) {
    let advice = if does { libc::POSIX_FADV_NORMAL } else { libc::POSIX_FADV_RANDOM };
    // SAFETY: takes no pointer; a bad descriptor is an error code.
    unsafe { libc::posix_fadvise(fd.as_raw_fd(), 0, 0, advice) };
}

/// The magic number and the bytes of a file system.
#[derive(Debug, Clone, Copy)]
pub struct FileSystem {
    /// `f_type` of statfs.
    pub magic: u32,
    /// All its bytes.
    pub size_bytes: u64,
    /// Bytes available to an unprivileged user.
    pub free_bytes: u64,
    /// Bytes free, also those that only root may use.
    pub unused_bytes: u64,
    /// Bytes available to us: with CAP_SYS_RESOURCE, also those in reserve. `None`
    /// where the file system does not say how large it is (some of FUSE).
    pub usable_bytes: Option<u64>,
}

/// The file system that an open file (`O_PATH` included) is on.
pub fn file_system(fd: &File) -> io::Result<FileSystem> {
    // SAFETY: `out` is a writable statfs buffer that outlives the call.
    statfs(|out| unsafe { libc::fstatfs(fd.as_raw_fd(), out) })
}

/// The file system that a path leads to.
pub fn file_system_at(path: &Path) -> io::Result<FileSystem> {
    let name = c_name(path)?;
    // SAFETY: `name` is NUL-terminated and `out` is a writable statfs buffer; both
    // outlive the call.
    statfs(|out| unsafe { libc::statfs(name.as_ptr(), out) })
}

fn statfs(ask: impl FnOnce(*mut libc::statfs) -> i32) -> io::Result<FileSystem> {
    let mut out = MaybeUninit::<libc::statfs>::zeroed();
    check(ask(out.as_mut_ptr()))?;
    // SAFETY: statfs is integers only, so the zeroed buffer is a valid value
    // whatever part of it the kernel filled.
    let out = unsafe { out.assume_init() };
    let bytes = |blocks: u64| blocks.saturating_mul(out.f_frsize as u64);
    Ok(FileSystem {
        // Magics are 32 bits; f_type's width and sign differ by architecture.
        magic: (out.f_type as u64 & 0xffff_ffff) as u32,
        free_bytes: bytes(out.f_bavail),
        unused_bytes: bytes(out.f_bfree),
        usable_bytes: (out.f_blocks > 0)
            .then(|| bytes(if may_use_reserve() { out.f_bfree } else { out.f_bavail })),
        size_bytes: bytes(out.f_blocks),
    })
}

/// Whether an open file carries the extended attribute `name`.
pub fn has_attribute(fd: &File, name: &std::ffi::CStr) -> bool {
    // SAFETY: `name` is NUL-terminated; a null buffer of length 0 asks for the
    // size only, so nothing is written.
    let rc = unsafe { libc::fgetxattr(fd.as_raw_fd(), name.as_ptr(), std::ptr::null_mut(), 0) };
    rc >= 0
}

/// Whether this user may create a file in the directory, as far as the kernel says before it is
/// tried. Nothing is created.
pub fn may_write(directory: &Path) -> bool {
    let Ok(name) = c_name(directory) else { return false };
    let mode = libc::W_OK | libc::X_OK;
    // SAFETY: `name` is NUL-terminated.
    unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), mode, libc::AT_EACCESS) == 0 }
}

/// May this process use the blocks that a file system keeps in reserve? Root in a container often lacks the capability for it.
/// (The user of the mount option `resuid` may, too; that one is taken for any other, which is the safe side.)
fn may_use_reserve() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    let read = || std::fs::read_to_string("/proc/self/status").ok();
    *MAY.get_or_init(|| {
        read().and_then(|status| has_capability(&status, CAP_SYS_RESOURCE)).unwrap_or(user() == 0)
    })
}

/// Number of the capability to pass over limits of resources (capabilities(7)).
const CAP_SYS_RESOURCE: u32 = 24;

/// Is this capability effective, by the text of `/proc/PID/status`? `None` where that does not say.
pub fn has_capability(status: &str, number: u32) -> Option<bool> {
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    Some(u64::from_str_radix(mask.trim(), 16).ok()? >> number & 1 == 1)
}

/// The effective user of this process.
pub fn user() -> u32 {
    // SAFETY: takes no argument, touches no memory and cannot fail.
    unsafe { libc::geteuid() }
}

/// The error of a system call that returned -1.
pub fn check(rc: libc::c_int) -> io::Result<()> {
    if rc == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// A limit's number for `getrlimit`, whose type differs between C libraries.
type Resource = libc::__rlimit_resource_t;

/// The soft and hard value of a limit; `None` is unlimited.
pub fn limit(resource: Resource) -> io::Result<(Option<u64>, Option<u64>)> {
    let mut out = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `out` is a writable rlimit that outlives the call.
    check(unsafe { libc::getrlimit(resource, &raw mut out) })?;
    let value = |v: u64| (v != libc::RLIM_INFINITY).then_some(v);
    Ok((value(out.rlim_cur), value(out.rlim_max)))
}

// The file or device under a loop device, by `LOOP_GET_STATUS64` (linux/loop.h).
//
// The kernel asks the file system of the backing file for its numbers, which
// may never answer; see `child`.

/// `LOOP_GET_STATUS64` of linux/loop.h.
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;

/// `struct loop_info64` of linux/loop.h: 232 bytes. It begins with the
/// numbers that are used here: device, inode and, for a device node, the
/// number of its device.
const INFO_WORDS: usize = 29;

/// The file under a loop device, as the kernel knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopStatus {
    /// `st_dev` of the file.
    pub dev: DevNumber,
    /// `st_ino` of the file.
    pub inode: u64,
    /// The device of the file; `None` for a regular file.
    pub rdev: Option<DevNumber>,
}

impl LoopStatus {
    /// Reads the first three numbers of a `loop_info64`. The kernel packs the
    /// numbers of devices as it packs `st_dev`.
    pub fn of([dev, inode, rdev]: [u64; 3]) -> Self {
        let rdev = (rdev != 0).then(|| DevNumber::from_raw(rdev));
        Self { dev: DevNumber::from_raw(dev), inode, rdev }
    }
}

/// CPU time that the calling thread has used, user and system, ns.
///
/// # Errors
/// Where the kernel does not keep it.
pub fn thread_cpu_ns() -> io::Result<u64> {
    cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time that all threads of this process have used, user and system, ns.
///
/// # Errors
/// Where the kernel does not keep it.
pub fn process_cpu_ns() -> io::Result<u64> {
    cpu_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn cpu_ns(clock: libc::clockid_t) -> io::Result<u64> {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is a writable timespec that outlives the call.
    check(unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) })?;
    // SAFETY: timespec is integers only, and the call has filled it.
    let time = unsafe { time.assume_init() };
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root in a container of Docker, root of a machine, and root without this one capability alone.
    #[test]
    fn only_a_capability_opens_the_reserve() {
        for (mask, may) in
            [("00000000a80425fb", false), ("000001ffffffffff", true), ("000001fffeffffff", false)]
        {
            let status = format!("Name:\tfathom\nCapPrm:\tffffffffffffffff\nCapEff:\t{mask}\n");
            assert_eq!(has_capability(&status, CAP_SYS_RESOURCE), Some(may), "{mask}");
        }
        assert_eq!(has_capability("Name:\tfathom\n", CAP_SYS_RESOURCE), None);
    }
}
