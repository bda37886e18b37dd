//! `fathom calc`: the calculations that the guides do by hand, from nothing but
//! what is typed.

mod args;
mod raid;
mod size;
mod text;

use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::help::examples;
use fathom_host::calc::additivity::Additivity;
use fathom_host::calc::affinity::{self, Form};
use fathom_host::calc::document::{
    AdditivityAnswer, CalcAnswer, CalcDocument, CpuSetAnswer, FileFit, FillAnswer, MeasuredRate,
    PayloadAnswer, PcieAnswer, StrideAnswer,
};
use fathom_host::calc::pcie;
use fathom_host::calc::pcie::{LinkDirection, LinkRate, PAYLOAD_DEFAULT_BYTES, PAYLOADS_BYTES};
use fathom_host::calc::slips;
use fathom_host::calc::stripe::{Array, RaidLevel};
use fathom_host::calc::{capacity, delay_us};
use fathom_text::shown;
use std::fmt::Display;

pub use args::CalcArgs;
use args::{AdditivityArgs, AffinityArgs, FillArgs, OpArgs, PcieArgs, StrideArgs, Sum};

pub fn run(args: &CalcArgs) -> Result<Exit, Failure> {
    let answer = answer(&args.sum).map_err(|failure| with_example(failure, &args.sum))?;
    match args.json {
        true => print_document(&CalcDocument::from(answer))?,
        false => print(&text::of(&answer))?,
    }
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

fn answer(sum: &Sum) -> Result<CalcAnswer, Failure> {
    match sum {
        Sum::Stride(args) => stride(args),
        Sum::Raid(args) => raid::answer(args).map(CalcAnswer::Raid),
        Sum::Pcie(args) => pcie(args),
        Sum::Affinity(args) => masks(args),
        Sum::Fill(args) => fill_size(args),
        Sum::Op(args) => op(args),
        Sum::Additivity(args) => additivity(args),
        Sum::DmaDelay { steps } => {
            let delay_us = delay_us(*steps).map_err(usage)?;
            Ok(CalcAnswer::DmaDelay { steps: *steps, delay_us })
        }
        Sum::Slips { id } => slips(id.as_deref()),
    }
}

fn usage(error: impl Display) -> Failure {
    Failure::new(Exit::Usage, error)
}

fn stride(args: &StrideArgs) -> Result<CalcAnswer, Failure> {
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
    Ok(CalcAnswer::Stride(StrideAnswer {
        stripe_kib: stripe.stripe_kib(),
        mkfs_ext4: stripe.mkfs_ext4(&args.device),
        mkfs_xfs: stripe.mkfs_xfs(&args.device),
        stripe,
    }))
}

fn pcie(args: &PcieArgs) -> Result<CalcAnswer, Failure> {
    let link = match args.link.strip_prefix("0x") {
        None => args.link.parse::<LinkRate>().map_err(usage)?,
        Some(digits) => {
            let register = u16::from_str_radix(digits.trim_start_matches('0'), 16);
            let rate = register.ok().and_then(LinkRate::of_status);
            rate.ok_or_else(|| usage(format!("{} is not a link status register", args.link)))?
        }
    };
    let payload = |payload_bytes| PayloadAnswer {
        payload_bytes,
        read_mbps_max: link.ceiling_mbps(payload_bytes, LinkDirection::DeviceToHost),
        write_mbps_max: link.ceiling_mbps(payload_bytes, LinkDirection::HostToDevice),
    };
    let measured = args.rate.map(|mbps| {
        let verdict = pcie::judge(mbps, link, PAYLOAD_DEFAULT_BYTES, LinkDirection::DeviceToHost);
        MeasuredRate { mbps, verdict }
    });
    let payloads = PAYLOADS_BYTES.into_iter().take(3).map(payload).collect();
    Ok(CalcAnswer::Pcie(PcieAnswer { link, payloads, measured }))
}

fn masks(args: &AffinityArgs) -> Result<CalcAnswer, Failure> {
    let unsure = if args.mask { Form::Mask } else { Form::List };
    let set = |written: &String| {
        let other = affinity::also_mask(written).filter(|_| !args.mask);
        let told = other.map(|cpus| format!("as a mask, {} is CPU {cpus}: --mask", shown::line(written)));
        let cpus = affinity::read(written, unsure)
            .map_err(|e| usage(e).hints(told.clone().into_iter().collect()))?;
        told.into_iter().for_each(|told| {
            say(&format!("note: {} is read as a list of CPUs; {told}", shown::line(written)))
        });
        let command = args.irq.map(|irq| affinity::command(irq, &cpus));
        Ok(CpuSetAnswer { list: cpus.to_string(), mask: affinity::short_mask(&cpus), command })
    };
    Ok(CalcAnswer::Affinity { sets: args.cpus.iter().map(set).collect::<Result<_, Failure>>()? })
}

fn fill_size(args: &FillArgs) -> Result<CalcAnswer, Failure> {
    let size_gib = capacity::size_gib(args.space, args.spare.saturating_mul(capacity::GIB));
    let size_gib =
        size_gib.ok_or_else(|| usage("less than 1 GiB is left besides the space that is to stay free"))?;
    let file = args.file.map(|file_bytes| {
        let fit = capacity::fits(file_bytes, args.space);
        let (fits, difference_bytes) = (fit.is_ok(), fit.unwrap_or_else(|over| over));
        FileFit { file_bytes, fits, difference_bytes }
    });
    let (space_bytes, spare_gib) = (args.space, args.spare);
    Ok(CalcAnswer::Fill(FillAnswer { space_bytes, spare_gib, size_gib, file }))
}

fn op(args: &OpArgs) -> Result<CalcAnswer, Failure> {
    let percent = capacity::percent_when_used(args.physical, args.user, args.used).map_err(usage)?;
    Ok(CalcAnswer::Op { percent, used_percent: args.used })
}

fn additivity(args: &AdditivityArgs) -> Result<CalcAnswer, Failure> {
    let rates = Additivity::of(&args.alone, args.together);
    let rates = rates.ok_or_else(|| usage("rates are numbers above 0"))?;
    let (percent, verdict) = (rates.percent(), rates.tie());
    Ok(CalcAnswer::Additivity(AdditivityAnswer { rates, percent, verdict }))
}

fn slips(id: Option<&str>) -> Result<CalcAnswer, Failure> {
    let slips = match id {
        None => slips::all().copied().collect(),
        Some(id) => vec![*slips::slip(id).ok_or_else(|| usage(format!("row {id} has no known error")))?],
    };
    Ok(CalcAnswer::Slips { slips })
}
