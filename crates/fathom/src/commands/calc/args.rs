//! What can be typed after `fathom calc`.

use super::raid::RaidArgs;
use super::size::size;
use clap::{Args, Subcommand};
use fathom_host::calc::capacity;
use fathom_host::calc::stripe::RaidLevel;

#[derive(Debug, Args)]
pub struct CalcArgs {
    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// The calculation that was asked for.
    #[command(subcommand)]
    pub sum: Sum,
}

/// The calculations.
#[derive(Debug, Subcommand)]
pub enum Sum {
    /// Stride and stripe width of a file system on an array
    Stride(StrideArgs),
    /// What an array can do, from what one of its drives does
    Raid(RaidArgs),
    /// What a PCIe link carries
    Pcie(PcieArgs),
    /// CPU masks to lists and back
    Affinity(AffinityArgs),
    /// The largest file for a file system
    Fill(FillArgs),
    /// Over-provisioning of a drive
    Op(OpArgs),
    /// Do rates that were measured one by one add up, and if not, why?
    Additivity(AdditivityArgs),
    /// The wait that iodrive_dma_delay adds to a write
    DmaDelay {
        /// Value of iodrive_dma_delay in steps, 0 to 31
        steps: u8,
    },
    /// Where a guide's own figure is wrong
    Slips {
        /// Row of the guide index, such as V-63; without it, all rows
        id: Option<String>,
    },
}

impl Sum {
    /// The word of the command.
    pub fn name(&self) -> &'static str {
        match self {
            Sum::Stride(_) => "stride",
            Sum::Raid(_) => "raid",
            Sum::Pcie(_) => "pcie",
            Sum::Affinity(_) => "affinity",
            Sum::Fill(_) => "fill",
            Sum::Op(_) => "op",
            Sum::Additivity(_) => "additivity",
            Sum::DmaDelay { .. } => "dma-delay",
            Sum::Slips { .. } => "slips",
        }
    }
}

#[derive(Debug, Args)]
pub struct StrideArgs {
    /// RAID level: 0, 1, 5, 6, 10 or 50
    #[arg(long)]
    pub level: RaidLevel,
    /// Number of active devices
    #[arg(long)]
    pub devices: u32,
    /// Number of groups of RAID50, or of mirrored sets of RAID10 (default: pairs)
    #[arg(long)]
    pub groups: Option<u32>,
    /// Chunk size, in KiB
    #[arg(long, value_name = "KIB")]
    pub chunk: u32,
    /// Block size of the file system, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub block: u32,
    /// Device in the printed commands
    #[arg(long, default_value = "/dev/md0")]
    pub device: String,
}

#[derive(Debug, Args)]
pub struct PcieArgs {
    /// PCIe link: gen4x4, 16x4 (GT/s and lanes), or a link status register (0x1011)
    pub link: String,
    /// A measured rate in MB/s: could this link carry it?
    #[arg(long, value_name = "MBPS")]
    pub rate: Option<f64>,
}

#[derive(Debug, Args)]
pub struct AffinityArgs {
    /// CPU masks or lists, such as 4,00000000 or 0-3,8
    #[arg(required = true)]
    pub cpus: Vec<String>,
    /// Read as a mask what could be a mask or a list, such as 10
    #[arg(long)]
    pub mask: bool,
    /// Also print the command for this interrupt
    #[arg(long, value_name = "NUMBER")]
    pub irq: Option<u32>,
}

#[derive(Debug, Args)]
pub struct FillArgs {
    /// Size of the space: 16TB (powers of ten) or 14901G (powers of two, as in job files)
    #[arg(value_parser = size)]
    pub space: u64,
    /// GiB to leave free
    #[arg(long, value_name = "GIB", default_value_t = capacity::SPARE_BYTES_DEFAULT / capacity::GIB)]
    pub spare: u64,
    /// Also say whether a file of this size fits
    #[arg(long, value_parser = size)]
    pub file: Option<u64>,
}

#[derive(Debug, Args)]
pub struct OpArgs {
    /// Flash in the drive, such as 812GB
    #[arg(value_parser = size)]
    pub physical: u64,
    /// Capacity that the drive offers, such as 640GB
    #[arg(value_parser = size)]
    pub user: u64,
    /// Percent of this capacity that will be in use
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub used: u8,
}

#[derive(Debug, Args)]
pub struct AdditivityArgs {
    /// Rates of the parts, each measured alone, in any unit
    #[arg(required = true)]
    pub alone: Vec<f64>,
    /// Rate of all parts measured together, in the same unit
    #[arg(long, value_name = "RATE")]
    pub together: f64,
}
