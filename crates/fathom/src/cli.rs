//! The command line: commands, options and arguments. What they do is in `commands/`.

use crate::commands::array::ArrayArgs;
use crate::commands::attempt::AttemptArgs;
use crate::commands::baseline::BaselineArgs;
use crate::commands::bundle::BundleArgs;
use crate::commands::calc::CalcArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::convert::ConvertArgs;
use crate::commands::devices::DevicesArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::filesystem::FilesystemArgs;
use crate::commands::fio::FioArgs;
use crate::commands::help::HelpArgs;
use crate::commands::import::ImportArgs;
use crate::commands::man::ManArgs;
use crate::commands::options::OptionsArgs;
use crate::commands::power_cut::PowerCutArgs;
use crate::commands::precondition::PreconditionArgs;
use crate::commands::pts::PtsArgs;
use crate::commands::purge::PurgeArgs;
use crate::commands::quick::QuickArgs;
use crate::commands::report::ReportArgs;
use crate::commands::resume::ResumeArgs;
use crate::commands::run::RunArgs;
use crate::commands::runs::RunsArgs;
use crate::commands::schema::SchemaArgs;
use crate::commands::suite::SuiteArgs;
use crate::commands::sweep::SweepArgs;
use crate::commands::topology::TopologyArgs;
use crate::commands::tune::TuneArgs;
use crate::commands::verify::VerifyArgs;
use crate::help;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Measure storage: how fast it is, whether that figure is true, and what limits it
#[derive(Debug, Parser)]
#[command(name = "fathom", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Cli {
    /// The command that was typed.
    #[command(subcommand)]
    pub command: Command,
}

/// All commands with their help.
pub fn command() -> clap::Command {
    help::arranged(Cli::command())
}

/// Reads a command line; the first word is the name of the program.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure a disk in about a minute: six measurements, a verdict, an HTML page
    Quick(QuickArgs),
    /// Run fio job files
    Run(Box<RunArgs>),
    /// Take fio's own command line, and print fio's output
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
    /// Make an md array of devices, and take it apart again
    Array(ArrayArgs),
    /// Make a file system on a device and mount it, to measure files as a guide does
    Filesystem(FilesystemArgs),
    /// Write a whole device as often as its figures need it, and prove that it was written
    Precondition(PreconditionArgs),
    /// Write until the power is cut, and judge afterwards whether the device kept what it acknowledged
    PowerCut(PowerCutArgs),
    /// Write a whole device or file, read it back, and say whether all of it is what was written
    Verify(Box<VerifyArgs>),
    /// Run the tests of SNIA's Performance Test Specification, and make their report
    Pts(Box<PtsArgs>),
    /// Run the procedure of a guide or of an application from start to end: its jobs in order, preparations, repeats, tables
    Suite(SuiteArgs),
    /// Try a setting: jobs as they are and with other options or knobs, in turn, compared
    Try(Box<AttemptArgs>),
    /// Measure jobs with many values of an option, or find the value at the knee or under a latency limit
    Sweep(Box<SweepArgs>),
    /// Print a saved run again
    Report(ReportArgs),
    /// Compare runs: which one is better, by how much, and how sure that is
    Compare(CompareArgs),
    /// Keep a run as the baseline of a device, and compare later runs with it
    Baseline(BaselineArgs),
    /// Show logs and results that fio left: tables, charts, JSON, CSV
    Import(ImportArgs),
    /// Convert job files to the forms of other systems and programs, and back
    Convert(ConvertArgs),
    /// Go on with a `run --repeat`, a `try`, a `precondition`, a `verify`, a `pts`, a `suite` or a `sweep` that was interrupted
    Resume(ResumeArgs),
    /// List the saved runs, the newest first
    Runs(RunsArgs),
    /// Put a saved run into one file, to send it; `fathom report FILE` verifies and prints it
    Bundle(BundleArgs),
    /// Show what fathom does with each fio option
    Options(OptionsArgs),
    /// Print the JSON Schema of a document, so that a program can check what it reads
    Schema(SchemaArgs),
    /// Show the path from a target to the CPU: PCIe links, need and capacity, NUMA
    Topology(TopologyArgs),
    /// Calculate what the guides use: stripe, PCIe rates, CPU masks, fill size
    Calc(CalcArgs),
    /// Print the script by which a shell completes fathom's commands with the Tab key
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
    /// Explain a command or a topic, such as units, consent or exit-codes
    Help(HelpArgs),
}
