//! `fathom fio`, and a link named `fio`: fio's command line and outputs.
//!
//! The run's directory is a temporary one, so only what fio would leave is left behind, and
//! the record of files that the run created. The guard works as always: a device that holds
//! anything is refused.

mod idleness;
mod self_test;
mod status;
mod trigger;

use super::output;
use super::run::planned_as_fio;
use crate::args::{ConsentArgs, carried};
use crate::failure::{Exit, Failure, print, say};
use crate::held;
use crate::live::Progress;
use crate::messages;
use crate::place::{OutputKind, OutputPlace, OutputTerms};
use crate::signals::RemovedAtSignal;
use crate::terminal::{here, terminal};
use crate::watched;
use clap::Args;
use fathom_device::bounded;
use fathom_engine::engine;
use fathom_engine::runner::Patience;
use fathom_guard::Door;
use fathom_job::diagnostic::Diagnostic;
use fathom_job::engine::NameWork;
use fathom_job::fio_cli::{self, FioInvocation, FioRequest, IdleProfile, OutputFormat};
use fathom_job::foreign_engines::foreign_engine;
use fathom_job::options;
use fathom_job::plan::{Plan, PlannedJob, TargetKind, engine_of};
use fathom_job::reference::{self, cmdhelp};
use fathom_report::fio_verify;
use fathom_report::terse::TerseVersion;
use fathom_session::bundle::TemporaryDirectory;
use fathom_session::outputs::InUse;
use fathom_session::{
    AggregateLogs, Ender, Here, Request, SavedAt, StatePlaces, exit_of, failed_jobs, inflated_log,
};
use fathom_text::carried::to_path;
use fathom_text::shell::quoted;
use idleness::Idleness;
use status::Statuses;
use std::path::PathBuf;
use std::sync::Arc;
use trigger::Trigger;

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct FioArgs {
    /// Arguments as fio takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_parser = carried())]
    pub arguments: Vec<String>,
}

/// How the command ended.
pub struct Ended {
    pub exit: Exit,
    /// How many jobs failed: the exit status of fio.
    pub failed_jobs: usize,
}

/// Runs the command with fio's arguments.
pub fn run(arguments: &[String]) -> Result<Ended, Failure> {
    held::hold();
    let here = here();
    let invocation =
        fio_cli::parse_arguments(arguments, &here).map_err(|e| Failure::job(&with_a_job(e, arguments)))?;
    match answered(&invocation, &here) {
        Some(exit) => Ok(Ended { exit: exit?, failed_jobs: 0 }),
        None => {
            // A result is the only thing on standard output.
            debug_lines_of(&invocation).lines().for_each(say);
            run_jobs(&invocation, &here)
        }
    }
}

fn debug_lines_of(invocation: &FioInvocation) -> String {
    match invocation.debug_parse {
        true => fio_cli::debug_lines(&invocation.jobs, std::process::id()),
        false => String::new(),
    }
}

/// The end of an invocation that runs no jobs.
fn answered(invocation: &FioInvocation, here: &Here) -> Option<Result<Exit, Failure>> {
    Some(match &invocation.request {
        FioRequest::Help => print(&fio_cli::help()).map(|()| Exit::Ok),
        FioRequest::Version => version(),
        FioRequest::CommandHelp(name) => help_on(name.as_deref().unwrap_or("all")),
        FioRequest::EngineHelp(asked) => engine_help(asked.as_deref()),
        FioRequest::InflateLog(path) => inflated(path),
        FioRequest::ClockTest => self_test::clock(here),
        FioRequest::ChecksumTest(names) => self_test::checksums(names.as_deref()),
        FioRequest::Calibrate => print(NOTHING_TO_CALIBRATE).map(|()| Exit::Ok),
        FioRequest::Run if invocation.showcmd => {
            print(&(fio_cli::showcmd(&invocation.jobs) + "\n")).map(|()| Exit::Ok)
        }
        FioRequest::Run if invocation.parse_only => {
            print(&debug_lines_of(invocation)).and_then(|()| parsed(invocation))
        }
        FioRequest::Run => return None,
    })
}

/// The errors; options before the first --name are for all jobs, and begin none.
fn with_a_job(errors: Vec<Diagnostic>, arguments: &[String]) -> Vec<Diagnostic> {
    let has_options_only = !arguments.is_empty() && arguments.iter().all(|word| word.starts_with("--"));
    let told = |error: Diagnostic| match error.code.as_str() {
        "no-jobs" if has_options_only => {
            error.hint("--name begins a job, and its options follow it: --name=j --rw=read --size=1g")
        }
        // Where it is clear what was meant, nothing else is said.
        "cannot-read" if error.hints.is_empty() => {
            error.hint("without a job file: fathom fio --name=j --rw=read --size=1g")
        }
        _ => error,
    };
    errors.into_iter().map(told).collect()
}

