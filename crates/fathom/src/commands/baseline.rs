//! `fathom baseline`: what a device did when it was new, and what it does today.

mod figures;

use super::compare::{Asked, Private, ShownArgs, print_comparison};
use crate::args::{ColumnArgs, OutputArgs, RUNS_DIR};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::place::OutputKind;
use crate::saved_result;
use clap::{Args, Subcommand};
use fathom_figures::metric::Columns;
use fathom_judge::Claims;
use fathom_judge::compare::{Subject, Tolerances};
use fathom_session::baseline::{self, Baseline, BaselineList};
use fathom_session::compared;
use fathom_session::outputs::InUse;
use fathom_session::runs;
use fathom_text::calendar::Moment;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_text::table;
use fathom_text::words::counted;
use fathom_words::comparison::{gap, left_out};
use std::path::{Path, PathBuf};

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
    /// Compare a run with a baseline; exit code 6 if it is worse, 7 if it is incomplete, 5 if figures that others measured
    /// meet none of a disk
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
    /// The run or procedure: its directory, id, the beginning of its id, its name, or its bundle; default: the newest
    pub run: Option<PathBuf>,
    /// Keep figures that others measured, in place of a run: read_iops, write_iops, read_mbps, write_mbps
    /// (10^6 bytes/s), read_latency_us, write_latency_us
    #[arg(long, value_name = "NAME=VALUE,...", value_parser = claims, conflicts_with = "run")]
    pub figures: Option<String>,
    /// Replace the baseline that has this name
    #[arg(long)]
    pub replace: bool,
    /// Print one JSON document: the list with this baseline alone
    #[arg(long)]
    pub json: bool,
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
    /// The run or procedure: its directory, id, the beginning of its id, its name, or its bundle; default: the newest
    pub run: Option<PathBuf>,
    /// End with exit code 6 only if a figure is worse by more than this; default: more than the tolerance, 3 % (percentiles
    /// of latency 5 %)
    #[arg(long, value_name = "PERCENT", value_parser = super::compare::percent, allow_negative_numbers = true)]
    pub fail_if_worse: Option<f64>,
    /// How it is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
    /// Which figures are compared.
    #[command(flatten)]
    pub columns: ColumnArgs,
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

/// What cannot be compared later is no baseline.
fn can_be_kept(subjects: &[Subject], dir: &Path) -> Result<(), Failure> {
    let refused = |what: String| {
        Failure::new(Exit::Usage, format!("{} cannot be a baseline: {what}", shown::path(dir)))
    };
    match subjects {
        [one] if one.is_usable() => Ok(()),
        [one] => {
            let why = one.first_left_out().map_or_else(|| "it has no figures".to_owned(), left_out);
            Err(refused(why).hint("measure again, or name another run: fathom runs"))
        }
        several => Err(refused(format!("it has {} sets of rounds", several.len()))
            .hint("measure one job file: fathom run JOBFILE --repeat 5")),
    }
}

/// Figures as they were typed, if they are such.
fn claims(text: &str) -> Result<String, String> {
    Claims::parse(text).map(|_| text.to_owned())
}

fn save(args: &SaveArgs) -> Result<Exit, Failure> {
    let dir = args.kept.dir()?;
    let (kept, what) = match &args.figures {
        Some(figures) => {
            let kept = baseline::save_figures(&dir, &args.name, figures, args.replace)?;
            (kept, shown::line(figures).into_owned())
        }
        None => {
            let run = saved_result::readable(&args.runs_dir, args.run.as_deref())?;
            let subjects = compared::whole_subjects(&run.dir, Columns::USUAL)?;
            can_be_kept(&subjects, &run.dir)?;
            for what in subjects.iter().flat_map(|subject| &subject.about.incomplete) {
                say(&format!("warning: the baseline {} is incomplete: {}", args.name, gap(what)));
            }
            subjects.iter().for_each(|subject| tell_what_decides(&args.name, subject));
            let what = subjects.first().map(|subject| fathom_report::subject_line(&subject.about));
            (baseline::save(&dir, &args.name, &run.dir, args.replace)?, what.unwrap_or_default())
        }
    };
    if args.json {
        return print_document(&BaselineList::of(&dir, std::slice::from_ref(&args.name))).map(|()| Exit::Ok);
    }
    let elsewhere = args.kept.baselines_dir.as_ref().map(|dir| format!(" --baselines-dir {}", quoted(dir)));
    let check = format!("fathom baseline check {}{}", args.name, elsewhere.unwrap_or_default());
    print(&format!("kept     {}\nof       {what}\ncheck    {check}\n", shown::path(&kept)))?;
    Ok(Exit::Ok)
}

