//! What can be typed. Meaning is given to it by the commands.

use crate::commands::doctor::DoctorArgs;
use crate::commands::purge::PurgeArgs;
use crate::commands::tune::{RunTuneArgs, TuneArgs};
use crate::failure::Failure;
use crate::place::{Asked, InUse, Kind, Place};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use fathom_guard::Door;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::commands::calc::CalcArgs;
pub use crate::commands::topology::TopologyArgs;

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

/// What may be written.
#[derive(Clone, Debug, Default, Args)]
pub struct ConsentArgs {
    /// Allow writing to the empty device with this serial (or by-id name, or
    /// BACKING_PATH:SIZE for a device without one)
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub write: Vec<String>,
    /// Allow writing to this device although it holds data, which is lost
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub destroy: Vec<String>,
    /// Allow overwriting this file, which fathom did not create, or which
    /// --output names and holds something else
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
}

/// Where results go.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Directory in which the run's directory is made
    #[arg(long, value_name = "DIR", default_value = "fathom-runs")]
    pub runs_dir: PathBuf,
    /// Exact directory for this run; must not exist or be empty
    #[arg(long, value_name = "DIR", conflicts_with = "runs_dir")]
    pub output_dir: Option<PathBuf>,
    /// Directory of the record by which fathom knows the files that it created;
    /// default: /var/lib/fathom/files for root, ~/.local/state/fathom/files for
    /// others
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// No progress line
    #[arg(long, short)]
    pub quiet: bool,
}

/// Where an output goes.
#[derive(Clone, Debug, Default, Args)]
pub struct OutputArgs {
    /// Write it to this file instead of standard output (`-`)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Allow replacing this file, which holds something else
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
}

impl OutputArgs {
    /// The place, looked at.
    pub fn place<'a>(&'a self, kind: Kind, in_use: &'a InUse) -> Result<Place<'a>, Failure> {
        let asked = Asked { kind, overwrite: &self.overwrite, door: Door::Native, in_use };
        Place::of(self.output.as_deref(), asked)
    }
}

/// `fathom quick`.
#[derive(Debug, Args)]
pub struct QuickArgs {
    /// A directory, file or device; default: a scratch file in this directory,
    /// removed at the end
    pub target: Option<PathBuf>,
    /// Seconds measured for each of the six
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub seconds: u64,
    /// Do not measure the generator without a target after the run
    #[arg(long)]
    pub no_calibrate: bool,
    /// Size of the scratch file, such as 1g
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// What may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Where results go.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `fathom run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Job files; `-` is standard input
    #[arg(required = true, value_parser = carried())]
    pub files: Vec<String>,
    /// Show what would run, and run nothing
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "text", require_equals = true)]
    pub plan: Option<PlanForm>,
    /// Use this target in place of every filename
    #[arg(long, value_parser = carried())]
    pub target: Option<String>,
    /// Set an option on every job, over what the file says
    #[arg(long, value_name = "OPTION=VALUE", value_parser = carried().try_map(setting))]
    pub set: Vec<(String, String)>,
    /// Submit and reap call for call as this tool would, to compare it with
    /// fathom; the same as --set compat=fio
    #[arg(long, value_name = "TOOL", value_parser = ["fio", "none"])]
    pub compat: Option<String>,
    /// Run only this section (and `[global]`); may be repeated
    #[arg(long, value_name = "NAME", value_parser = carried())]
    pub section: Vec<String>,
    /// What to print at the end; several may be joined by commas
    #[arg(long, value_name = "FORMAT", default_value = "summary", value_delimiter = ',')]
    pub output_format: Vec<Format>,
    /// Write the output to this file instead of standard output (`-`)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Do not measure the generator without a target after the run
    #[arg(long)]
    pub no_calibrate: bool,
    /// Also write the run as an HTML page, `report.html` in its directory
    #[arg(long)]
    pub html: bool,
    /// End the run when a target has not answered for so long; 0 waits for ever
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration)]
    pub stuck_after: Duration,
    /// Tuning for the run.
    #[command(flatten)]
    pub tune: RunTuneArgs,
    /// What may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Where results go.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `fathom fio`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct FioArgs {
    /// As for fio
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_parser = carried())]
    pub arguments: Vec<String>,
}

/// `fathom report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Directory of a run, or the id it printed; default: the newest in
    /// fathom-runs
    pub run: Option<PathBuf>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "summary", value_delimiter = ',')]
    pub output_format: Vec<Format>,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `fathom options`.
#[derive(Debug, Args)]
pub struct OptionsArgs {
    /// One option; without it, all
    pub option: Option<String>,
}

/// Forms of a printed plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PlanForm {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Forms of a printed result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// fathom's summary.
    Summary,
    /// Every latency of every job; the summary of a run without a verdict.
    Details,
    /// fio's text.
    Normal,
    /// fio's JSON tree.
    Json,
    /// fio's JSON tree with latency bins.
    #[value(name = "json+")]
    JsonPlus,
    /// fio's terse version 3.
    Terse,
    /// A self-contained page.
    Html,
}

/// As in a job file: 60, 60s, 500ms, 2m.
pub fn duration(text: &str) -> Result<Duration, String> {
    fathom_job::parse::read_time(text, true).map(|time| Duration::from_nanos(time.0))
}

/// A word of any bytes, as carried text ([`fathom_text::carried`]): a path or a
/// name need not be UTF-8.
pub fn carried() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(fathom_text::carried::of_os)
}

fn setting(text: String) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        None if !text.is_empty() => Ok((text.to_owned(), String::new())),
        _ => Err("give OPTION=VALUE, such as runtime=10s".to_owned()),
    }
}
