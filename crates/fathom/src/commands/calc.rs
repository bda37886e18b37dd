//! `fathom calc`: the sums that the guides do by hand. Nothing is read but
//! what is typed.

use crate::failure::{Exit, Failure, print};
use clap::{Args, Subcommand};
use fathom_host::calc::additivity::{Additivity, Tie};
use fathom_host::calc::affinity::{self, Form};
use fathom_host::calc::link_register::LinkStatus;
use fathom_host::calc::packet::{Direction, PAYLOADS_BYTES};
use fathom_host::calc::pcie::LinkRate;
use fathom_host::calc::slips::{self, Slip};
use fathom_host::calc::stripe::{Array, Level};
use fathom_host::calc::{dma_delay, fill, overprovision};
use std::fmt::Display;

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

/// Runs the command.
pub fn run(args: &CalcArgs) -> Result<Exit, Failure> {
    let text = match &args.sum {
        Sum::Stride(args) => stride(args)?,
        Sum::Pcie(args) => pcie(args)?,
        Sum::Affinity(args) => masks(args)?,
        Sum::Fill(args) => fill_size(args)?,
        Sum::Op(args) => op(args)?,
        Sum::Additivity(args) => additivity(args)?,
        Sum::DmaDelay { steps } => {
            format!(
                "{steps} of {}: {} µs\n",
                dma_delay::STEPS_MAX,
                dma_delay::delay_us(*steps).map_err(usage)?
            )
        }
        Sum::Slips { id, json } => slips_text(id.as_deref(), *json)?,
    };
    print(&text)?;
    Ok(Exit::Ok)
}

fn usage(error: impl Display) -> Failure {
    Failure::new(Exit::Usage, error)
}

fn stride(args: &StrideArgs) -> Result<String, Failure> {
    let groups = args.groups.unwrap_or(match args.level {
        Level::Raid10 if args.devices % 2 == 0 => args.devices / 2,
        Level::Raid50 | Level::Raid10 => {
            return Err(usage(format!("{} of {} devices: in how many groups?", args.level, args.devices))
                .hint("say it with --groups"));
        }
        _ => 1,
    });
    let array = Array {
        level: args.level,
        devices: args.devices,
        groups,
        chunk_kib: args.chunk,
        block_bytes: args.block,
    };
    let stripe = array.stripe().map_err(usage)?;
    Ok(format!(
        "data devices  {}\nstride        {} blocks of {} bytes\nstripe width  {} blocks ({} KiB)\n\n{}\n{}\n",
        stripe.data_devices,
        stripe.stride_blocks,
        stripe.block_bytes,
        stripe.stripe_width_blocks,
        stripe.stripe_kib(),
        stripe.mkfs_ext4(&args.device),
        stripe.mkfs_xfs(&args.device),
    ))
}

fn pcie(args: &PcieArgs) -> Result<String, Failure> {
    let link = match args.link.strip_prefix("0x") {
        None => args.link.parse::<LinkRate>().map_err(usage)?,
        Some(digits) => {
            let register = u16::from_str_radix(digits.trim_start_matches('0'), 16);
            let rate = register.ok().and_then(|register| LinkStatus::decode(register).rate());
            rate.ok_or_else(|| usage(format!("{} is no link status register", args.link)))?
        }
    };
    let (generation, lanes) = (link.generation, link.lanes);
    let mut text = format!(
        "{link}: {lanes} × {} GT/s, {} → {:.0} MB/s raw in each direction\n",
        generation.gigatransfers(),
        generation.coding(),
        link.raw_mbps()
    );
    text += "payload   reads at most   writes at most\n";
    for payload in PAYLOADS_BYTES.into_iter().take(3) {
        let ceiling = |direction| link.ceiling_mbps(payload, direction);
        let (read, write) = (ceiling(Direction::DeviceToHost), ceiling(Direction::HostToDevice));
        text += &format!("{payload:>5} B  {read:>9.0} MB/s  {write:>10.0} MB/s\n");
    }
    Ok(text)
}

