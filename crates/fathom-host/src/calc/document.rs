//! The answers of `fathom calc` as types: what its text says, and what `--json` prints.

use super::additivity::{Additivity, Tie};
use super::pcie::{LinkRate, LinkUse};
use super::raid::WriteCost;
use super::slips::Slip;
use super::stripe::Stripe;
use serde::Serialize;

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// One calculation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalcDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The answer.
    #[serde(flatten)]
    pub answer: CalcAnswer,
}

impl From<CalcAnswer> for CalcDocument {
    fn from(answer: CalcAnswer) -> Self {
        CalcDocument { format: FORMAT, answer }
    }
}

/// What was calculated. `calc` is the word of the command.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "calc", rename_all = "kebab-case")]
pub enum CalcAnswer {
    /// Stride and stripe width.
    Stride(StrideAnswer),
    /// What an array can do.
    Raid(RaidAnswer),
    /// What a PCIe link carries.
    Pcie(PcieAnswer),
    /// Sets of CPUs.
    Affinity {
        /// The sets, in the order in which they were typed.
        sets: Vec<CpuSetAnswer>,
    },
    /// The largest file.
    Fill(FillAnswer),
    /// Over-provisioning.
    Op {
        /// Over-provisioning, per cent.
        percent: f64,
        /// Share of the capacity that is in use, per cent.
        used_percent: u8,
    },
    /// Whether rates add up.
    Additivity(AdditivityAnswer),
    /// The wait that iodrive_dma_delay adds to a write.
    DmaDelay {
        /// The value of iodrive_dma_delay.
        steps: u8,
        /// The wait, µs.
        delay_us: f64,
    },
    /// Errors in guides.
    Slips {
        /// The errors.
        slips: Vec<Slip>,
    },
}

/// The geometry of a file system on an array.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrideAnswer {
    /// The geometry.
    #[serde(flatten)]
    pub stripe: Stripe,
    /// A whole stripe, KiB.
    pub stripe_kib: u64,
    /// The command that makes such an ext4.
    pub mkfs_ext4: String,
    /// The command that makes such an XFS.
    pub mkfs_xfs: String,
}

/// What an array can do with small random I/O.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaidAnswer {
    /// The level: `RAID5`.
    pub level: String,
    /// Active devices.
    pub devices: u32,
    /// Share of the I/Os that are writes, per cent.
    pub writes_percent: f64,
    /// What one write costs the devices.
    pub write_cost: WriteCost,
    /// The most I/Os a second that the devices have time for.
    pub iops_max: f64,
    /// What the array was measured to do; null if that was not given.
    pub measured: Option<MeasuredArray>,
}

/// What an array was measured to do.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredArray {
    /// I/Os a second.
    pub iops: f64,
    /// Share of the most that the devices have time for, per cent.
    pub percent_of_max: f64,
    /// I/Os a second for each per cent of all CPUs; null if their use was not given.
    pub iops_per_cpu_percent: Option<f64>,
}

/// What a PCIe link carries.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PcieAnswer {
    /// The link.
    pub link: LinkRate,
    /// The most that it carries, for each size of payload.
    pub payloads: Vec<PayloadAnswer>,
    /// A measured rate; null if none was given.
    pub measured: Option<MeasuredRate>,
}

/// The most that a link carries with one size of payload.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PayloadAnswer {
    /// Data of one packet, bytes.
    pub payload_bytes: u32,
    /// The most that reads carry, 10⁶ bytes/s.
    pub read_mbps_max: f64,
    /// The most that writes carry, 10⁶ bytes/s.
    pub write_mbps_max: f64,
}

/// A measured rate, compared with what the link carries.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredRate {
    /// The rate, 10⁶ bytes/s.
    pub mbps: f64,
    /// Whether the link could carry it.
    pub verdict: LinkUse,
}

/// One set of CPUs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuSetAnswer {
    /// As a list: `0-3,8`.
    pub list: String,
    /// As a mask: `10f`.
    pub mask: String,
    /// The command that binds the interrupt to it; null if none was given.
    pub command: Option<String>,
}

/// The largest file for a file system.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FillAnswer {
    /// Size of the space, bytes.
    pub space_bytes: u64,
    /// What stays free, GiB.
    pub spare_gib: u64,
    /// The largest file, GiB.
    pub size_gib: u64,
    /// A file that was asked about; null if none was.
    pub file: Option<FileFit>,
}

/// Whether a file fits.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileFit {
    /// Size of the file, bytes.
    pub file_bytes: u64,
    /// Whether it fits.
    pub fits: bool,
    /// What stays free, or what is missing, bytes.
    pub difference_bytes: u64,
}

/// Whether rates that were measured one by one add up.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdditivityAnswer {
    /// The rates.
    #[serde(flatten)]
    pub rates: Additivity,
    /// The rate together, per cent of the sum.
    pub percent: f64,
    /// What limits them.
    pub verdict: Tie,
}