/// Runs that say how much figures vary from run to run.
const RUNS_ENOUGH: u32 = 3;

/// Says what a later check cannot decide, while there is still time to measure more.
fn tell_what_decides(name: &str, subject: &Subject) {
    let runs = subject.runs_of_each();
    let sentence = match (runs, subject.has_no_interval()) {
        (RUNS_ENOUGH.., _) => return,
        (_, true) => "no later check against it can decide: an interval needs at least three runs",
        _ => "a later check knows only how its figures varied within the run, and not from run to run",
    };
    say(&format!("warning: the baseline {name} has {}: {sentence}", counted(u64::from(runs), "run")));
    say("  hint: measure more, and keep that: fathom run JOBFILE --repeat 5, or fathom quick DEV --repeat 5");
}

fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Comparison, &in_use)?;
    let of = baseline::saved(&args.kept.dir()?, &args.name)?;
    let run = saved_result::readable(&args.runs_dir, args.run.as_deref())?;
    if let Some(figures) = baseline::figures(&of) {
        return figures::check(args, &figures, &run.dir, place);
    }
    let id = |dir: &Path| runs::look(dir)?.head.ok().map(|head| head.id);
    if id(&of).is_some_and(|kept| Some(kept) == id(&run.dir)) {
        say(&format!("note: the baseline {} is a copy of this run, so nothing can differ", args.name));
    }
    let mut private = Private::of(args.shown.redact);
    private.learn(&of)?;
    private.learn(&run.dir)?;
    let columns = args.columns.chosen();
    let mut subjects = compared::whole_subjects(&of, &columns)?;
    for subject in &mut subjects {
        subject.about.name = format!("baseline {}", args.name);
        *subject = std::mem::take(subject).kept();
    }
    subjects.extend(checked(&of, &run.dir, (&args.name, &columns))?);
    let asked = Asked {
        tolerances: Tolerances::USUAL,
        fail_if_worse: Some(args.fail_if_worse.unwrap_or(0.0)),
        fail_if_unclear: false,
        shown: &args.shown,
        is_page: args.shown.is_page(args.output.output.as_deref()),
        private,
        is_measured: false,
        instead: None,
        series: None,
    };
    print_comparison(subjects, asked, place)
}

/// The run beside a baseline: a suite as a whole, and beside a run each of its cells.
fn checked(of: &Path, run: &Path, (name, columns): (&str, &Columns)) -> Result<Vec<Subject>, Failure> {
    match (compared::is_suite(of), compared::is_suite(run)) {
        (true, true) => compared::whole_subjects(run, columns),
        (false, _) => compared::subjects(run, columns),
        (true, false) => {
            let message =
                format!("the baseline {name} is the run of a suite, and {} is none", shown::path(run));
            Err(Failure::new(Exit::Usage, message).hint("run the same suite again, and name that run"))
        }
    }
}

fn list(args: &ListArgs) -> Result<Exit, Failure> {
    let list = BaselineList::read(&args.kept.dir()?)?;
    if args.json {
        return print_document(&list).map(|()| Exit::Ok);
    }
    if list.baselines.is_empty() {
        print("no baseline is kept\n  fathom baseline save NAME   keeps the newest run\n")?;
    }
    let row = |Baseline { name, of, figures, .. }: &Baseline| {
        let figures = || figures.as_deref().map(|figures| shown::line(figures).into_owned());
        let unread = || figures().unwrap_or("cannot be read".to_owned());
        let told = of.as_ref().map_or_else(unread, |of| {
            let target = of.target.as_deref().map(shown::line).unwrap_or_default();
            format!("{}  {target}", Moment::of_unix_ns(of.started_unix_ns))
        });
        vec![name.clone(), told]
    };
    let lines = table::lines(&list.baselines.iter().map(row).collect::<Vec<_>>());
    lines.iter().try_for_each(|line| print(&format!("{line}\n")))?;
    Ok(Exit::Ok)
}
