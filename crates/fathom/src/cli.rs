//! What can be typed. Meaning is given to it by the commands.

use crate::commands::calc::CalcArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::fio::FioArgs;
use crate::commands::options::OptionsArgs;
use crate::commands::purge::PurgeArgs;
use crate::commands::quick::QuickArgs;
use crate::commands::report::ReportArgs;
use crate::commands::run::RunArgs;
use crate::commands::topology::TopologyArgs;
use crate::commands::tune::TuneArgs;
use clap::{Parser, Subcommand};

/// What can this storage really do, is that number true, and what holds it back?
#[derive(Debug, Parser)]
#[command(name = "fathom", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  fathom quick                              the disk under this directory, in a minute
  fathom quick /dev/nvme0n1                 a device, reading only
  fathom run --plan job.fio                 what a job file would do
  fathom run job.fio --set runtime=10s      run it, a little shorter
  fathom fio --name=r --rw=randread --size=1g --runtime=10
  fathom doctor --goal latency              is this host fit for it, and why not
  fathom report                             print the newest run again

Exit codes: 0 ok, 1 run failed, 2 usage or job error, 3 refused by safety,
4 I/O errors, 5 finished but not valid, 7 incomplete (data saved), 129/130/143 interrupted (data saved).
129 is SIGHUP (the terminal went away), 130 is SIGINT (Ctrl-C), 143 is SIGTERM.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The one-minute honest answer: six measurements, a verdict, an HTML page
    Quick(QuickArgs),
    /// Run fio job files
    Run(RunArgs),
    /// fio's own command line: `fathom fio JOBFILE… --name=… --rw=…`
    Fio(FioArgs),
    /// Audit the host: what on it moves a figure, why, and what to do
    Doctor(DoctorArgs),
    /// Tune the host for a measurement, and put everything back
    Tune(TuneArgs),
    /// Empty a device, with proof: the strongest method that it offers
    Purge(PurgeArgs),
    /// Print a saved run again
    Report(ReportArgs),
    /// What fathom does with each fio option
    Options(OptionsArgs),
    /// From a target to the CPU: PCIe links, need against capacity, NUMA
    Topology(TopologyArgs),
    /// The guides' sums: stripe, PCIe rates, CPU masks, fill size, and slips
    Calc(CalcArgs),
}