/// Prints the version as in the JSON: scripts that ask for fio's version look for `fio-`.
fn version() -> Result<Exit, Failure> {
    print(&format!("fio-3.33-fathom-{}\n", env!("CARGO_PKG_VERSION"))).map(|()| Exit::Ok)
}

/// The end of `--parse-only`. Targets may be those of another machine, so of the jobs that
/// were read only the engines are checked.
fn parsed(invocation: &FioInvocation) -> Result<Exit, Failure> {
    let engines = engine::definitions();
    let jobs = invocation.jobs.jobs.iter();
    let unknown: Vec<_> = jobs.filter_map(|job| engine_of(job, &engines).err()).collect();
    if unknown.is_empty() { Ok(Exit::Ok) } else { Err(Failure::job(&unknown)) }
}

/// The answer to `--idle-prof=calibrate`.
const NOTHING_TO_CALIBRATE: &str =
    "The kernel counts the idle time of each processor; there is nothing to calibrate.\n";

/// The longest log that is printed.
const LOG_MAX_BYTES: u64 = 1 << 30;

/// Prints the lines of a log that is stored compressed; another log as it is.
fn inflated(path: &str) -> Result<Exit, Failure> {
    let cannot = |why: String| Failure::new(Exit::Usage, format!("cannot read the log {path}: {why}"));
    let log = bounded::stream(&to_path(path), LOG_MAX_BYTES).map_err(|e| cannot(e.to_string()))?;
    let text = match inflated_log(&log) {
        Some(text) => text.map_err(|e| cannot(e.to_string()))?,
        None => log,
    };
    let text = String::from_utf8(text).map_err(|_| cannot("it is neither text nor compressed".to_owned()))?;
    print(&text).map(|()| Exit::Ok)
}

fn help_on(name: &str) -> Result<Exit, Failure> {
    let Some(text) = cmdhelp(name) else {
        let near = options::nearest(name).unwrap_or("all");
        return Err(super::options::unknown(name, format!("fathom fio --cmdhelp={near}")));
    };
    print(&text).map(|()| Exit::Ok)
}

/// Prints the engines in fio's form, or one of them, or an option of it.
fn engine_help(asked: Option<&str>) -> Result<Exit, Failure> {
    let engines = engine::definitions();
    let Some(asked) = asked else {
        let names: String = engines.iter().map(|engine| format!("\t{}\n", engine.name)).collect();
        return print(&format!("Available IO engines:\n{names}")).map(|()| Exit::Ok);
    };
    let (name, option) = asked.split_once(',').map_or((asked, None), |(name, option)| (name, Some(option)));
    if let Some(foreign) = foreign_engine(name) {
        return Err(Failure::new(Exit::Usage, foreign.message(name)).hint(foreign.instead));
    }
    let Some(engine) = engines.iter().find(|engine| engine.name == name) else {
        let error = Failure::new(Exit::Usage, format!("there is no I/O engine {name}"));
        return Err(error.hint("to list them: fathom fio --enghelp"));
    };
    match option {
        Some(option) => help_on(option),
        None => print(&reference::engine_help(engine)).map(|()| Exit::Ok),
    }
}

/// Plans the jobs; with `--readonly`, neither layout nor a job may change a file.
fn planned(invocation: &FioInvocation, here: &Here) -> Result<Plan, Failure> {
    let plan = planned_as_fio(&invocation.jobs, here)?;
    if invocation.readonly {
        refuse_layout(&plan)?;
        plan.jobs.iter().try_for_each(refuse_changes)?;
    }
    Ok(plan)
}

/// Layout makes missing files and extends short ones, also for jobs that only
/// read.
fn refuse_layout(plan: &Plan) -> Result<(), Failure> {
    for (job, file) in plan.jobs.iter().flat_map(|job| job.files.iter().map(move |file| (job, file))) {
        let act = match file.kind {
            TargetKind::Missing => format!("make {}, {} long", file.path, file.needs),
            TargetKind::File if file.length.is_none_or(|length| length < file.needs) => {
                format!("extend {} to {}", file.path, file.needs)
            }
            _ => continue,
        };
        let message = format!("--readonly is given, and job {} would {act}", job.name);
        return Err(Failure::new(Exit::Usage, message)
            .hint("name a file that is long enough, or run once without --readonly to have it made"));
    }
    Ok(())
}

/// A trace may write whatever `rw` says, and the engines of metadata change names in every direction.
fn refuse_changes(job: &PlannedJob) -> Result<(), Failure> {
    let removes = job.engine_def().and_then(|engine| engine.names) == Some(NameWork::RemoveFile);
    let made = job.files.iter().find(|file| file.kind == TargetKind::Name);
    let Some(file) = made.or(job.files.first()) else { return Ok(()) };
    let act = match () {
        () if made.is_some() => "make",
        () if removes => "remove",
        () if job.writes() => "change",
        () => return Ok(()),
    };
    let act = format!("{act} {}", file.path);
    let hint = match job.replays.is_some() {
        true => "replay_skip=write,trim leaves out the writes and trims of its trace",
        false => "run it without --readonly",
    };
    let message = format!("--readonly is given, and job {} would {act}", job.name);
    Err(Failure::new(Exit::Usage, message).hint(hint))
}

