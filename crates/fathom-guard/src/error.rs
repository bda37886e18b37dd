//! Why a target was not admitted, and why a file system was not made or mounted.

use crate::finding::Refusal;
use crate::lock::{Access, Holder};
use fathom_device::root::Unknown;
use std::io;
use std::path::{Path, PathBuf};

/// A target that was not admitted.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// Writing to it would be wrong or was not allowed.
    #[error(transparent)]
    Refused(#[from] Box<Refusal>),
    /// A fact that must be known before writing could not be found out.
    #[error("refused to write {path}: {unknown}")]
    CannotTell {
        /// The target.
        path: PathBuf,
        /// The fact, and why it is not known.
        unknown: Unknown,
    },
    /// It takes the commands of a drive, and it is not certain which block device is the same drive. So nobody knows who uses it.
    #[error("refused to open {path}: {why}")]
    Unpaired {
        /// The target.
        path: PathBuf,
        /// What speaks against a pair.
        why: String,
    },
    /// Another process has locked it.
    #[error("{}", in_use(.path, *.access, .by.as_ref()))]
    InUse {
        /// The target.
        path: PathBuf,
        /// What it was wanted for.
        access: Access,
        /// The process; `None` where fathom cannot see it.
        by: Option<Holder>,
    },
    /// The system call failed.
    #[error("cannot {act} {path}: {source}")]
    Io {
        /// What was attempted, as a verb.
        act: &'static str,
        /// The target.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The target is a directory.
    #[error("{path} is a directory, not a file or device")]
    Directory {
        /// The target.
        path: PathBuf,
    },
    /// A missing device: a regular file is never created among device nodes.
    #[error("{path}: no such device")]
    NoSuchDevice {
        /// The target.
        path: PathBuf,
    },
    /// A FIFO, a socket, or a character device that may be anything.
    #[error("{path} is a {kind}, which fathom does not open")]
    UnsupportedKind {
        /// The target.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
}

impl GuardError {
    /// Whether safety was the reason (the command line has an exit code for
    /// that).
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused(_) | Self::CannotTell { .. } | Self::Unpaired { .. } | Self::InUse { .. }
        )
    }

    /// Whether the request itself was wrong: no such target, or one of a kind that fathom does not open.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Refused(_) | Self::CannotTell { .. } | Self::Unpaired { .. } => false,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => true,
        }
    }

    /// Whether an option of the command line would have let the target through.
    pub fn lacks_consent(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.can_be_overridden())
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Refused(refusal) => refusal.hints.clone(),
            Self::CannotTell { .. } => {
                vec!["fathom does not write to anything that may be in use".to_owned()]
            }
            Self::Unpaired { .. } => {
                vec!["name the block device of the drive, with another engine: ioengine=io_uring".to_owned()]
            }
            Self::InUse { .. } => vec![
                "wait until it has ended, or name another target; several runs may read one target at the same time if none \
                 writes to it"
                    .to_owned(),
            ],
            Self::Directory { .. } => vec!["name a file in this directory".to_owned()],
            Self::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                vec![
                    "only root may open devices and files of other users; a container may refuse even root"
                        .to_owned(),
                ]
            }
            _ => Vec::new(),
        }
    }
}

/// Who uses the target, and what cannot be done with it meanwhile.
fn in_use(path: &Path, access: Access, by: Option<&Holder>) -> String {
    let act = if access == Access::Write { "write" } else { "read" };
    format!("refused to {act} {}: {}", path.display(), who_uses(access, by))
}

/// Who uses the target that is wanted for this, and what for.
pub(super) fn who_uses(wanted: Access, by: Option<&Holder>) -> String {
    match (by, wanted) {
        (Some(by), Access::Write) if by.is_fathom => format!("{by} is measuring it"),
        (Some(by), Access::Read) if by.is_fathom => format!("{by} is writing to it"),
        (Some(by), _) => format!("{by} has locked it"),
        (None, _) => {
            "a program that fathom cannot see, perhaps in another container, has locked it".to_owned()
        }
    }
}

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
    #[error("{program} on {device} failed: {message}")]
    Program {
        /// The program.
        program: &'static str,
        /// The device.
        device: PathBuf,
        /// What it said.
        message: String,
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
