//! `fathom doctor`: is this host fit for the measurement?
//!
//! It reads, judges and explains, and changes nothing. The exit code is 0
//! whatever it finds, unless `--fail-on` is given.

mod capture;
mod read;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use fathom_device::{Goal, Root, sys};
use fathom_host::audit::bios::BiosChecklist;
use fathom_host::audit::{
    Audit, AuditText, Check, Examined, Grade, JobNeeds, Scene, TuneCommand, checks, retired,
};
use fathom_host::printout;
use fathom_job::options::nearest_of;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_tune::Select;

use crate::args::{duration, goal};
use crate::commands::machine::FactSource;
use crate::edge::{Ready, print_document, print_ready};
use crate::failure::{Exit, Failure, print, say};
use crate::help::topic;
use crate::screen::Screen;
use crate::terminal::slow_look;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DoctorArgs {
    /// Devices, files or directories that will be measured; default: every
    /// real disk
    pub targets: Vec<PathBuf>,
    /// Judge for this goal only
    #[arg(long, value_name = "GOAL", value_parser = goal())]
    pub goal: Option<Goal>,
    /// Explain a check (cpu.cstates) or well-known advice (idle=poll), without an
    /// audit
    #[arg(long, value_name = "ID_OR_ADVICE", conflicts_with_all = ["json", "all", "fail_on", "root"])]
    pub explain: Option<String>,
    /// Show every check with its evidence, and not only those that need attention
    #[arg(long)]
    pub all: bool,
    /// One JSON document instead of text
    #[arg(long)]
    pub json: bool,
    /// End with exit code 5 if the result of a check is this or worse
    #[arg(long, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
    /// Audit a recorded machine: a file of `doctor capture`, or a directory
    #[arg(long, value_name = "FILE")]
    pub root: Option<PathBuf>,
    /// Judge another machine by what programs printed there, saved in files:
    /// lspci -D -vv, dmidecode, fio-status, fio-pci-check; - is standard input
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["targets", "root", "explain", "watch"])]
    pub read: Vec<PathBuf>,
    /// Seconds between the two readings of counters; give more to find I/O of
    /// other programs that is rare
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3, value_parser = seconds)]
    pub watch: f64,
    #[command(subcommand)]
    pub act: Option<DoctorCommand>,
}

#[derive(Debug, Subcommand)]
pub enum DoctorCommand {
    /// Write all that the audit reads to a text file, without serial numbers, names
    /// and addresses; fathom audits it on any machine with --root
    Capture(capture::CaptureArgs),
}

/// The findings that make the command end with exit code 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A warning or worse.
    Warn,
    /// Only a finding that is bad.
    Bad,
}

pub fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    if let Some(DoctorCommand::Capture(args)) = &args.act {
        return capture::run(args);
    }
    if let Some(word) = &args.explain {
        return explain(word);
    }
    if !args.read.is_empty() {
        return tell(&read::audit(&args.read)?, args, args.read.clone(), None);
    }
    let machine = FactSource::open(args.root.as_deref())?;
    if let Some(path) = machine.first_absent(&args.targets)? {
        let message = format!("{} does not exist", shown::path(path));
        let is_capture = nearest_of(&path.to_string_lossy(), ["capture"]).is_some();
        let goal = path.to_str().and_then(|word| word.parse::<Goal>().ok());
        let hint = match goal {
            Some(goal) => format!("fathom doctor --goal {goal}"),
            None if is_capture => "fathom doctor capture".to_owned(),
            None => "to audit every disk: fathom doctor".to_owned(),
        };
        return Err(Failure::new(Exit::Usage, message).hint(hint));
    }
    let earlier = machine.earlier(Duration::from_secs_f64(args.watch));
    let scene = || Scene::new(machine.root(), &args.targets, JobNeeds::default(), earlier);
    let scene = slow_look().at_all(&args.targets, scene);
    tell_targets(&scene, args)?;
    if args.root.is_none() {
        fathom_session::left_settings(machine.root()).iter().for_each(crate::terminal::tell);
    }
    let targets: Vec<PathBuf> = scene.targets.iter().map(|target| target.path.clone()).collect();
    let audit = Audit::take(&scene);
    let tune = slow_look().at_all(&targets, || tune(args, scene.root, &targets));
    tell(&audit, args, targets, Some(tune))
}

