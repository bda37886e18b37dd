//! Problems and remarks about the paths of the map.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagSeverity {
    /// A remark.
    Info,
    /// May lower the figures.
    Warn,
    /// Lowers the figures.
    Bad,
}

/// The kinds of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlagId {
    /// A link with fewer lanes than both ends have.
    DowngradedWidth,
    /// A link that is slower than both ends support.
    DowngradedSpeed,
    /// A device in a slot that is slower than the device.
    SlotLimited,
    /// The devices below a port need more than its link carries.
    Oversubscribed,
    /// A device behind the chipset, whose own link is shared and may not be visible.
    ChipsetAttached,
    /// An array over several NUMA nodes.
    CrossNumaArray,
    /// Members of one array with different links.
    UnevenMembers,
    /// Members of one array that share a link.
    SharedUplinkArray,
    /// No NUMA node is known although the machine has several.
    UnknownNuma,
    /// A link on the path may save power.
    AspmOnPath,
    /// Errors have been counted on a link.
    AerErrors,
    /// A payload size below what the whole path can take.
    MpsGap,
    /// A drive at or above the temperature from which it warns.
    Hot,
}

impl FlagId {
    /// The name in output: `downgraded-width`.
    pub fn word(self) -> &'static str {
        match self {
            Self::DowngradedWidth => "downgraded-width",
            Self::DowngradedSpeed => "downgraded-speed",
            Self::SlotLimited => "slot-limited",
            Self::Oversubscribed => "oversubscribed",
            Self::ChipsetAttached => "chipset-attached",
            Self::CrossNumaArray => "cross-numa-array",
            Self::UnevenMembers => "uneven-members",
            Self::SharedUplinkArray => "shared-uplink-array",
            Self::UnknownNuma => "unknown-numa",
            Self::AspmOnPath => "aspm-on-path",
            Self::AerErrors => "aer-errors",
            Self::MpsGap => "mps-gap",
            Self::Hot => "hot",
        }
    }
}

/// A file where a user can check the flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FlagEvidence {
    /// The path of the file.
    #[serde(with = "fathom_device::saved_path")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The text of the file, or the value in it.
    pub value: String,
}

/// A flag on one node of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flag {
    /// The kind of flag.
    pub id: FlagId,
    /// How much it matters.
    pub severity: FlagSeverity,
    /// The node of the map: an address, a disk, an array.
    pub node: String,
    /// One line for the map.
    pub short: String,
    /// What it means and what to do.
    pub explain: String,
    /// The facts behind it.
    pub evidence: Vec<FlagEvidence>,
}
