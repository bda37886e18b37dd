//! One reason not to write to a target, and the refusal that is made of such reasons.

use fathom_device::device::{Graph, Node};
use fathom_device::root::Root;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The system runs from it, hibernates to it or logs crashes on it.
    SystemDevice,
    /// Mounted, in any mount namespace we can see.
    Mounted,
    /// Active swap.
    Swap,
    /// Device of a mounted file system of several devices.
    PoolMember,
    /// Held by an array, volume, crypt or another device.
    Held,
    /// Another device is the same disk, reached by another path.
    OtherPath,
    /// Behind an attached loop device.
    LoopBacking,
    /// In a directory that is a layer of a mounted overlay.
    OverlayLayer,
    /// Another process has it open for writing.
    OpenForWriting,
    /// Another process has it open for reading.
    OpenForReading,
    /// The kernel says that someone has it exclusively.
    Claimed,
    /// Set read-only.
    ReadOnly,
    /// Size 0: no medium, or nothing attached.
    NoMedium,
    /// It is not the device that was judged a moment ago.
    IdentityChanged,
    /// A question that could not be answered.
    Unknown,
    /// The kernel knows partitions on it.
    Partition,
    /// A partition table.
    PartitionTable,
    /// A signature of a file system, array, volume or the like.
    Signature,
    /// Data of no known format.
    UnknownContents,
    /// The ends could not be read.
    Unreadable,
    /// No consent names the device.
    NoConsent,
    /// A file that fathom did not create.
    ForeignFile,
    /// A file on a file system that is the kernel's own state.
    KernelFile,
}

/// Which consent is needed to write in spite of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Consent to write, at the native door.
    Permission,
    /// Consent to destroy at the native door. None at the fio door, where scripts find what their
    /// own last run left.
    Residue,
    /// Consent to overwrite this file.
    Foreign,
    /// Consent to destroy, at both doors.
    Contents,
    /// No consent is enough: there is no override.
    Absolute,
}

/// One reason, on one node of the device graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// Kernel name of the node, or path of the file.
    pub node: String,
    /// The particulars, as a clause ("mounted on /srv").
    pub detail: String,
    /// What it takes to go on.
    pub weight: Weight,
    /// It is not known whether it is so of this target, and it may be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_doubt: bool,
}

impl Finding {
    /// A finding on `node`.
    pub fn new(
        kind: FindingKind,
        weight: Weight,
        node: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, node: node.into(), detail: detail.into(), weight, is_doubt: false }
    }

    /// The same, of which it may be that it is not known whether it is so.
    pub(super) fn doubted(self, is_doubt: bool) -> Self {
        Self { is_doubt, ..self }
    }

    /// Whether any consent can outweigh it.
    pub fn can_be_overridden(&self) -> bool {
        self.weight != Weight::Absolute
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.node, self.detail)
    }
}

/// Why a target may not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The path that was asked for.
    pub target: PathBuf,
    /// What the device is, for a device.
    pub device: Option<String>,
    /// All reasons, the most severe first; never empty.
    pub findings: Vec<Finding>,
    /// What the user can do, most useful first; with the exact option where
    /// one helps.
    pub hints: Vec<String>,
}

/// The hint for a device in use: no consent allows a write to it.
pub const RELEASE_FIRST: &str = "no option overrides this: unmount, stop or detach first";

impl Refusal {
    pub(super) fn absolute(target: &Path, kind: FindingKind, detail: impl Into<String>) -> Self {
        let node = target.display().to_string();
        Self {
            target: target.to_path_buf(),
            device: None,
            findings: vec![Finding::new(kind, Weight::Absolute, node, detail)],
            hints: vec!["no option overrides this".to_owned()],
        }
    }

    /// Whether some consent would have let the target through.
    pub fn can_be_overridden(&self) -> bool {
        self.findings.iter().all(Finding::can_be_overridden)
    }

    /// Whether this was among the reasons.
    pub fn has(&self, kind: FindingKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused to write {}", self.target.display())?;
        if let Some(device) = &self.device {
            write!(f, ", {device}")?;
        }
        let reasons: Vec<String> = self.findings.iter().map(ToString::to_string).collect();
        write!(f, ": {}", reasons.join("; "))
    }
}

impl std::error::Error for Refusal {}

// Devices under a loop device that another user has claimed.
//
// A mount that no table shows (it was unmounted lazily and a file of it is still in use, or no
// process is left in its namespace) shows only as a claim on its device. The claim on the target
// itself finds it. If the target is a loop device over that device, the two are claimed
// separately, so the device under the loop device is tried too.

/// What the kernel says of a device that somebody has claimed.
pub(super) const IN_EXCLUSIVE_USE: &str = "is in exclusive use, by a mount, an array or another program";

/// Findings for the claimed devices under the loop devices of the graph.
pub(super) fn in_exclusive_use(root: &Root, graph: &Graph) -> Vec<Finding> {
    let claimed = graph.under_loops().filter(|node| is_claimed(root, node));
    let finding =
        |node: &Node| Finding::new(FindingKind::Claimed, Weight::Absolute, &node.name, IN_EXCLUSIVE_USE);
    claimed.map(finding).collect()
}

fn is_claimed(root: &Root, node: &Node) -> bool {
    claim(root, node).is_err_and(|e| e.raw_os_error() == Some(libc::EBUSY))
}

fn claim(root: &Root, node: &Node) -> io::Result<File> {
    let flags = libc::O_EXCL | libc::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags).open(root.at(&node.dev_path))
}
