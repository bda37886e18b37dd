//! A run without what names a machine, a person or a customer.
//!
//! A report that is sent to somebody else must not tell host and user names, addresses, serial numbers, the paths of files, the
//! names of other programs, and what else was typed. They are replaced once, in the loaded run, before any report is made of it, so no form
//! of report can forget one. It is here and not beside the types of a run, because only what leaves the machine needs
//! it: a saved run is never changed.
//!
//! The picture of the machine is left out: it shows every device of the machine, and replacing texts in a drawing is not
//! certain. At the end [`Redacted::check`] searches a finished report for every name that was replaced.
//!
//! The same text gets the same stand-in everywhere in a run: `host-1`, `file-2`. Names of jobs, of facts and of options and
//! sentences of fathom stay, with what is private in them replaced. A note and tags are the user's own words and are left out.
//!
//! A name may also be an ordinary word of reports: a machine that is called `disk`. It is replaced at the places that hold
//! names. In sentences such a word stays, because it tells nothing there, and the sentence would be damaged.

mod check;
mod command;
mod comparison;
mod domain;
mod facts;
mod host;
mod kind;
mod names;
mod names_found;
mod options;
mod ordinary;
mod procedure;
mod programs;

use crate::configuration_of;
pub use check::NotRedacted;
use check::Private;
pub use comparison::{PrivateNames, RedactedComparison};
use fathom_results::ground::directory;
use fathom_results::{HostFinding, JobFailure, JobRecord, JobResult, RunRecord, RunResult};
use kind::Kind;
use names::Names;
pub use procedure::{BesideProcedure, RedactedProcedure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A run without private names, and the names that no report of it may hold.
#[derive(Clone, Debug)]
pub struct Redacted {
    /// The run with stand-ins. Its figures are those of the whole run.
    pub run: RunResult,
    private: Private,
}

impl Redacted {
    /// Searches a finished report of this run for private names, in all ways in which fathom writes text.
    ///
    /// # Errors
    /// The first name that is still there.
    pub fn check(&self, report: &str) -> Result<(), NotRedacted> {
        self.private.is_not_in(report)
    }
}

/// The run with stand-ins for everything private. `users` are the names of the user who ran it, as far as they are known: a
/// saved run does not hold them.
///
/// # Errors
/// A private name is also a fixed word of a saved run, so that the run without it would not be readable.
pub fn redacted(run: &RunResult, users: &[String]) -> Result<Redacted, NotRedacted> {
    let mut names = Names::default();
    learn_users(users, &mut names);
    learn(run, &mut names);
    // A name that has a known form at one place may be bare at an earlier one.
    replaced(run, &mut names)?;
    let run = replaced(run, &mut names)?;
    Ok(Redacted { run, private: names.private() })
}

/// Learns the names of a user.
fn learn_users(users: &[String], names: &mut Names) {
    users.iter().for_each(|user| drop(names.of(Kind::User, user)));
}

fn replaced(run: &RunResult, names: &mut Names) -> Result<RunResult, NotRedacted> {
    let mut run = run.clone();
    run.redacted_configuration = Some(configuration_of(&run));
    run.record = record(&run.record, names)?;
    run.dir = PathBuf::from(names.of(Kind::Directory, &run.dir.display().to_string()));
    for job in &mut run.jobs {
        clone_of_job(job, names)?;
    }
    run.events.iter_mut().for_each(|event| event.text = names.without(&event.text));
    run.incomplete = through_json(&run.incomplete, names)?;
    run.damage = run.damage.map(|what| names.without(&what));
    // A row may be called by an address of PCI.
    run.samples.names_mut().for_each(|name| *name = names.without(name));
    run.topology_svg = None;
    Ok(run)
}

/// The names that a record holds in known places.
fn learn(run: &RunResult, names: &mut Names) {
    let record = &run.record;
    facts::learn(&record.host, names);
    let known = &record.self_knowledge;
    programs::learn(known.audit.iter().chain(&known.disturbances), names);
    for file in record.plan.jobs.iter().flat_map(|job| &job.files) {
        names.learn_path(&file.path);
        // A job may have other files there.
        names.learn_directory(directory(&file.path));
    }
    for replays in record.plan.jobs.iter().filter_map(|job| job.replays.as_ref()) {
        replays.traces().for_each(|trace| names.learn_path(trace));
    }
    for target in &record.surroundings.targets {
        names.learn_path(&target.path);
    }
    // What was read there is a path, which may have blanks.
    let is_backing = |finding: &&HostFinding| finding.path.ends_with("/backing_file");
    for finding in known.audit.iter().chain(&known.disturbances).filter(is_backing) {
        names.learn_path(&finding.raw);
    }
    names.learn_directory(&run.dir.display().to_string());
    let is_kept = |(option, _): &(&str, _)| ["name", "description"].contains(option);
    for job in &record.plan.jobs {
        names.keeps(&job.job.name);
        job.job.settings().filter(is_kept).for_each(|(_, it)| names.keeps(&it.text));
    }
    learn_labels(record.note.as_deref(), &record.tags, names);
    command::learn(&record.command, names);
    // The text of a procedure's jobs is fathom's own, and so is its name.
    let jobs = record.plan.jobs.iter().filter(|_| record.procedure.is_none());
    let cell = record.round.as_ref().map(|round| &round.cell);
    for file in jobs.flat_map(job_files) {
        match cell == Some(&file) {
            // The jobs of a cell are in no file.
            true => options::learn_cell(&file, names),
            false => names.learn_path(&file),
        }
    }
    options::learn(record, names);
}

/// Learns what a user wrote on a run.
fn learn_labels(note: Option<&str>, tags: &[String], names: &mut Names) {
    note.into_iter().chain(tags.iter().map(String::as_str)).for_each(|it| names.of_label(Kind::Text, it));
}

/// The name of a run. One that a user gave has a stand-in, and one that fathom made stays, unless it is made of the name of
/// a job file that says more than ordinary words do.
fn name_of_run(name: &str, command: &[String], files: &BTreeSet<String>, names: &mut Names) -> String {
    let is_stem = |file: &String| Path::new(file).file_stem().is_some_and(|stem| stem == name);
    match () {
        () if command::name_of_run(command) == Some(name) => names.of(Kind::Run, name),
        () if files.iter().any(is_stem) && !ordinary::is_ordinary(name) => "run".to_owned(),
        () => names.without(name),
    }
}

/// The files that a job was read from.
fn job_files(job: &JobRecord) -> BTreeSet<String> {
    let spans = std::iter::once(&job.job.span).chain(job.job.settings().map(|(_, it)| &it.span));
    // Of an option of the command, such as `--target`, the option is in the place of the file.
    spans.map(|span| span.file.to_string()).filter(|file| !file.starts_with('-')).collect()
}

fn record(record: &RunRecord, names: &mut Names) -> Result<RunRecord, NotRedacted> {
    let mut record = record.clone();
    // The text of a procedure's jobs is fathom's own.
    let jobs = record.plan.jobs.iter().filter(|_| record.procedure.is_none());
    let files = jobs.flat_map(job_files).collect();
    let name = name_of_run(&record.name, &record.command, &files, names);
    record.note = None;
    record.tags.clear();
    let known = &mut record.self_knowledge;
    known.audit.iter_mut().chain(&mut known.disturbances).for_each(programs::without_line);
    let command = command::without_names(&record.command, names);
    let facts = facts::without_names(&record, names);
    (record.host, record.command) = (Vec::new(), Vec::new());
    options::replace_globals(&mut record.globals, names);
    if let Some(answer) = &mut record.answer {
        answer.next.command = command::line_without_names(&answer.next.command, names);
    }
    Ok(RunRecord { host: facts, command, name, ..through_json(&record, names)? })
}

fn clone_of_job(job: &mut JobResult, names: &mut Names) -> Result<(), NotRedacted> {
    job.planned = through_json::<JobRecord>(&job.planned, names)?;
    let Some(outcome) = &mut job.outcome else {
        return Ok(());
    };
    let failures: [&mut Option<JobFailure>; 2] = [&mut outcome.failure, &mut outcome.first_error];
    for failure in failures.into_iter().flatten() {
        failure.message = names.without(&failure.message);
    }
    for (_, value) in &mut outcome.notes {
        *value = names.without(value);
    }
    Ok(())
}

/// Fields of saved runs that hold a path and nothing else.
const PATHS: [&str; 2] = ["file", "path"];

/// Replaces what is private in every string of a value.
fn through_json<T: Serialize + DeserializeOwned>(value: &T, names: &mut Names) -> Result<T, NotRedacted> {
    let document = serde_json::to_value(value).expect("a record is written as JSON");
    let without = strings(document, names);
    // The message quotes the stand-in that is at the place of a fixed word.
    serde_json::from_value(without).map_err(|error| NotRedacted { name: names.blamed(&error.to_string()) })
}

fn strings(value: Value, names: &mut Names) -> Value {
    match value {
        Value::String(text) => Value::String(names.without(&text)),
        Value::Array(items) => items.into_iter().map(|item| strings(item, names)).collect(),
        Value::Object(fields) => {
            let replaced = fields.into_iter().map(|(name, mut field)| {
                options::replace(&name, &mut field, names);
                let field = match field {
                    Value::String(path) if PATHS.contains(&name.as_str()) => names.at_its_place(&path).into(),
                    field => strings(field, names),
                };
                (name, field)
            });
            replaced.collect()
        }
        other => other,
    }
}
