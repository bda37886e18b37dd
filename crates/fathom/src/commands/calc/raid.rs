//! `fathom calc raid`: what an array can do, from what one of its drives does.

use super::usage;
use crate::failure::Failure;
use clap::Args;
use fathom_host::calc::raid::{DriveRates, WriteCost, iops_max};
use fathom_host::calc::stripe::RaidLevel;
use fathom_text::number::grouped;

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
pub(super) fn text(args: &RaidArgs) -> Result<String, Failure> {
    let drive = DriveRates { read_iops: args.read_iops, write_iops: args.write_iops };
    let most = iops_max(args.level, args.devices, drive, args.writes / 100.0).map_err(usage)?;
    let cost = WriteCost::of(args.level, args.devices);
    let mut text = format!(
        "{} of {} devices, {} % writes\na write costs  {}\nat most        {} IOPS\n",
        args.level,
        args.devices,
        args.writes,
        words(cost),
        grouped(most.round() as u64)
    );
    let Some(measured) = args.measured else { return Ok(text) };
    let is_more = |value: &f64| value.is_finite() && *value > 0.0;
    if !is_more(&measured) || args.cpu.is_some_and(|cpu| !is_more(&cpu)) {
        return Err(usage("--measured and --cpu are numbers above 0"));
    }
    text += &format!(
        "measured       {} IOPS, {:.0} % of that\n",
        grouped(measured.round() as u64),
        measured / most * 100.0
    );
    if let Some(cpu) = args.cpu {
        let each = grouped((measured / cpu).round() as u64);
        text += &format!("CPU            {each} IOPS for each per cent of all CPUs\n");
    }
    Ok(text)
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
