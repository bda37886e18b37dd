//! Why a file system was not made on a device, or not mounted.

use std::io;
use std::path::PathBuf;

use crate::error::GuardError;

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
    /// The program that makes it is not installed.
    #[error("{program} is not installed, and it makes {kind}")]
    NoProgram {
        /// The program.
        program: &'static str,
        /// The kind of file system.
        kind: &'static str,
    },
    /// The kernel cannot mount this kind.
    #[error("this kernel has no {0}, so nothing of this kind can be mounted")]
    NotInKernel(&'static str),
    /// This process may not mount.
    #[error("this process may not mount a file system: it lacks the capability CAP_SYS_ADMIN")]
    MayNotMount,
    /// It is not a directory, or what is above it in its path is not one.
    #[error("{0} is not a directory")]
    NoDirectory(PathBuf),
    /// A file system is mounted on the directory.
    #[error("something is mounted on {0} already")]
    Mounted(PathBuf),
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

impl FileSystemError {
    /// Whether safety was the reason.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Guard(guard) => guard.is_refusal(),
            Self::Mounted(_) | Self::NotEmpty(_) => true,
            _ => false,
        }
    }

    /// Whether the request itself was wrong.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Guard(guard) => guard.is_usage(),
            Self::UnknownKind(_) | Self::NoDevice(_) | Self::NoDirectory(_) => true,
            _ => false,
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Guard(guard) => return guard.hints(),
            Self::NoProgram { program, .. } => format!("install the package with {program}"),
            Self::NotInKernel(_) => {
                "give another --kind; /proc/filesystems lists what the kernel has".to_owned()
            }
            Self::MayNotMount => "run it as root, outside of a container that forbids mounts".to_owned(),
            Self::NoDirectory(_) | Self::Mounted(_) | Self::NotEmpty(_) => {
                "name an empty directory, or one that does not exist yet".to_owned()
            }
            _ => return Vec::new(),
        };
        vec![hint]
    }
}
