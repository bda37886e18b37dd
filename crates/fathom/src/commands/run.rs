//! `fathom run`: job files, planned, run, saved, reported.

use super::{no_job_file, output};
use crate::args::{Format, carried, duration};
use crate::commands::tune::RunTuneArgs;
use crate::driven::{Driving, MeasureArgs};
use crate::dump_dir::DumpArgs;
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say, say_block};
use crate::messages;
use crate::place::OutputPlace;
use crate::rehearsal::{Rehearsal, RehearsalArgs};
use crate::screen::Screen;
use crate::steps;
use crate::terminal::here;
use crate::watched;
use clap::Args;
use clap::builder::TypedValueParser;
use fathom_engine::runner::Patience;
use fathom_guard::Door;
use fathom_job::parse::{Adjust, JobSet};
use fathom_job::plan::Plan;
use fathom_judge::steady::ConfidentTerms;
use fathom_procedures::Repeat;
use fathom_results::procedure::JobSource;
use fathom_results::{PlanDocument, PlanRecord};
use fathom_session::outputs::InUse;
use fathom_session::procedure::{forecast, read_jobs};
use fathom_session::{self as session, Here, Request, StatePlaces, exit_of};
use fathom_text::carried::{of_os, to_path};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

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
    /// Set an option in every job, whatever the job file says
    #[arg(long, value_name = "OPTION=VALUE", value_parser = carried().try_map(setting))]
    pub set: Vec<(String, String)>,
    /// Make the same submit and reap calls as this tool, to compare it with
    /// fathom; the same as --set compat=fio
    #[arg(long, value_name = "TOOL", value_parser = ["fio", "none"])]
    pub compat: Option<String>,
    /// Run only this section (and `[global]`); may be repeated
    #[arg(long, value_name = "NAME", value_parser = carried())]
    pub section: Vec<String>,
    /// Skip the check of fathom's own top speed at the end
    #[arg(long)]
    pub no_calibrate: bool,
    /// Also write the run, or all rounds of --repeat, as an HTML page, `report.html` in its directory
    #[arg(long)]
    pub html: bool,
    /// End the run when a target has not answered for this long; 0 sets no limit
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration)]
    pub stuck_after: Duration,
    /// Run the jobs this many times, each round with other random numbers, and say how much their
    /// figures vary; after Ctrl-C, a crash or a reboot, `fathom resume` goes on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000),
          conflicts_with = "tune")]
    pub repeat: Option<u32>,
    /// End the jobs when their rate has settled: its mean is known, and the mean of the next ten minutes will be within
    /// this share of it, with 95 % confidence, if the rate goes on as it does. That takes two minutes at least, and the
    /// longer the more the rate varies. Jobs that write must have written twice their range, where what earlier jobs of
    /// the run wrote to it counts once. A rate that does not settle ends nothing: the jobs run to their usual end, and
    /// the mean of that time is told
    #[arg(long, value_name = "confident=PERCENT", value_parser = until, conflicts_with = "repeat")]
    pub until: Option<ConfidentTerms>,
    /// With --repeat: all random numbers of all rounds come from this one; default: a new one
    #[arg(long, value_name = "N", requires = "repeat")]
    pub seed: Option<u64>,
    /// What earlier jobs wrote, for jobs with verify_state_load: the directory of their run, or the file of a state
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "repeat")]
    pub verify_state: Option<PathBuf>,
    /// Where the contents of wrong blocks go.
    #[command(flatten)]
    pub dump: DumpArgs,
    /// Tuning for the run.
    #[command(flatten)]
    pub tune: RunTuneArgs,
    /// Whether it is only a rehearsal.
    #[command(flatten)]
    pub rehearsal: RehearsalArgs,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// Forms of a printed plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PlanForm {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}

pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let here = here();
    let compat = args.compat.iter().map(|tool| ("compat".to_owned(), tool.clone()));
    let wrong_blocks_to = args.dump.dir()?;
    let dumps = wrong_blocks_to.iter().map(|_| ("verify_dump".to_owned(), "1".to_owned()));
    let set = args.set.iter().cloned().chain(compat).chain(dumps).collect();
    let rehearsal = rehearsal(args, &here)?;
    let simulated = rehearsal.as_ref().map(|rehearsal| of_os(&rehearsal.target));
    let target = simulated.or_else(|| args.target.clone());
    let adjust = Adjust { set, target, sections: args.section.clone(), ..Adjust::default() };
    let (jobs, source) = read_jobs(&args.files, &adjust, &here)
        .map_err(|failure| failure.hints(no_job_file::hints(&args.files, args.plan.is_some())))?;
    let plan = planned(&jobs, &here)?;
    let repeat = args.repeat.map(|rounds| Repeat { rounds, removes_created: false });
    if let Some(repeat) = &repeat {
        let forecast = forecast(repeat, &source, &here)?;
        say(&format!("{}: {}", name(args), steps::forecast(&forecast)));
    }
    if let Some(form) = args.plan {
        return show(&plan, form, args, &here);
    }
    messages::findings(&plan);
    if let Some(repeat) = repeat {
        return repeated(repeat, source, rehearsal.as_ref(), args, &here);
    }
    let plan = Arc::new(plan);
    let mut in_use = InUse::by(&plan, here.job_files());
    let MeasureArgs { result, labels, consent, place } = &args.measure;
    place.output_dir.iter().for_each(|dir| in_use.add_run(dir));
    let output = result.place(&consent.overwrite, &in_use)?;
    let consent = consent.consent()?;
    let tuned = args.tune.begin(&plan, &here)?;
    let request = Request {
        patience: Patience::of(args.stuck_after),
        calibrates: !args.no_calibrate,
        tuned: tuned.clone(),
        until: args.until,
        wrong_blocks_to,
        states: StatePlaces { load: args.verify_state.clone(), ..StatePlaces::default() },
        labels: result.on(labels.labels()),
        ..watched::request(&name(args), plan, &jobs, consent, place.saved_at())
    };
    place.show()?;
    let exit = measured(request, rehearsal.as_ref(), args, output, &here);
    super::tune::end(tuned, exit)
}

