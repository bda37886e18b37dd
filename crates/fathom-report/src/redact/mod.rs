//! A run without what names a machine, a person or a customer.
//!
//! A report that is sent to somebody else must not tell host and user names, addresses, serial numbers, the paths of files, and
//! what else was typed. They are replaced once, in the loaded run, before any report is made of it, so no form
//! of report can forget one. It is here and not beside the types of a run, because only what leaves the machine needs
//! it: a saved run is never changed.
//!
//! The same text gets the same stand-in everywhere in a run: `host-1`, `file-2`. Names of jobs, of facts and of options and
//! sentences of fathom stay, with what is private in them replaced. A note and tags are the user's own words and are left out.

mod command;
mod facts;
mod found;
mod kind;
mod names;

use fathom_results::{JobFailure, JobRecord, JobResult, RunRecord, RunResult};
use kind::Kind;
use names::Names;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Options whose values are commands or names that the user chose.
const OPTIONS_NAMED: [&str; 7] =
    ["filename", "directory", "opendir", "exec_prerun", "exec_postrun", "read_iolog", "write_iolog"];

/// The run with stand-ins for everything private. Its figures are the same.
pub fn redacted(run: &RunResult) -> RunResult {
    let mut names = Names::default();
    learn(run, &mut names);
    // A name that has a known form at one place may be bare at an earlier one.
    replaced(run, &mut names);
    replaced(run, &mut names)
}

fn replaced(run: &RunResult, names: &mut Names) -> RunResult {
    let mut run = run.clone();
    run.is_redacted = true;
    run.record = record(&run.record, names);
    run.dir = PathBuf::from(names.of(Kind::File, &run.dir.display().to_string()));
    run.jobs.iter_mut().for_each(|job| clone_of_job(job, names));
    run.events.iter_mut().for_each(|event| event.text = names.without(&event.text));
    for text in [&mut run.incomplete, &mut run.damage].into_iter().flatten() {
        *text = names.without(text);
    }
    run.topology_svg = run.topology_svg.as_deref().map(|svg| names.drawing(svg));
    run
}

/// The names that a record holds in known places.
fn learn(run: &RunResult, names: &mut Names) {
    let record = &run.record;
    facts::learn(&record.host, names);
    let files = record.plan.jobs.iter().flat_map(|job| &job.files);
    files.for_each(|file| names.learn_path(&file.path));
    for target in record.surroundings.iter().flat_map(|it| &it.targets) {
        names.learn_path(&target.path);
    }
    names.learn_path(&run.dir.display().to_string());
    command::learn(&record.command, names);
    learn_options(record, names);
}

fn learn_options(record: &RunRecord, names: &mut Names) {
    let jobs = &record.plan.jobs;
    // The text of a procedure's jobs is fathom's own, and so is its name.
    let files = jobs.iter().filter(|_| record.procedure.is_none()).flat_map(job_files);
    files.for_each(|file| names.learn_path(&file));
    let settings = jobs.iter().flat_map(|job| job.job.settings().map(|(name, it)| (name, it.text.as_str())));
    let globals = record.globals.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    for (_, text) in settings.chain(globals).filter(|(name, _)| OPTIONS_NAMED.contains(name)) {
        // Colons separate files; one in a name has a backslash before it.
        text.split(':').for_each(|path| names.learn_path(path));
    }
}

/// The files that a job was read from.
fn job_files(job: &JobRecord) -> BTreeSet<String> {
    let spans = std::iter::once(&job.job.span).chain(job.job.settings().map(|(_, it)| &it.span));
    // Of an option of the command, such as `--target`, the option is in the place of the file.
    spans.map(|span| span.file.to_string()).filter(|file| !file.starts_with('-')).collect()
}

fn record(record: &RunRecord, names: &mut Names) -> RunRecord {
    let mut record = record.clone();
    let is_ours = record.procedure.is_some();
    if !is_ours && record.plan.jobs.iter().any(|job| is_named_after_file(&record.name, job)) {
        record.name = "run".to_owned();
    }
    record.note = None;
    record.tags.clear();
    let command = command::without_names(&record.command, names);
    let facts = facts::without_names(&record, names);
    (record.host, record.command) = (Vec::new(), Vec::new());
    RunRecord { host: facts, command, ..through_json(&record, names) }
}

/// Has a run its name from the file that this job was read from?
fn is_named_after_file(name: &str, job: &JobRecord) -> bool {
    job_files(job).iter().any(|file| Path::new(file).file_stem().is_some_and(|stem| stem == name))
}

fn clone_of_job(job: &mut JobResult, names: &mut Names) {
    job.planned = through_json::<JobRecord>(&job.planned, names);
    let Some(outcome) = &mut job.outcome else {
        return;
    };
    let failures: [&mut Option<JobFailure>; 2] = [&mut outcome.failure, &mut outcome.first_error];
    for failure in failures.into_iter().flatten() {
        failure.message = names.without(&failure.message);
    }
    for (_, value) in &mut outcome.notes {
        *value = names.without(value);
    }
}

/// Replaces what is private in every string of a value.
fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T, names: &mut Names) -> T {
    let document = serde_json::to_value(value).expect("a record is written as JSON");
    serde_json::from_value(strings(document, names)).expect("stand-ins are valid wherever names are")
}

fn strings(value: Value, names: &mut Names) -> Value {
    match value {
        Value::String(text) => Value::String(names.without(&text)),
        Value::Array(items) => items.into_iter().map(|item| strings(item, names)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, field)| (name, strings(field, names))).collect()
        }
        other => other,
    }
}
