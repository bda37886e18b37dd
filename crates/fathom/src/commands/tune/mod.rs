//! `fathom tune`: plan, apply, verify and undo settings of the host.
//!
//! There are two ways to have settings in force. `apply` leaves them, with an
//! open journal, until `revert`; `apply --hold` and `run --tune` have them for
//! as long as they run, with a guardian that undoes them after a kill. Handles
//! that the kernel takes back by itself (cpu.cstates) exist only in the
//! second way, because they end with the process that holds them.

mod apply;
mod attempt;
mod failure;
mod guardian;
mod lost_journal;
mod plan;
mod revert;
mod scoped;
mod selftest;
mod signals;
mod status;
mod text;
mod watched_process;

use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use clap::{Args, Subcommand};
use fathom_device::Goal;
use fathom_job::plan::Plan;
use fathom_results::procedure::ProcedureRecord;
use fathom_session::Here;
use fathom_text::carried::to_path;
use fathom_tune::{STATE_DIR, Select};

use crate::args::{KnobParser, OutputArgs, RUNS_DIR, ResultArgs, carried, duration, goal};
use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;

pub use attempt::{KnobTuner, try_knob};
pub use scoped::{RunTuneArgs, end};

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Directory of the journals
    #[arg(long, global = true, value_name = "DIR", default_value = STATE_DIR)]
    state_dir: PathBuf,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say what would be changed for a goal, and change nothing
    Plan(PlanArgs),
    /// Put a plan in force; without --yes, show it
    Apply(ApplyArgs),
    /// Check whether what was applied is still in force
    Verify {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Put everything back as it was
    Revert(RevertArgs),
    /// Show sessions that have not been undone
    Status {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// List the knobs, or explain one
    Knobs {
        /// ID of the knob
        #[arg(value_parser = KnobParser, hide_possible_values = true)]
        knob: Option<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Change harmless settings of a loop device and put them back
    Selftest,
    /// Measure a job with and without a knob, in turn
    Try(Box<TryArgs>),
    /// Undo a journal when the process at the other end of stdin is gone
    #[command(hide = true)]
    Guardian {
        /// The journal
        journal: PathBuf,
    },
    /// Change settings of a journal, as requests on standard input say
    #[command(hide = true)]
    Apart {
        /// The journal
        journal: PathBuf,
    },
}

#[derive(Debug, Args)]
struct PlanArgs {
    /// Devices, files or directories that will be measured
    targets: Vec<PathBuf>,
    /// What the measurement is for; default: repeatability
    #[arg(long, value_parser = goal())]
    goal: Option<Goal>,
    #[command(flatten)]
    select: SelectArgs,
    /// Where the plan goes, for `fathom tune apply`.
    #[command(flatten)]
    output: OutputArgs,
    /// Print the plan as JSON
    #[arg(long)]
    json: bool,
    /// Plan for a recorded machine
    #[arg(long, value_name = "FILE")]
    root: Option<PathBuf>,
}

/// Which knobs the plan changes.
#[derive(Clone, Debug, Default, Args)]
struct SelectArgs {
    /// Also change this knob, whatever its risk, and to this value if one is
    /// given; may be repeated
    #[arg(long, value_name = "ID[=VALUE]", value_parser = KnobParser, hide_possible_values = true)]
    knob: Vec<String>,
    /// Change only the knobs that --knob names
    #[arg(long, requires = "knob")]
    only: bool,
    /// Also change knobs that a running service, such as tuned, sets
    #[arg(long)]
    despite_owners: bool,
}

impl SelectArgs {
    fn select(&self) -> Select {
        let named = Select::with(&self.knob);
        Select { only_named: self.only, despite_owners: self.despite_owners, ..named }
    }
}

#[derive(Debug, Args)]
struct ApplyArgs {
    /// The plan, as `fathom tune plan -o` wrote it
    plan: PathBuf,
    /// Apply the plan; without --yes it is only shown
    #[arg(long)]
    yes: bool,
    /// Apply the plan only if it has this hash
    #[arg(long, value_name = "SHA256")]
    hash: Option<String>,
    /// Allow this knob of risk 2 or 3; may be repeated
    #[arg(long, value_name = "ID", value_parser = KnobParser, hide_possible_values = true)]
    knob: Vec<String>,
    /// Stay until Ctrl-C, then put everything back
    #[arg(long)]
    hold: bool,
    /// Put everything back if the kernel refuses one change
    #[arg(long)]
    all_or_nothing: bool,
    /// Print one JSON document: the plan, or with --yes what became of each change
    #[arg(long, conflicts_with = "hold")]
    json: bool,
}

#[derive(Debug, Args)]
struct RevertArgs {
    /// The session, as `fathom tune status` names it
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Put back the settings of all sessions
    #[arg(long, conflicts_with = "session")]
    all: bool,
    /// Put this knob back although somebody else has changed it since
    #[arg(long, value_name = "ID", value_parser = KnobParser, hide_possible_values = true)]
    force_knob: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Close the session although something cannot be put back
    #[arg(long)]
    acknowledge: bool,
    /// How long to wait for a device to take one setting
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = device_limit)]
    device_limit: Duration,
}