/// Makes the directories of the files that are not there, for the jobs that may make these.
fn make_directories(plan: &Plan) -> Result<(), Failure> {
    let jobs = plan.jobs.iter().filter(|job| job.job.get(&options::ALLOW_FILE_CREATE));
    let missing = jobs.flat_map(|job| job.files.iter()).filter(|file| file.kind == TargetKind::Missing);
    for path in missing.map(|file| to_path(&file.path)) {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists());
        parent.map_or(Ok(()), std::fs::create_dir_all).map_err(|e| {
            Failure::new(Exit::Failed, format!("cannot make the directory of {}: {e}", path.display()))
        })?;
    }
    Ok(())
}

fn run_jobs(invocation: &FioInvocation, here: &Here) -> Result<Ended, Failure> {
    let plan = Arc::new(planned(invocation, here)?);
    messages::findings(&plan);
    make_directories(&plan)?;
    let in_use = InUse::by(&plan, here.job_files());
    let output = invocation.output.as_deref().map(to_path);
    let asked = OutputTerms { kind: OutputKind::Result, overwrite: &[], door: Door::Fio, in_use: &in_use };
    let output = OutputPlace::of(output.as_deref(), asked)?;
    let mut with_output = in_use.clone();
    invocation.output.iter().for_each(|path| with_output.add(to_path(path), "the output of this run"));
    let aggregate = match invocation.bandwidth_log {
        true => Some(AggregateLogs::open(&mut with_output)?),
        false => None,
    };
    let ender = Arc::new(Ender::default());
    // It is dropped last: a command that still runs holds up neither the result nor the scratch directory.
    let _waiting = match Trigger::of(invocation, &plan, with_output.clone())? {
        Some(trigger) => Some(trigger.wait(ender.clone())?),
        None => None,
    };
    let scratch = Scratch::new()?;
    let consent = ConsentArgs {
        write: invocation.write.clone(),
        destroy: invocation.destroy.clone(),
        overwrite: Vec::new(),
    };
    let name = plan.jobs.first().map_or_else(|| "fio".to_owned(), |j| j.name.clone());
    let saved = SavedAt::exactly(scratch.dir.path());
    let aux = invocation.aux_path.as_deref().map_or_else(|| PathBuf::from("."), to_path);
    let request = Request {
        door: Door::Fio,
        logs_here: Some(&with_output),
        states: StatePlaces { load: Some(aux.clone()), save: Some(aux), ..StatePlaces::default() },
        patience: Patience::of(std::time::Duration::from_nanos(invocation.stuck_after.0)),
        ender,
        ..watched::request(&name, plan, &invocation.jobs, consent.consent()?, saved)
    };
    let has_document =
        output.is_stdout() && invocation.formats.iter().any(|form| *form != OutputFormat::Normal);
    terminal().shows(Progress::as_fio(invocation.eta, invocation.eta_interval, !has_document));
    let terse = TerseVersion::of(invocation.terse_version.into()).unwrap_or_default();
    let formats = &invocation.formats;
    let statuses = Statuses { dir: scratch.dir.path().to_owned(), formats, terse, place: &output };
    let idle = invocation.idle_profile.map(|of| (of, Idleness::now(here)));
    let mut result = statuses.during(invocation.status_interval, || watched::run(request, here))?;
    if let Some((of, idle)) = idle {
        idle.note(here, of == IdleProfile::EachProcessor, &mut result);
    }
    fio_verify::wrong_blocks(&result).lines().for_each(say);
    messages::failures(&result);
    if let Err(e) = output::put(&result, &output::as_fio(&result, formats, terse), &output) {
        let kept = scratch.dir.keep();
        return Err(e.hint(format!("the result is kept: fathom report {}", quoted(&kept))));
    }
    messages::instead(&result);
    aggregate.map_or(Ok(()), |logs| logs.write(&result))?;
    let exit = exit_of(&result);
    // No form of fio can say it.
    output::tell_incomplete(&result, &[], output.is_stdout(), exit);
    Ok(Ended { exit, failed_jobs: failed_jobs(&result) })
}

/// A new directory that nobody else can have prepared; removed when dropped, and by a signal outside the run.
struct Scratch {
    dir: TemporaryDirectory,
    // Dropped after the directory: a signal between them would leave it.
    _removal: RemovedAtSignal,
}

impl Scratch {
    fn new() -> Result<Scratch, Failure> {
        let cannot = |e| Failure::new(Exit::Failed, format!("cannot make a temporary directory: {e}"));
        let make = || TemporaryDirectory::make("fathom-fio-").map_err(cannot);
        let (dir, removal) = RemovedAtSignal::make(make, TemporaryDirectory::path)?;
        Ok(Scratch { dir, _removal: removal })
    }
}
