//! Makes a file system on a device, and mounts it.
//!
//! The guard judges the device as for any write, and holds it while it does. Then it lets the device go,
//! because the program that makes the file system claims it itself (`O_EXCL`): if something began to
//! use the device in between, the kernel refuses the program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::access::Access;
use crate::consent::Consent;
use crate::error::GuardError;
use crate::judge::Door;
use crate::open::Guard;
use crate::sys;
use fathom_device::root::Root;

/// A kind of file system that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystemKind {
    /// Its name, as `mount` knows it.
    pub name: &'static str,
    /// The program that makes it.
    pub program: &'static str,
    /// Quiet, and without a question about what the device holds: the guard has asked.
    flags: &'static [&'static str],
}

/// All kinds (mke2fs(8), mkfs.xfs(8), mkfs.btrfs(8)).
pub const FILE_SYSTEMS: &[FileSystemKind] = &[
    FileSystemKind { name: "ext4", program: "mkfs.ext4", flags: &["-q", "-F"] },
    FileSystemKind { name: "xfs", program: "mkfs.xfs", flags: &["-q", "-f"] },
    FileSystemKind { name: "btrfs", program: "mkfs.btrfs", flags: &["-q", "-f"] },
];

/// Why a file system was not made or mounted.
#[derive(Debug, thiserror::Error)]
pub enum FileSystemError {
    /// The guard did not admit the device.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// It is no block device.
    #[error("{0} is not a block device")]
    NoDevice(PathBuf),
    /// A file system of this kind cannot be made.
    #[error("fathom does not make file systems of the kind {0}; it makes ext4, xfs and btrfs")]
    UnknownKind(String),
    /// The program failed.
    #[error("{program} on {device} failed: {said}")]
    Program {
        /// The program.
        program: &'static str,
        /// The device.
        device: PathBuf,
        /// What it said.
        said: String,
    },
    /// The directory holds something, which a mount would hide.
    #[error("{0} is not empty; nothing is mounted over what it holds")]
    NotEmpty(PathBuf),
    /// A system call failed.
    #[error("cannot {act} {path}: {source}")]
    Io {
        /// What was attempted, as a verb.
        act: &'static str,
        /// The path.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

/// Makes a file system on a device. What the device holds is lost, so it needs the consent of any
/// write to it.
///
/// # Errors
/// The guard refuses, or the program fails.
pub fn make_file_system(
    root: &Root,
    consent: Consent,
    device: &Path,
    kind: &str,
) -> Result<(), FileSystemError> {
    let kind = named(kind)?;
    let node = judged(root, consent, device)?;
    let output = Command::new(kind.program).args(kind.flags).arg(&node).env("LC_ALL", "C").output();
    let failed =
        |said: String| FileSystemError::Program { program: kind.program, device: node.clone(), said };
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        Err(e) => Err(failed(e.to_string())),
    }
}

/// Mounts a device on an empty directory, which is made if it is missing. A mount writes to the
/// device, so it needs the consent of any write to it.
///
/// # Errors
/// The guard refuses, the directory holds something, or the kernel refuses.
pub fn mount(
    root: &Root,
    consent: Consent,
    device: &Path,
    kind: &str,
    at: &Path,
) -> Result<(), FileSystemError> {
    let kind = named(kind)?;
    let node = judged(root, consent, device)?;
    let failed = |act, source| FileSystemError::Io { act, path: at.to_owned(), source };
    fs::create_dir_all(at).map_err(|e| failed("make", e))?;
    if fs::read_dir(at).map_err(|e| failed("read", e))?.next().is_some() {
        return Err(FileSystemError::NotEmpty(at.to_owned()));
    }
    sys::mount(&node, at, kind.name).map_err(|e| failed("mount on", e))
}

/// Unmounts what is mounted on a directory.
///
/// # Errors
/// It is in use, or nothing is mounted there.
pub fn unmount(at: &Path) -> Result<(), FileSystemError> {
    let failed = |source| FileSystemError::Io { act: "unmount", path: at.to_owned(), source };
    sys::unmount(at).map_err(failed)
}

/// The node of a device that the guard admits for writing, and then releases.
fn judged(root: &Root, consent: Consent, device: &Path) -> Result<PathBuf, FileSystemError> {
    let guard = Guard::new(root.clone(), Door::Native, consent);
    let admitted = guard.admit(device, Access::Write)?;
    let identity = admitted.identity().filter(|_| admitted.is_claimed());
    let identity = identity.ok_or_else(|| FileSystemError::NoDevice(device.to_owned()))?;
    Ok(root.at(Path::new("/dev").join(&identity.kernel_name)))
}

fn named(kind: &str) -> Result<FileSystemKind, FileSystemError> {
    let found = FILE_SYSTEMS.iter().find(|known| known.name == kind);
    found.copied().ok_or_else(|| FileSystemError::UnknownKind(kind.to_owned()))
}
