//! `fathom run`: job files, planned, run, saved, reported.

use super::output;
use crate::cli::{PlanForm, RunArgs};
use crate::failure::{Exit, Failure, print, print_json, say, say_block};
use crate::place::{Asked, InUse, Kind, Place};
use crate::session::{self, Request};
use crate::surroundings::Here;
use fathom_engine::engine;
use fathom_engine::runner::Patience;
use fathom_guard::Door;
use fathom_job::diagnostic::{Diagnostic, Severity};
use fathom_job::parse::{self, Adjust, JobSet};
use fathom_job::plan::{NO_MEMORY, NO_SPACE, Plan, plan};
use std::path::Path;
use std::sync::Arc;

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let here = Here::new();
    let compat = args.compat.iter().map(|tool| ("compat".to_owned(), tool.clone()));
    let set = args.set.iter().cloned().chain(compat).collect();
    let adjust =
        Adjust { set, target: args.target.clone(), sections: args.section.clone(), ..Adjust::default() };
    let jobs = parse::load(&args.files, &adjust, &here).map_err(|e| Failure::job(&e))?;
    let plan = planned(&jobs, &here)?;
    if let Some(form) = args.plan {
        return show(&plan, form, args, &here);
    }
    session::tell_findings(&plan);
    let plan = Arc::new(plan);
    let mut in_use = InUse::by(&plan, here.job_files());
    args.place.output_dir.iter().for_each(|dir| in_use.add_run(dir));
    let asked =
        Asked { kind: Kind::Result, overwrite: &args.consent.overwrite, door: Door::Native, in_use: &in_use };
    let place = Place::of(args.output.as_deref(), asked)?;
    let name = match args.files[0].as_str() {
        "-" => "stdin".into(),
        file => Path::new(file).file_stem().map_or_else(|| "run".into(), |s| s.to_string_lossy()),
    };
    let consent = session::consent(&args.consent)?;
    let tuned = args.tune.begin(&plan, &here)?;
    let request = Request {
        name: name.into_owned(),
        plan,
        globals: globals(&jobs),
        door: Door::Native,
        consent,
        place: &args.place,
        progress: if args.place.quiet { session::Progress::Never } else { session::Progress::Auto },
        logs_here: None,
        patience: Patience::of(args.stuck_after),
        calibrates: !args.no_calibrate,
        is_scratch: false,
        tuned: tuned.clone(),
        judge: None,
    };
    let exit = measured(request, args, place, &here);
    super::tune::end(tuned, exit)
}

fn measured(request: Request<'_>, args: &RunArgs, place: Place<'_>, here: &Here) -> Result<Exit, Failure> {
    let result = session::run(request, here)?;
    if args.html {
        output::page(&result)?;
    }
    session::tell_failures(&result);
    let again = || format!("the result is saved: fathom report {}", result.dir.display());
    output::write(&result, &args.output_format, place).map_err(|e| e.hint(again()))?;
    let exit = session::exit_of(&result);
    output::tell_incomplete(&result, &args.output_format, exit);
    Ok(exit)
}

/// Plans the jobs on this machine, telling the parser's warnings. What cannot
/// fit on the disk or into the memory is an error of the job.
pub fn planned(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    let plan = planned_as_fio(jobs, here)?;
    let overfull =
        plan.findings.iter().filter(|finding| [NO_SPACE, NO_MEMORY].contains(&finding.code.as_ref()));
    let errors: Vec<Diagnostic> =
        overfull.map(|finding| Diagnostic { severity: Severity::Error, ..finding.clone() }).collect();
    if errors.is_empty() { Ok(plan) } else { Err(Failure::job(&errors)) }
}

/// The same at fio's door, where jobs may go on until there is no more.
pub fn planned_as_fio(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    for warning in &jobs.warnings {
        say_block(&warning.to_string());
    }
    plan(&jobs.jobs, &engine::definitions(), &here.machine(), &here.targets()).map_err(|e| Failure::job(&e))
}

/// `[global]` as typed, in the order of the file, for the record.
pub fn globals(jobs: &JobSet) -> Vec<(String, String)> {
    let mut globals: Vec<_> = jobs.globals.iter().collect();
    globals.sort_by_key(|(_, setting)| (setting.span.line, setting.span.column));
    globals.into_iter().map(|(name, setting)| ((*name).to_owned(), setting.text.clone())).collect()
}

/// Prints the plan, and says beforehand what the guard would say.
fn show(plan: &Plan, form: PlanForm, args: &RunArgs, here: &Here) -> Result<Exit, Failure> {
    args.tune.show(plan, here)?;
    for refusal in session::refusals(plan, Door::Native, session::consent(&args.consent)?, here) {
        say(&format!("note: the run would end with: {}", refusal.message));
        refusal.hints.iter().for_each(|hint| say(&format!("  hint: {hint}")));
    }
    match form {
        PlanForm::Text => print(&plan.explain()).map(|()| Exit::Ok),
        PlanForm::Json => document(plan),
    }
}

fn document(plan: &Plan) -> Result<Exit, Failure> {
    let text = serde_json::to_string_pretty(plan).map_err(|e| Failure::new(Exit::Failed, e))?;
    print_json(&(text + "\n")).map(|()| Exit::Ok)
}
