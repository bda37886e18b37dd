//! A procedure without what names a machine, a person or a customer, by the rules for a run.

use super::check::{NotRedacted, Private};
use super::kind::Kind;
use super::names::{Names, WORD_MIN};
use super::{command, facts, learn_labels, name_of_run, options, programs, through_json};
use fathom_results::procedure::{
    JobSource, OwnWords, ProcedureRecord, ProcedureResult, RoundDone, StepDone, TargetIdentity,
};
use fathom_results::{Answer, StandardReport};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The procedure whose rounds are called by the stems of their job files.
const ROUNDS_IN_TURN: &str = "in-turn";

/// In the place of texts that a user wrote.
const LEFT_OUT: &str = "left out";

/// Parameters that hold text of the user's own: the suite, and the job files that it names.
const TEXT: &str = "text";
const JOB_FILE: &str = "job-file ";

/// Parameters that hold settings, a line for each: values of variables, of options of all jobs, and of options that are tried.
const SETTINGS: [&str; 3] = ["variables", "set", "settings"];

/// The parameter whose lines are a word for what a target is, and its path.
const TARGETS: &str = "targets";

/// What is printed beside a saved procedure.
#[derive(Clone, Copy, Debug, Default)]
pub struct BesideProcedure<'a> {
    /// What is not as it was saved, one sentence each.
    pub damage: &'a [String],
    /// The tables that a standard asks for.
    pub standard: Option<&'a StandardReport>,
    /// What the rounds say that are there, where it has no conclusion.
    pub so_far: Option<&'a Answer>,
}

/// A procedure without private names, and the names that no report of it may hold.
#[derive(Clone, Debug)]
pub struct RedactedProcedure {
    /// The procedure with stand-ins.
    pub procedure: ProcedureResult,
    /// What is not as it was saved, with stand-ins.
    pub damage: Vec<String>,
    /// The tables that a standard asks for, with stand-ins.
    pub standard: Option<StandardReport>,
    /// What the rounds say that are there, with stand-ins.
    pub so_far: Option<Answer>,
    private: Private,
}

impl RedactedProcedure {
    /// Searches a finished report of this procedure for private names.
    ///
    /// # Errors
    /// The first name that is still there.
    pub fn check(&self, report: &str) -> Result<(), NotRedacted> {
        self.private.is_not_in(report)
    }
}

/// The procedure with stand-ins for everything private.
pub(super) fn redacted(
    procedure: &ProcedureResult,
    beside: BesideProcedure<'_>,
    names: &mut Names,
) -> Result<RedactedProcedure, NotRedacted> {
    // A name that has a known form at one place may be bare at an earlier one.
    once(procedure, beside, names)?;
    let (procedure, standard, so_far, damage) = once(procedure, beside, names)?;
    Ok(RedactedProcedure { procedure, damage, standard, so_far, private: names.private() })
}

/// Everything that is printed of a procedure, with stand-ins for the names that are known until then.
type Open = (ProcedureResult, Option<StandardReport>, Option<Answer>, Vec<String>);

fn once(
    procedure: &ProcedureResult,
    beside: BesideProcedure<'_>,
    names: &mut Names,
) -> Result<Open, NotRedacted> {
    let procedure = replaced(procedure, names)?;
    let (standard, so_far) = (standard(beside.standard, names)?, so_far(beside.so_far, names)?);
    let damage = beside.damage.iter().map(|text| names.without(text)).collect();
    Ok((procedure, standard, so_far, damage))
}

/// The tables of a standard. A remark of the user stands among what was tested.
fn standard(
    report: Option<&StandardReport>,
    names: &mut Names,
) -> Result<Option<StandardReport>, NotRedacted> {
    let Some(mut open) = report.cloned() else { return Ok(None) };
    open.header.iter_mut().for_each(|group| group.entries.retain(|(name, _)| name != NOTE));
    through_json(&open, names).map(Some)
}

/// The entry of a report's header that is the user's remark.
const NOTE: &str = "Note";

fn so_far(answer: Option<&Answer>, names: &mut Names) -> Result<Option<Answer>, NotRedacted> {
    let Some(mut open) = answer.cloned() else { return Ok(None) };
    next_without_names(&mut open, names);
    through_json(&open, names).map(Some)
}

/// The names that a procedure holds in known places.
pub(super) fn learn(procedure: &ProcedureResult, own: &OwnWords, names: &mut Names) {
    let record = &procedure.record;
    facts::learn(&record.shared.host, names);
    programs::learn(record.shared.audit.iter(), names);
    record.targets.iter().for_each(|target| learn_target(target, names));
    let jobs = &record.jobs;
    let named = record.parameters.iter().filter(|(name, _)| name == "target").map(|(_, path)| path);
    named.for_each(|path| names.learn_path(path));
    record.shared.targets.iter().chain(&jobs.target).for_each(|path| names.learn_path(path));
    let files = jobs.files.iter().chain(jobs.texts.iter().map(|text| &text.path));
    files.filter(|file| *file != "-").for_each(|file| names.learn_path(file));
    names.learn_directory(&record.working_dir);
    names.learn_directory(&procedure.dir.display().to_string());
    learn_labels(record.note.as_deref(), &record.tags, names);
    command::learn(&record.command, names);
    let verified = procedure.rounds().flat_map(|round| &round.verified);
    verified.flat_map(|job| &job.files).for_each(|path| names.learn_path(path));
    // Other rounds are called by words of fathom.
    if record.procedure == ROUNDS_IN_TURN {
        procedure.rounds().for_each(|round| drop(names.of_run(&round.cell)));
    }
    let operator = record.parameters.iter().filter(|(name, text)| name == "operator" && !text.is_empty());
    operator.for_each(|(_, operator)| drop(names.of(Kind::User, operator)));
    let targets = record.parameters.iter().filter(|(name, _)| name == TARGETS).flat_map(|(_, of)| of.lines());
    targets.filter_map(|line| line.split_once(' ')).for_each(|(_, path)| names.learn_path(path));
    learn_own(own, names);
    // A round's directory has the name of its cell, shortened and with other signs, and so what was chosen.
    let is_named = !own.variables.is_empty() || !own.groups.is_empty();
    if is_named || own.settings.iter().any(|(option, _)| options::is_private(option)) {
        for round in procedure.rounds() {
            let number = round.directory.split('-').next().unwrap_or_default();
            names.stands_for(&round.directory, number);
        }
    }
}

