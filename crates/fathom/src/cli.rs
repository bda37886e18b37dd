//! The command line: commands, options and arguments. What they do is in `commands/`.

use crate::commands::calc::CalcArgs;
use crate::commands::devices::DevicesArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::fio::FioArgs;
use crate::commands::options::OptionsArgs;
use crate::commands::purge::PurgeArgs;
use crate::commands::quick::QuickArgs;
use crate::commands::report::ReportArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::run::RunArgs;
use crate::commands::runs::RunsArgs;
use crate::commands::topology::TopologyArgs;
use crate::commands::tune::TuneArgs;
use clap::{Parser, Subcommand};

/// What can this storage really do, is that figure true, and what limits it?
#[derive(Debug, Parser)]
#[command(name = "fathom", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    /// The command that was typed.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  fathom quick                              the disk under this directory, in a minute
  fathom devices                            what could be measured, and what is safe to write
  fathom quick /dev/nvme0n1                 a device, reading only
  fathom run --plan job.fio                 what a job file would do
  fathom run job.fio --set runtime=10s      run it, a little shorter
  fathom run job.fio --repeat 5             run it five times: how much do figures vary
  fathom resume                             go on after Ctrl-C, a crash or a reboot
  fathom fio --name=r --rw=randread --size=1g --runtime=10
  fathom doctor --goal latency              is this host fit for it, and why not
  fathom report                             print the newest run again
  fathom runs                               all saved runs, the newest first

Exit codes: 0 ok, 1 run failed, 2 usage or job error, 3 refused by safety,
4 I/O errors, 5 finished but not valid, 7 incomplete (data saved), 129/130/143 interrupted (data saved).
129 is SIGHUP (the terminal went away), 130 is SIGINT (Ctrl-C), 143 is SIGTERM.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure a disk in about a minute: six measurements, a verdict, an HTML page
    Quick(QuickArgs),
    /// Run fio job files
    Run(Box<RunArgs>),
    /// Take fio's own command line: `fathom fio JOBFILE… --name=… --rw=…`
    Fio(FioArgs),
    /// List what could be measured here, and what measuring it would risk
    #[command(visible_alias = "list")]
    Devices(DevicesArgs),
    /// Audit the host: what changes a figure there, why, and what to do about it
    Doctor(DoctorArgs),
    /// Tune the host for a measurement, and put everything back
    Tune(TuneArgs),
    /// Empty a device by the strongest method that it offers, and prove the result
    Purge(PurgeArgs),
    /// Print a saved run again
    Report(ReportArgs),
    /// Go on with a procedure (several rounds) that was interrupted
    Resume(ResumeArgs),
    /// List the saved runs, the newest first
    Runs(RunsArgs),
    /// Show what fathom does with each fio option
    Options(OptionsArgs),
    /// Show the path from a target to the CPU: PCIe links, need and capacity, NUMA
    Topology(TopologyArgs),
    /// Calculate what the guides use: stripe, PCIe rates, CPU masks, fill size
    Calc(CalcArgs),
}
