//! `fathom calc raid`: what an array can do, from what one of its drives does.

use super::usage;
use crate::failure::Failure;
use clap::Args;
use fathom_host::calc::document::{MeasuredArray, RaidAnswer};
use fathom_host::calc::raid::{DriveRates, WriteCost, iops_max};
use fathom_host::calc::stripe::RaidLevel;
use fathom_text::number::grouped;
use fathom_text::quantity::percent_with;

#[derive(Debug, Args)]
pub struct RaidArgs {
    /// RAID level: 0, 1, 5, 6, 10 or 50
    #[arg(long)]
    pub level: RaidLevel,
    /// Number of active devices
    #[arg(long)]
    pub devices: u32,
    /// Random reads a second of one device
    #[arg(long, value_name = "IOPS")]
    pub read_iops: f64,
    /// Random writes a second of one device
    #[arg(long, value_name = "IOPS")]
    pub write_iops: f64,
    /// Percent of the I/Os that are writes
    #[arg(long, value_name = "PERCENT", default_value_t = 100.0)]
    pub writes: f64,
    /// What the array was measured to do
    #[arg(long, value_name = "IOPS")]
    pub measured: Option<f64>,
    /// Use of all CPUs while it was measured
    #[arg(long, value_name = "PERCENT", requires = "measured")]
    pub cpu: Option<f64>,
}

/// What the array can do, and how much of it was measured.
pub(super) fn answer(args: &RaidArgs) -> Result<RaidAnswer, Failure> {
    let drive = DriveRates { read_iops: args.read_iops, write_iops: args.write_iops };
    let iops_max = iops_max(args.level, args.devices, drive, args.writes / 100.0).map_err(usage)?;
    let is_more = |value: &f64| value.is_finite() && *value > 0.0;
    if !args.measured.iter().chain(&args.cpu).all(is_more) {
        return Err(usage("--measured and --cpu are numbers above 0"));
    }
    let measured = args.measured.map(|iops| MeasuredArray {
        iops,
        percent_of_max: iops / iops_max * 100.0,
        iops_per_cpu_percent: args.cpu.map(|cpu| iops / cpu),
    });
    Ok(RaidAnswer {
        level: args.level.to_string(),
        devices: args.devices,
        writes_percent: args.writes,
        write_cost: WriteCost::of(args.level, args.devices),
        iops_max,
        measured,
    })
}

/// The same as text.
pub(super) fn text(answer: &RaidAnswer) -> String {
    let rate = |iops: f64| grouped(iops.round() as u64);
    let mut text = format!(
        "{} of {} devices, {} % writes\na write costs  {}\nat most        {} IOPS\n",
        answer.level,
        answer.devices,
        answer.writes_percent,
        words(answer.write_cost),
        rate(answer.iops_max)
    );
    if let Some(measured) = &answer.measured {
        let (iops, percent) = (rate(measured.iops), measured.percent_of_max);
        text += &format!("measured       {iops} IOPS, {} of that\n", percent_with(percent / 100.0, 0));
        if let Some(each) = measured.iops_per_cpu_percent {
            text += &format!("CPU            {} IOPS for each per cent of all CPUs\n", rate(each));
        }
    }
    text
}

/// `2 reads and 2 writes of the devices`.
fn words(cost: WriteCost) -> String {
    let writes = match cost.writes {
        1 => "1 write".to_owned(),
        n => format!("{n} writes"),
    };
    match cost.reads {
        0 => format!("{writes} of the devices"),
        reads => format!("{reads} reads and {writes} of the devices"),
    }
}
