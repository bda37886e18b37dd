//! What kind of device has such figures.

use serde::{Deserialize, Serialize};

/// A kind of device, by its figures: a likeness, and no identity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceClass {
    /// The kind, with the figures that say so.
    #[serde(flatten)]
    pub kind: ClassKind,
    /// A host provides the disk, so it may be any device, or a cache.
    pub is_virtual: bool,
}

/// The kinds. Latencies are means of one small random read at a time; bandwidth is that of large reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "class", rename_all = "kebab-case")]
pub enum ClassKind {
    /// A volume at whose limit several random jobs were held.
    Capped {
        /// The limit that somebody may have set, I/Os a second.
        iops_max: u64,
        /// A network provides the volume.
        is_network: bool,
        /// Jobs that reached the limit.
        jobs: u64,
        /// Their mean rate, I/Os a second.
        iops: f64,
        /// The largest difference of one of them from the mean, as a share.
        apart: f64,
    },
    /// Like a hard disk.
    HardDisk {
        /// Latency, ns.
        read_ns: f64,
        /// Reads a second with many in flight; absent where that was not measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reads: Option<f64>,
    },
    /// Like a SATA SSD.
    SataSsd {
        /// Latency, ns.
        read_ns: f64,
        /// Reads a second with many in flight.
        reads: f64,
        /// Bytes a second.
        bytes_per_second: f64,
    },
    /// Like an NVMe SSD.
    NvmeSsd {
        /// Latency, ns.
        read_ns: f64,
        /// Bytes a second.
        bytes_per_second: f64,
    },
    /// Like a memory card or a USB stick.
    MemoryCard {
        /// Latency, ns.
        read_ns: f64,
        /// Reads a second with many in flight.
        reads: f64,
        /// Bytes a second.
        bytes_per_second: f64,
    },
}

impl DeviceClass {
    /// Do both say the same, whatever their figures are?
    pub fn is_same(&self, other: &DeviceClass) -> bool {
        let is_same_limit = match (self.kind, other.kind) {
            (ClassKind::Capped { iops_max: a, .. }, ClassKind::Capped { iops_max: b, .. }) => a == b,
            _ => true,
        };
        let kind = |of: &DeviceClass| std::mem::discriminant(&of.kind);
        is_same_limit && kind(self) == kind(other) && self.is_virtual == other.is_virtual
    }
}