fn masks(args: &AffinityArgs) -> Result<String, Failure> {
    let unsure = if args.mask { Form::Mask } else { Form::List };
    let mut text = String::new();
    for written in &args.cpus {
        let cpus = affinity::read(written, unsure).map_err(usage)?;
        text += &format!("list {cpus}  mask {}\n", affinity::short_mask(&cpus));
        if let Some(irq) = args.irq {
            text += &format!("{}\n", affinity::command(irq, &cpus));
        }
    }
    Ok(text)
}

fn fill_size(args: &FillArgs) -> Result<String, Failure> {
    let most = fill::size_gib(args.space, args.spare.saturating_mul(fill::GIB));
    let most = most.ok_or_else(|| usage("there is not a GiB of space beside what is to stay free"))?;
    let mut text = format!("size={most}G leaves {} GiB of {} bytes free\n", args.spare, args.space);
    if let Some(file) = args.file {
        let gib = |bytes: u64| bytes as f64 / fill::GIB as f64;
        text += &match fill::fits(file, args.space) {
            Ok(left) => format!("a file of {file} bytes fits, with {:.1} GiB left\n", gib(left)),
            Err(over) => format!("a file of {file} bytes does not fit: {:.1} GiB too large\n", gib(over)),
        };
    }
    Ok(text)
}

fn op(args: &OpArgs) -> Result<String, Failure> {
    let percent = overprovision::percent_when_used(args.physical, args.user, args.used).map_err(usage)?;
    Ok(format!("over-provisioning {percent:.1} % with {} % of the capacity in use\n", args.used))
}

fn additivity(args: &AdditivityArgs) -> Result<String, Failure> {
    let found = Additivity::of(&args.alone, args.together);
    let found = found.ok_or_else(|| usage("rates are numbers above 0"))?;
    let tie = match found.tie() {
        Tie::None => "nothing ties them: the parts add up",
        Tie::Slowest => "all wait for the slowest: an even spread explains it",
        Tie::Shared => "something shared is full: neither the parts nor the slowest explain it",
    };
    Ok(format!(
        "sum of {} parts   {}\ntimes the slowest  {}\ntogether           {} ({:.1} % of the sum)\n{tie}\n",
        found.count,
        found.sum,
        found.stripe_bound,
        found.together,
        found.percent()
    ))
}

fn slips_text(id: Option<&str>, json: bool) -> Result<String, Failure> {
    let chosen: Vec<&Slip> = match id {
        None => slips::SLIPS.iter().collect(),
        Some(id) => {
            let slip = slips::slip(id).ok_or_else(|| usage(format!("no slip is known in row {id}")))?;
            vec![slip]
        }
    };
    if json {
        return serde_json::to_string_pretty(&chosen).map(|text| text + "\n").map_err(usage);
    }
    let one = |slip: &&Slip| {
        let Slip { id, subject, printed, right, why } = slip;
        format!("{id}  {subject}\n  printed  {printed}\n  right    {right}\n  why      {why}\n")
    };
    Ok(chosen.iter().map(one).collect::<Vec<_>>().join("\n"))
}

/// `16TB`, `640GB`: powers of ten, as on a label. `14901G`, `14901GiB`: powers
/// of two, as in a job file. Without a unit: bytes.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let step = |base: u64, prefix: &str| {
        let power = ["", "k", "m", "g", "t", "p"].iter().position(|p| *p == prefix)?;
        base.checked_pow(u32::try_from(power).ok()?)
    };
    let factor = match unit.strip_suffix("ib").or(unit.strip_suffix('b').is_none().then_some(unit.as_str())) {
        Some(prefix) => step(1024, prefix),
        None => step(1000, unit.trim_end_matches('b')),
    };
    let value: Option<f64> = digits.parse().ok().filter(|value: &f64| *value >= 0.0);
    let bytes = value.zip(factor).map(|(value, factor)| value * factor as f64);
    let bytes = bytes.filter(|bytes| *bytes < u64::MAX as f64);
    bytes
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "give a size such as 16TB, 640GB, 14901G or 14901GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn labels_count_in_tens_and_job_files_in_twos() {
        let table = [
            ("16TB", 16_000_000_000_000),
            ("640GB", 640_000_000_000),
            ("1G", 1 << 30),
            ("1GiB", 1 << 30),
            ("1.5k", 1536),
            ("512", 512),
            ("512b", 512),
        ];
        for (text, bytes) in table {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "GB", "1XB", "-1G", "1e300TB", "1 G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