/// Prints an audit of `looked_at`, in the form that is asked for.
fn tell(
    audit: &Audit,
    args: &DoctorArgs,
    looked_at: Vec<PathBuf>,
    tune: Option<TuneCommand>,
) -> Result<Exit, Failure> {
    if args.json {
        print_document(&audit.document(args.goal, looked_at))?;
    } else {
        let style = Screen::stdout().style;
        let text = audit.to_text(&AuditText {
            goal: args.goal,
            is_root: sys::user() == 0,
            all: args.all,
            tune,
            style,
        });
        print_ready(&Ready::painted(&text))?;
    }
    Ok(verdict(audit, args))
}

/// What makes `fathom tune plan` look at the same machine and targets, and what it would change.
fn tune(args: &DoctorArgs, root: &Root, targets: &[PathBuf]) -> TuneCommand {
    let goal = args.goal.unwrap_or(TuneCommand::GOAL);
    let plan = fathom_tune::plan(root, targets, goal, &Select::default());
    TuneCommand {
        options: args.root.iter().map(|root| format!(" --root {}", quoted(root))).collect(),
        targets: targets.to_vec(),
        changes: plan.ok().map(|plan| plan.lines.into_iter().map(|line| line.knob).collect()),
    }
}

/// A target that was named and does not exist is a usage error, not a finding.
fn tell_targets(scene: &Scene<'_>, args: &DoctorArgs) -> Result<(), Failure> {
    for target in scene.targets.iter().filter(|_| !args.targets.is_empty()) {
        if target.graph.is_err() && target.mount.is_none() {
            let message = format!(
                "cannot look at {}: it is neither a block device nor on a file system",
                target.path.display()
            );
            return Err(Failure::new(Exit::Usage, message).hint("name a device, a file or a directory"));
        }
    }
    if scene.disks.is_empty() {
        say("note: no disk is below the targets, so no disk is checked");
    }
    Ok(())
}

fn verdict(audit: &Audit, args: &DoctorArgs) -> Exit {
    let limit = match args.fail_on {
        None => return Exit::Ok,
        Some(FailOn::Warn) => Grade::Warn,
        Some(FailOn::Bad) => Grade::Bad,
    };
    let is_over = |examined: &Examined| examined.judged(args.goal) >= limit;
    if audit.examined.iter().any(is_over) { Exit::NotValid } else { Exit::Ok }
}

fn explain(word: &str) -> Result<Exit, Failure> {
    if let Some(check) = checks::find(word).or_else(|| printout::find(word)) {
        print(&check.to_text())?;
        return Ok(Exit::Ok);
    }
    if let Some(advice) = retired::find(word) {
        print(&advice.to_text())?;
        if advice.id == BiosChecklist::WORD {
            print(&format!("\n{}", BiosChecklist::of(&Root::live()).to_text()))?;
        }
        return Ok(Exit::Ok);
    }
    let failure = Failure::new(Exit::Usage, format!("there is no check or old advice called {word:?}"));
    if let Some(topic) = topic::find(word) {
        return Err(failure.hint(format!("fathom help {}", topic.name)));
    }
    let near = checks::about(word);
    let named = |check: &&Check| format!("{} ({})", check.id, check.title);
    let names: Vec<String> = near.iter().take(NEAR_MAX).map(named).collect();
    Err(failure.hint(match near.len() {
        0 => "fathom doctor --all lists every check".to_owned(),
        _ => format!("perhaps {}: fathom doctor --explain {}", names.join(", "), near[0].id),
    }))
}

/// The most guesses that are shown.
const NEAR_MAX: usize = 4;

/// The longest time that is accepted: one day. More is a typing error.
const SECONDS_MAX: f64 = 86_400.0;

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().or_else(|| Some(duration(text).ok()?.as_secs_f64()));
    let seconds = seconds.filter(|value| (0.0..=SECONDS_MAX).contains(value));
    seconds.ok_or_else(|| "give a time of at most a day, such as 3, 0.5 or 500ms".to_owned())
}