#[derive(Debug, Args)]
struct TryArgs {
    /// ID of the knob, and the value for it if one is given
    #[arg(value_name = "ID[=VALUE]", value_parser = KnobParser, hide_possible_values = true)]
    knob: String,
    /// Job files
    #[arg(last = true, required = true, value_name = "JOBFILE", value_parser = carried())]
    files: Vec<String>,
    /// What is compared; repeatability compares IOPS
    #[arg(long, default_value = "iops", value_parser = goal())]
    goal: Goal,
    /// Number of pairs of runs; a 95 % interval needs at least six
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(6..=1000))]
    pairs: u32,
    /// Use this target in place of every filename
    #[arg(long, value_parser = carried())]
    target: Option<String>,
    /// Show what would be done, and do nothing
    #[arg(long, conflicts_with = "json")]
    plan: bool,
    /// Go ahead: the knob is changed and put back for every pair
    #[arg(long)]
    yes: bool,
    /// Directory in which the directory of the rounds is made
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    runs_dir: PathBuf,
    /// What is written on it.
    #[command(flatten)]
    labels: crate::labels::LabelArgs,
    #[command(flatten)]
    consent: crate::args::ConsentArgs,
    /// What is printed, and where, and what is a failure.
    #[command(flatten)]
    result: ResultArgs,
}

fn device_limit(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("give a time longer than zero, such as 500ms or 5s".to_owned()),
        limit => Ok(limit),
    }
}

/// The tuner of a procedure that was saved; `None` if it tunes nothing.
pub fn tuner_of(
    record: &ProcedureRecord,
    state_dir: &Path,
    here: &Here,
) -> Result<Option<KnobTuner>, Failure> {
    KnobTuner::of(record, &place(state_dir), here)
}

fn targets(plan: &Plan) -> Vec<PathBuf> {
    let files = plan.jobs.iter().flat_map(|job| &job.files).filter(|file| file.is_on_machine());
    let mut paths: Vec<PathBuf> = files.map(|file| to_path(&file.path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The directory of the journals as an absolute path. It becomes an argument of programs
/// that we start, where a name that begins with a dash would be an option.
fn place(state_dir: &Path) -> PathBuf {
    absolute(state_dir).unwrap_or_else(|_| state_dir.to_owned())
}

pub fn run(args: &TuneArgs) -> Result<Exit, Failure> {
    let dir: &Path = &place(&args.state_dir);
    slow_look().touch(dir);
    match &args.verb {
        Verb::Plan(args) => plan::run(args),
        Verb::Apply(args) => apply::run(args, dir),
        Verb::Verify { json } => status::verify(dir, *json),
        Verb::Revert(args) => revert::run(args, dir),
        Verb::Status { json } => status::status(dir, *json),
        Verb::Knobs { knob, json } => status::knobs(knob.as_deref(), *json),
        Verb::Selftest => selftest::run(),
        Verb::Try(args) => attempt::run(args, dir),
        Verb::Guardian { journal } => guardian::run(journal),
        Verb::Apart { journal } => watched_process::run(journal),
    }
}
