//! `fathom calc`: the calculations that the guides do by hand, from nothing but
//! what is typed.

mod args;
mod raid;
mod size;

use crate::failure::{Exit, Failure, print};
use crate::help::examples;
use fathom_host::calc::additivity::{Additivity, Tie};
use fathom_host::calc::affinity::{self, Form};
use fathom_host::calc::link_register::LinkStatus;
use fathom_host::calc::link_use::{self, LinkUse};
use fathom_host::calc::packet::{LinkDirection, PAYLOAD_DEFAULT_BYTES, PAYLOADS_BYTES};
use fathom_host::calc::pcie::LinkRate;
use fathom_host::calc::slips::{self, Slip};
use fathom_host::calc::stripe::{Array, RaidLevel};
use fathom_host::calc::{dma_delay, fill, overprovision};
use std::fmt::Display;

pub use args::CalcArgs;
use args::{AdditivityArgs, AffinityArgs, FillArgs, OpArgs, PcieArgs, StrideArgs, Sum};

pub fn run(args: &CalcArgs) -> Result<Exit, Failure> {
    let text = text(&args.sum).map_err(|failure| with_example(failure, &args.sum))?;
    print(&text)?;
    Ok(Exit::Ok)
}

/// Adds an example to a failure without a hint.
fn with_example(failure: Failure, sum: &Sum) -> Failure {
    let example = examples::of(&format!("calc {}", sum.name())).first();
    match example.filter(|_| failure.hints.is_empty()) {
        Some(example) => failure.hint(format!("an example: {}", example.line)),
        None => failure,
    }
}

fn text(sum: &Sum) -> Result<String, Failure> {
    Ok(match sum {
        Sum::Stride(args) => stride(args)?,
        Sum::Raid(args) => raid::text(args)?,
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
    })
}

fn usage(error: impl Display) -> Failure {
    Failure::new(Exit::Usage, error)
}

fn stride(args: &StrideArgs) -> Result<String, Failure> {
    let groups = match (args.groups, args.level) {
        (Some(groups), _) => groups,
        (None, RaidLevel::Raid10) if args.devices.is_multiple_of(2) => args.devices / 2,
        (None, RaidLevel::Raid50 | RaidLevel::Raid10) => {
            let asked = format!("{} of {} devices: in how many groups?", args.level, args.devices);
            return Err(usage(asked).hint("give it with --groups"));
        }
        (None, _) => 1,
    };
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
            rate.ok_or_else(|| usage(format!("{} is not a link status register", args.link)))?
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
        let (read, write) = (ceiling(LinkDirection::DeviceToHost), ceiling(LinkDirection::HostToDevice));
        text += &format!("{payload:>5} B  {read:>9.0} MB/s  {write:>10.0} MB/s\n");
    }
    text += &args.rate.map(|mbps| verdict(mbps, link)).unwrap_or_default();
    Ok(text)
}

fn verdict(mbps: f64, link: LinkRate) -> String {
    let said = match link_use::judge(mbps, link, PAYLOAD_DEFAULT_BYTES, LinkDirection::DeviceToHost) {
        LinkUse::Below => "the link can carry more: something else limits the rate",
        LinkUse::AtLimit => "the link is the limit",
        LinkUse::Impossible => "impossible on this link: the data came from a host cache or another device",
    };
    format!("{mbps} MB/s: {said}\n")
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
    let most = most.ok_or_else(|| usage("less than 1 GiB is left besides the space that is to stay free"))?;
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
        Tie::None => "the parts add up: they share no limit",
        Tie::Slowest => "all wait for the slowest: I/O that is spread evenly explains the rate",
        Tie::Shared => "what they share is at its limit: neither the sum nor the slowest explains it",
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
            let slip = slips::slip(id).ok_or_else(|| usage(format!("row {id} has no known error")))?;
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
