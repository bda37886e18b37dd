//! Why a purge did not happen, or did not end.

use std::io;
use std::path::PathBuf;

use crate::GuardError;
use fathom_device::nvme::NvmeStatus;
use fathom_device::root::Unknown;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum PurgeError {
    /// The target is not a block device.
    #[error("{path} is not a block device, and only block devices can be purged")]
    NotADevice {
        /// The target.
        path: PathBuf,
    },
    /// A fact about the device that is needed could not be read.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The guard refused one or more of the affected devices.
    #[error("{}", joined(.0))]
    Refused(Vec<GuardError>),
    /// There is no method of this name.
    #[error("there is no purge method {name:?}")]
    NoSuchMethod {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// The device does not offer the method that was asked for.
    #[error("{device} cannot be purged by {method}: {why}")]
    NotOffered {
        /// The device.
        device: String,
        /// What was asked for.
        method: String,
        /// Why not.
        why: String,
        /// What would help.
        remedy: Option<String>,
    },
    /// A namespace that would be emptied too cannot be examined on this machine.
    #[error(
        "namespace {nsid} of {device} would be emptied too, but is not a block device here, so it cannot \
         be examined"
    )]
    HiddenNamespace {
        /// The device.
        device: String,
        /// The namespace.
        nsid: u32,
    },
    /// The drive says that it is failing.
    #[error("{device} is in critical health and is not purged: {message}")]
    CriticalHealth {
        /// The device.
        device: String,
        /// What it says, as clauses.
        message: String,
        /// What can be done.
        hint: String,
    },
    /// Under the claim the device or its namespaces are not those of the plan.
    #[error("{device} changed after the plan was made: {what}")]
    Changed {
        /// The device.
        device: String,
        /// What differs.
        what: String,
    },
    /// An NVMe drive refused a command.
    #[error("{device} refused {act}: {status}")]
    Nvme {
        /// The device.
        device: String,
        /// The command.
        act: String,
        /// The status that it returned.
        status: NvmeStatus,
    },
    /// A SCSI or ATA drive refused a command.
    #[error("{device} refused {act}: {message}")]
    Scsi {
        /// The device.
        device: String,
        /// The command.
        act: String,
        /// The reason that it gave.
        message: String,
    },
    /// The drive took the command and failed to carry it out.
    #[error("{device}: {act} failed: {message}")]
    Failed {
        /// The device.
        device: String,
        /// The command.
        act: String,
        /// What it reports.
        message: String,
        /// What would help.
        remedy: Option<String>,
    },
    /// A system call failed.
    #[error("cannot {act} {device}: {source}")]
    Io {
        /// The device or file.
        device: String,
        /// What was attempted.
        act: String,
        /// What the kernel said.
        source: io::Error,
    },
}

fn joined(errors: &[GuardError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl PurgeError {
    /// Whether safety was the reason.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Refused(errors) => errors.iter().any(GuardError::is_refusal),
            Self::HiddenNamespace { .. } | Self::CriticalHealth { .. } | Self::Changed { .. } => true,
            _ => false,
        }
    }

    /// Whether the request itself was wrong.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NotADevice { .. } | Self::NoSuchMethod { .. } | Self::NotOffered { .. })
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Refused(errors) => errors.iter().flat_map(GuardError::hints).collect(),
            Self::NoSuchMethod { known, .. } => vec![format!("the methods are {}", known.join(", "))],
            Self::NotOffered { remedy, .. } | Self::Failed { remedy, .. } => remedy.iter().cloned().collect(),
            Self::HiddenNamespace { .. } => {
                vec!["--method trim or --method zero empties only the namespace that you named".to_owned()]
            }
            Self::CriticalHealth { hint, .. } => vec![hint.clone()],
            Self::Changed { .. } => vec!["make the plan again, and read it before you go on".to_owned()],
            Self::Nvme { status, .. } if status.is_busy() => {
                vec!["the drive is busy with another operation: wait until that has ended".to_owned()]
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                vec!["only root may purge a device; a container may refuse even root".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}
