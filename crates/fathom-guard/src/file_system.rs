//! Makes a file system on a device, and mounts it.
//!
//! The guard judges the device as for any write, and holds it while it does. Then it lets the device go,
//! because the program that makes the file system claims it itself (`O_EXCL`): if something began to
//! use the device in between, the kernel refuses the program.

use crate::consent::Consent;
use crate::error::FileSystemError;
use crate::judge::Door;
use crate::lock::Access;
use crate::mount_point::MountPoint;
use crate::open::Guard;
use crate::{program, sys};
use fathom_device::root::Root;
use fathom_device::sys::has_capability;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Finds out whether a file system can be made on a device and mounted on a directory, without a write. What no consent can
/// change comes first.
///
/// # Errors
/// What [`create_file_system`] would end with, as far as it can be known before.
pub fn check_file_system(
    root: &Root,
    consent: Consent,
    device: &Path,
    kind: &str,
    at: &Path,
) -> Result<(), FileSystemError> {
    let kind = named(kind)?;
    MountPoint::check(at)?;
    can_be_mounted(root, kind)?;
    kind.program_path()?;
    judged(root, consent, device).map(drop)
}

/// Makes a file system on a device, and mounts it on an empty directory, which is made if it is missing. What the device
/// holds is lost, so it needs the consent of any write to it. All that can be checked is checked before that.
///
/// # Errors
/// The guard refuses, the directory cannot be mounted on, or a program or the kernel fails.
pub fn create_file_system(
    root: &Root,
    consent: &Consent,
    device: &Path,
    kind: &str,
    at: &Path,
) -> Result<(), FileSystemError> {
    check_file_system(root, consent.clone(), device, kind, at)?;
    let point = MountPoint::make(at)?;
    make_file_system(root, consent.clone(), device, kind)?;
    // The new file system is content too, so the same consent is asked for the mount.
    mount_on(root, consent.clone(), device, named(kind)?, point)
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
    let program = kind.program_path()?;
    let node = judged(root, consent, device)?;
    let output = Command::new(program).args(kind.flags).arg(&node).env("LC_ALL", "C").output();
    let failed =
        |message: String| FileSystemError::Program { program: kind.program, device: node.clone(), message };
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
/// The guard refuses, the directory cannot be mounted on, or the kernel refuses.
pub fn mount(
    root: &Root,
    consent: Consent,
    device: &Path,
    kind: &str,
    at: &Path,
) -> Result<(), FileSystemError> {
    let kind = named(kind)?;
    mount_on(root, consent, device, kind, MountPoint::make(at)?)
}

fn mount_on(
    root: &Root,
    consent: Consent,
    device: &Path,
    kind: FileSystemKind,
    point: MountPoint,
) -> Result<(), FileSystemError> {
    let node = judged(root, consent, device)?;
    let at = point.path();
    let failed = |source| FileSystemError::Io { act: "mount on", path: at.to_owned(), source };
    sys::mount(&node, at, kind.name).map_err(failed)?;
    point.keep();
    Ok(())
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

/// Number of CAP_SYS_ADMIN (linux/capability.h), which `mount(2)` needs.
const CAP_SYS_ADMIN: u32 = 21;

/// Whether this process may mount this kind, and the kernel has it. What is not known is left to the kernel.
fn can_be_mounted(root: &Root, kind: FileSystemKind) -> Result<(), FileSystemError> {
    let status = root.read_text("/proc/self/status").unwrap_or_default();
    if has_capability(&status, CAP_SYS_ADMIN) == Some(false) {
        return Err(FileSystemError::MayNotMount);
    }
    let Ok(known) = root.read_text("/proc/filesystems") else { return Ok(()) };
    let is_known = known.lines().any(|line| line.split_whitespace().last() == Some(kind.name));
    match is_known || program::has_module(kind.name) {
        true => Ok(()),
        false => Err(FileSystemError::NotInKernel(kind.name)),
    }
}

impl FileSystemKind {
    /// The program that makes it.
    fn program_path(self) -> Result<PathBuf, FileSystemError> {
        let missing = FileSystemError::NoProgram { program: self.program, kind: self.name };
        program::find(self.program).ok_or(missing)
    }
}

fn named(kind: &str) -> Result<FileSystemKind, FileSystemError> {
    let kind_named = FILE_SYSTEMS.iter().find(|known| known.name == kind);
    kind_named.copied().ok_or_else(|| FileSystemError::UnknownKind(kind.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::tree::Tree;

    /// What keeps the kernel from mounting is known before the device is formatted.
    #[test]
    fn what_the_kernel_cannot_mount_is_not_made() {
        let judged = |capabilities: &str, kinds: &str, kind: &str| {
            let tree = format!(
                "fathom-tree 1\n/proc/self/status = CapEff:\t{capabilities}\n/proc/filesystems <<\n{kinds}\n"
            );
            let root = Root::held(&Tree::parse(&tree).unwrap());
            can_be_mounted(&root, named(kind).unwrap()).map_err(|e| e.to_string())
        };
        assert_eq!(judged("000001ffffffffff", "\t\text4\n\t\txfs", "xfs"), Ok(()));
        let message = judged("000001ffffdfffff", "\t\text4\n\t\txfs", "xfs").unwrap_err();
        assert!(message.contains("CAP_SYS_ADMIN"), "{message}");
        // Whether modprobe has the module depends on the machine.
        let absent = judged("000001ffffffffff", "\tnodev\tproc", "btrfs");
        assert_eq!(absent.is_ok(), program::has_module("btrfs"));
    }
}