/// Learns what a person named in a suite, a sweep or a trial. The name of a suite is that of its file.
fn learn_own(own: &OwnWords, names: &mut Names) {
    own.suite.iter().for_each(|name| drop(names.of(Kind::File, name)));
    // A shorter one, such as `s`, is a unit of other places too.
    let is_word = |text: &&String| text.trim().len() >= WORD_MIN;
    own.texts.iter().filter(is_word).for_each(|text| names.of_sentence(text));
    own.groups.iter().filter(is_word).for_each(|group| drop(names.of(Kind::Group, group)));
    own.files.iter().filter(|file| *file != "-").for_each(|file| names.learn_path(file));
    own.settings.iter().for_each(|(option, value)| options::learn_value(option, value, names));
    // A number is a word of other sentences too.
    let words = own.variables.iter().filter(|value| value.contains(char::is_alphabetic));
    words.for_each(|value| match value.contains('/') {
        true => names.learn_path(value),
        false => drop(names.of(Kind::Text, value)),
    });
}

fn learn_target(target: &TargetIdentity, names: &mut Names) {
    names.learn_path(&target.path);
    target.backing_file.iter().for_each(|path| names.learn_path(path));
    target.serial.iter().for_each(|serial| drop(names.of(Kind::Serial, serial)));
}

fn replaced(procedure: &ProcedureResult, names: &mut Names) -> Result<ProcedureResult, NotRedacted> {
    let mut open = procedure.clone();
    open.record = record(&procedure.record, names)?;
    open.dir = PathBuf::from(names.of(Kind::Directory, &procedure.dir.display().to_string()));
    for step in &mut open.steps {
        if let StepDone::Round(RoundDone { answer: Some(answer), .. }) = &mut step.did {
            next_without_names(answer, names);
        }
        *step = through_json(step, names)?;
    }
    open.damage = open.damage.map(|text| names.without(&text));
    Ok(open)
}

/// The command that the answer advises is the one that was typed, with an option changed.
fn next_without_names(answer: &mut Answer, names: &mut Names) {
    answer.next.command = command::line_without_names(&answer.next.command, names);
}

fn record(record: &ProcedureRecord, names: &mut Names) -> Result<ProcedureRecord, NotRedacted> {
    let mut open = record.clone();
    let files = record.jobs.files.iter().cloned().collect();
    let name = name_of_run(&record.name, &record.command, &files, names);
    (open.note, open.tags) = (None, Vec::new());
    // They name what took the place of a device or a machine, which is known nowhere else.
    let differences = open.resumed.iter_mut().flat_map(|resumed| &mut resumed.differences);
    differences.for_each(|difference| LEFT_OUT.clone_into(difference));
    open.shared.audit.iter_mut().for_each(programs::without_line);
    let paths: BTreeSet<&str> = record.shared.targets.iter().map(String::as_str).collect();
    let host = facts::of_targets(&record.shared.host, paths, names);
    let command = command::without_names(&record.command, names);
    (open.shared.host, open.command) = (Vec::new(), Vec::new());
    if let Some(answer) = open.conclusion.as_mut().and_then(|it| it.answer.as_mut()) {
        next_without_names(answer, names);
    }
    for target in &mut open.targets {
        let serial = target.serial.take();
        target.serial = serial.map(|serial| names.of(Kind::Serial, &serial));
    }
    open.jobs = jobs(&record.jobs, names);
    open.parameters.iter_mut().for_each(|it| parameter(it, names));
    let mut open = ProcedureRecord { name, command, ..through_json(&open, names)? };
    open.shared.host = host;
    Ok(open)
}

/// A parameter without the texts that a user wrote and the values that a user chose.
fn parameter((name, value): &mut (String, String), names: &mut Names) {
    if name == TEXT || name.starts_with(JOB_FILE) {
        LEFT_OUT.clone_into(value);
    }
    if SETTINGS.contains(&name.as_str()) {
        let lines = value.lines().map(|line| match line.split_once('=') {
            Some((option, value)) => format!("{option}={}", command::value(option, value, names)),
            None => line.to_owned(),
        });
        *value = lines.collect::<Vec<_>>().join("\n");
    }
}

/// What the command line named. The texts of the job files are the user's, and so are values of variables.
fn jobs(jobs: &JobSource, names: &mut Names) -> JobSource {
    let mut open = jobs.clone();
    open.files.iter_mut().chain(&mut open.target).for_each(|path| *path = names.at_its_place(path));
    open.texts.iter_mut().for_each(|text| LEFT_OUT.clone_into(&mut text.text));
    open.variables.iter_mut().filter_map(|(_, value)| value.as_mut()).for_each(|it| LEFT_OUT.clone_into(it));
    for (option, value) in &mut open.set {
        *value = command::value(option, value, names);
    }
    open
}
