//! What can be typed after `fathom calc`.

use super::size::size;
use clap::{Args, Subcommand};
use fathom_host::calc::fill;
use fathom_host::calc::stripe::Level;

/// `fathom calc`.
#[derive(Debug, Args)]
pub struct CalcArgs {
    /// Which sum.
    #[command(subcommand)]
    pub sum: Sum,
}

/// The sums.
#[derive(Debug, Subcommand)]
pub enum Sum {
    /// Stride and stripe width of a file system on an array
    Stride(StrideArgs),
    /// What a PCIe link carries
    Pcie(PcieArgs),
    /// CPU masks to lists and back
    Affinity(AffinityArgs),
    /// The largest file for a file system
    Fill(FillArgs),
    /// Over-provisioning of a drive
    Op(OpArgs),
    /// Do rates measured one by one add up, and what ties them?
    Additivity(AdditivityArgs),
    /// The wait that iodrive_dma_delay adds to a write
    DmaDelay {
        /// Steps, 0 to 31
        steps: u8,
    },
    /// Where a guide's own figure is wrong
    Slips {
        /// One row, such as V-63; without it, all
        id: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// `fathom calc stride`.
#[derive(Debug, Args)]
pub struct StrideArgs {
    /// RAID level: 0, 1, 5, 6, 10 or 50
    #[arg(long)]
    pub level: Level,
    /// Active devices
    #[arg(long)]
    pub devices: u32,
    /// Groups of RAID50, or mirrored sets of RAID10 (default: pairs)
    #[arg(long)]
    pub groups: Option<u32>,
    /// Chunk, in KiB
    #[arg(long, value_name = "KIB")]
    pub chunk: u32,
    /// Block of the file system, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub block: u32,
    /// Device in the printed commands
    #[arg(long, default_value = "/dev/md0")]
    pub device: String,
}

/// `fathom calc pcie`.
#[derive(Debug, Args)]
pub struct PcieArgs {
    /// gen4x4, 16x4 (GT/s and lanes), or a link status register: 0x1011
    pub link: String,
    /// A measured rate in MB/s: could this link carry it?
    #[arg(long, value_name = "MBPS")]
    pub rate: Option<f64>,
}

/// `fathom calc affinity`.
#[derive(Debug, Args)]
pub struct AffinityArgs {
    /// Masks or lists: 4,00000000 or 0-3,8
    #[arg(required = true)]
    pub cpus: Vec<String>,
    /// Take for a mask what could be both, such as 10
    #[arg(long)]
    pub mask: bool,
    /// Also print the command for this interrupt
    #[arg(long, value_name = "NUMBER")]
    pub irq: Option<u32>,
}

/// `fathom calc fill`.
#[derive(Debug, Args)]
pub struct FillArgs {
    /// Space: 16TB (powers of ten) or 14901G (powers of two, as in job files)
    #[arg(value_parser = size)]
    pub space: u64,
    /// GiB to leave free
    #[arg(long, value_name = "GIB", default_value_t = fill::SPARE_BYTES_DEFAULT / fill::GIB)]
    pub spare: u64,
    /// Would a file of this size fit?
    #[arg(long, value_parser = size)]
    pub file: Option<u64>,
}

/// `fathom calc op`.
#[derive(Debug, Args)]
pub struct OpArgs {
    /// Flash in the drive, such as 812GB
    #[arg(value_parser = size)]
    pub physical: u64,
    /// What it offers, such as 640GB
    #[arg(value_parser = size)]
    pub user: u64,
    /// Percent of it that is ever written
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub used: u8,
}

/// `fathom calc additivity`.
#[derive(Debug, Args)]
pub struct AdditivityArgs {
    /// Rate of each alone, in any unit
    #[arg(required = true)]
    pub alone: Vec<f64>,
    /// Rate of all together
    #[arg(long)]
    pub together: f64,
}
