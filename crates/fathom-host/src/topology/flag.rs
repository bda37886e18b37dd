//! What is wrong on the way, or worth knowing.

use std::path::PathBuf;

use serde::Serialize;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// May cost something.
    Warn,
    /// Costs something.
    Bad,
}

/// The kinds of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlagId {
    /// A link with fewer lanes than both ends have.
    DowngradedWidth,
    /// A link slower than both ends could.
    DowngradedSpeed,
    /// A device in a slot that can do less than it.
    SlotLimited,
    /// More needed below a port than its link carries.
    Oversubscribed,
    /// Behind the chipset, whose own link is shared and may be invisible.
    ChipsetAttached,
    /// An array over several NUMA nodes.
    CrossNumaArray,
    /// Members of one array that cannot do the same.
    UnevenMembers,
    /// Members of one array that share a link.
    SharedUplinkArray,
    /// No NUMA node is known although the machine has several.
    UnknownNuma,
    /// A link on the way may save power.
    AspmOnPath,
    /// Errors have been counted on a link.
    AerErrors,
    /// A payload size below what the whole path could take.
    MpsGap,
    /// A drive at or above the temperature from which it warns.
    Hot,
}

impl FlagId {
    /// As it is written: `downgraded-width`.
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

/// Where somebody can see for themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The file.
    #[serde(with = "fathom_device::saved_path")]
    pub path: PathBuf,
    /// What it says.
    pub value: String,
}

/// A flag on one node of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// Which kind.
    pub id: FlagId,
    /// How much it matters.
    pub severity: Severity,
    /// The node: an address, a disk, an array.
    pub node: String,
    /// One line for the map.
    pub short: String,
    /// What it means and what to do.
    pub explain: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
}