/// Reads `confident=2%`.
pub fn until(text: &str) -> Result<ConfidentTerms, String> {
    let hint = || "give confident=PERCENT, such as confident=2%: from 0.1 to 50".to_owned();
    let (rule, share) = text.split_once('=').unwrap_or((text, "2"));
    let share: f64 = share.trim_end_matches('%').trim().parse().map_err(|_| hint())?;
    match rule {
        "confident" if (0.1..=50.0).contains(&share) => Ok(ConfidentTerms { half_width: share / 100.0 }),
        _ => Err(hint()),
    }
}

/// The simulated drive in the place of `--target`, if the run is only a rehearsal.
fn rehearsal(args: &RunArgs, here: &Here) -> Result<Option<Rehearsal>, Failure> {
    match &args.target {
        Some(target) => Rehearsal::asked(&args.rehearsal, &to_path(target), here),
        None if args.rehearsal.rehearse.is_some() => {
            let message =
                "--rehearse needs --target: the simulated drive takes the place of one device or file";
            Err(Failure::new(Exit::Usage, message)
                .hint("fathom run --rehearse --target /dev/nvme0n1 JOBFILE"))
        }
        None => Ok(None),
    }
}

/// The name of the run: that of its first job file.
fn name(args: &RunArgs) -> String {
    match args.files[0].as_str() {
        "-" => "stdin".to_owned(),
        file => {
            let stem = Path::new(file).file_stem();
            stem.map_or_else(|| "run".to_owned(), |stem| stem.to_string_lossy().into_owned())
        }
    }
}

/// The jobs several times, as a procedure.
fn repeated(
    repeat: Repeat,
    jobs: JobSource,
    rehearsal: Option<&Rehearsal>,
    args: &RunArgs,
    here: &Here,
) -> Result<Exit, Failure> {
    let patience = Patience::of(args.stuck_after);
    let driving = Driving { seed: args.seed, patience, keeps_page: args.html, ..args.measure.driving(here) };
    let procedure = (Repeat::DEFINITION.name, repeat.parameters());
    driving.run_and_print(&args.measure.result, name(args), procedure, jobs, rehearsal).map(|(_, exit)| exit)
}

fn measured(
    request: Request<'_>,
    rehearsal: Option<&Rehearsal>,
    args: &RunArgs,
    place: OutputPlace<'_>,
    here: &Here,
) -> Result<Exit, Failure> {
    let result = watched::run(request, here)?;
    let is_saved = result.record.seal.is_some();
    let page = (args.html && is_saved).then(|| output::page(&result)).transpose();
    messages::failures(&result);
    let again = || format!("the result is saved: fathom report {}", result.dir.display());
    let asked = &args.measure.result;
    let forms = asked.forms();
    let is_stdout = place.is_stdout();
    // A script that reads the result needs no advice.
    let is_first_screen = forms.contains(&Format::Summary) && is_stdout && Screen::stdout().is_terminal;
    output::write(&result, asked, place).map_err(|e| if is_saved { e.hint(again()) } else { e })?;
    let page = page?;
    if let Some(rehearsal) = rehearsal.filter(|_| asked.is_for_person()) {
        print(&rehearsal.text(std::slice::from_ref(&result)))?;
    }
    if page.is_some() || (is_first_screen && is_saved) {
        output::tell_page(page.as_deref(), &result.record.id);
    }
    let exit = exit_of(&result);
    output::tell_incomplete(&result, &forms, is_stdout, exit);
    Ok(asked.exit(exit, result.record.answer.as_ref()))
}

/// Plans the jobs on this machine, and reports the parser's warnings. A job that
/// cannot fit on the disk or into the memory is an error.
pub fn planned(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    warn(jobs);
    session::planned_first(jobs, here)
}

/// The same for `fathom fio`, where such a job may run until disk or memory is full.
pub fn planned_as_fio(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    warn(jobs);
    session::planned_as_fio(jobs, here)
}

fn warn(jobs: &JobSet) {
    jobs.warnings.iter().for_each(|warning| say_block(&warning.to_string()));
}

/// Prints the plan, and ends as the run would.
fn show(plan: &Plan, form: PlanForm, args: &RunArgs, here: &Here) -> Result<Exit, Failure> {
    args.tune.show(plan, here)?;
    let MeasureArgs { consent, place, result, .. } = &args.measure;
    let refused = session::refusals(plan, Door::Native, consent.consent()?, &place.saved_at(), here);
    match form {
        PlanForm::Text if !result.json => print(&plan.explain())?,
        _ => print_document(&PlanDocument::from(PlanRecord::from(plan)))?,
    }
    steps::judged("run", refused)
}

fn setting(text: String) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        None if !text.is_empty() => Ok((text.to_owned(), String::new())),
        _ => Err("give OPTION=VALUE, such as runtime=10s".to_owned()),
    }
}
