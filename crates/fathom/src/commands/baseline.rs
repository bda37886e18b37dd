//! `fathom baseline`: what a device did when it was new, and what it does today.

use super::compare::{Asked, told};
use crate::args::{OutputArgs, RUNS_DIR};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print};
use crate::found;
use clap::{Args, Subcommand};
use fathom_session::{baseline, compared};
use fathom_suites::compare::Tolerances;
use fathom_text::calendar::Moment;
use fathom_text::shown;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BaselineCommand,
}

#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Keep a run under a name, for later comparisons
    Save(SaveArgs),
    /// Compare a run with a baseline; exit code 6 if it is worse
    Check(CheckArgs),
    /// List the baselines
    List(ListArgs),
}

#[derive(Clone, Debug, Args)]
pub struct Kept {
    /// Directory of the baselines; default: /var/lib/fathom/baselines for root,
    /// ~/.local/state/fathom/baselines for others
    #[arg(long, value_name = "DIR")]
    pub baselines_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SaveArgs {
    /// Name of the baseline, such as that of the drive
    pub name: String,
    /// The run or procedure: its directory, id, or the beginning of its id; default: the newest
    pub run: Option<PathBuf>,
    /// Replace the baseline that has this name
    #[arg(long)]
    pub replace: bool,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Where baselines are kept.
    #[command(flatten)]
    pub kept: Kept,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Name of the baseline
    pub name: String,
    /// The run or procedure: its directory, id, or the beginning of its id; default: the newest
    pub run: Option<PathBuf>,
    /// End with exit code 6 only if a figure is worse by more than this; default: by more than counts as none
    #[arg(long, value_name = "PERCENT", value_parser = super::compare::percent)]
    pub fail_if_worse: Option<f64>,
    /// Show everything that differs and that is left out
    #[arg(long)]
    pub details: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "html")]
    pub json: bool,
    /// Print an HTML page in one file
    #[arg(long)]
    pub html: bool,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Where baselines are kept.
    #[command(flatten)]
    pub kept: Kept,
    /// Where the output goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Where baselines are kept.
    #[command(flatten)]
    pub kept: Kept,
}

pub fn run(args: &BaselineArgs) -> Result<Exit, Failure> {
    match &args.command {
        BaselineCommand::Save(args) => save(args),
        BaselineCommand::Check(args) => check(args),
        BaselineCommand::List(args) => list(args),
    }
}

impl Kept {
    fn dir(&self) -> Result<PathBuf, Failure> {
        self.baselines_dir.clone().or_else(baseline::usual_dir).ok_or_else(|| {
            Failure::new(Exit::Usage, "there is no home directory, in which baselines would be kept")
                .hint("--baselines-dir DIR names another place")
        })
    }
}

fn save(args: &SaveArgs) -> Result<Exit, Failure> {
    let run = found::run(&args.runs_dir, args.run.as_deref())?;
    // What cannot be compared later is no baseline.
    compared::subjects(&run)?;
    let kept = baseline::save(&args.kept.dir()?, &args.name, &run, args.replace)?;
    print(&format!("kept     {}\ncheck    fathom baseline check {}\n", shown::path(&kept), args.name))?;
    Ok(Exit::Ok)
}

fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut subjects = compared::subjects(&baseline::found(&args.kept.dir()?, &args.name)?)?;
    subjects.iter_mut().for_each(|subject| subject.about.name = format!("{} (baseline)", args.name));
    subjects.extend(compared::subjects(&found::run(&args.runs_dir, args.run.as_deref())?)?);
    let asked = Asked {
        tolerances: Tolerances::USUAL,
        fail_if_worse: Some(args.fail_if_worse.unwrap_or(0.0)),
        has_details: args.details,
        json: args.json,
        html: args.html,
        output: args.output.output.as_deref(),
        overwrite: &args.output.overwrite,
    };
    told(subjects, &asked)
}

fn list(args: &ListArgs) -> Result<Exit, Failure> {
    let dir = args.kept.dir()?;
    let names = baseline::names(&dir)?;
    let mut lines = Vec::new();
    for name in &names {
        let about = compared::subjects(&dir.join(name))
            .ok()
            .and_then(|subjects| Some(subjects.first()?.about.clone()));
        lines.push((name, about));
    }
    if args.json {
        let each = lines.iter().map(|(name, about)| json!({ "name": name, "of": about }));
        let document = json!({ "format": 1, "baselines": each.collect::<Vec<_>>() });
        return print_document(&document).map(|()| Exit::Ok);
    }
    if lines.is_empty() {
        print("no baseline is kept\n  fathom baseline save NAME   keeps the newest run\n")?;
    }
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, about) in &lines {
        let told = about.as_ref().map_or("cannot be read".to_owned(), |about| {
            let when = about.started_unix_ns.map(|at| Moment::of_unix_ns(at).to_string()).unwrap_or_default();
            let target = about.target.as_deref().map(|target| shown::line(target).into_owned());
            format!("{when}  {}", target.unwrap_or_default())
        });
        print(&format!("{}  {told}\n", format_args!("{name:<width$}")))?;
    }
    Ok(Exit::Ok)
}
