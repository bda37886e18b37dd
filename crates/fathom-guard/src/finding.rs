//! One reason not to write to a target.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// Kernel name of the node, or path of the file.
    pub node: String,
    /// The particulars, as a clause ("mounted on /srv").
    pub detail: String,
    /// What it takes to go on.
    pub weight: Weight,
}

impl Finding {
    /// A finding on `node`.
    pub fn new(
        kind: FindingKind,
        weight: Weight,
        node: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, node: node.into(), detail: detail.into(), weight }
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
