//! Work on settings whose owner may not answer, done by a separate process.
//!
//! A write that hangs in the kernel holds its thread until the device answers, and a process with
//! such a thread does not end. So the work is handed to a separate process. It reads one task from
//! each line, reads the record in the journal, carries out the task and answers with the result. If
//! no answer comes within the limit, we go on without that process, and start another one for the
//! next task.

use super::apply::make;
use super::error::TuneError;
use super::journal;
use super::record::{Record, State};
use super::revert::put_back;
use super::writer::Writer;
use crate::reach::verify_record;
use crate::revert_command::Offers;
use crate::setting::Turn;
use fathom_device::root::Root;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// A piece of work on the records of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Makes the change of the record with this sequence number.
    Make(u32),
    /// Puts back what the record with this sequence number changed.
    PutBack {
        /// Sequence number of the record.
        seq: u32,
        /// Put it back even if somebody else has changed the setting since.
        force: bool,
    },
    /// Reads back the settings of devices, in the order of the journal.
    Look,
}

/// What a task answered in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskAnswer {
    /// One JSON document a line: a [`Record`], or a [`super::Verified`] for
    /// each setting that was looked at.
    pub text: String,
    /// Whether the task came to its end.
    pub is_whole: bool,
}

/// Carries out tasks in a separate process.
pub trait Apart: Send + Sync {
    /// Begins work on the records of a journal.
    fn begin<'a>(&'a self, journal: &Path) -> io::Result<Box<dyn Hand + 'a>>;
}

/// Carries out the tasks of one journal, one after the other. After an incomplete answer it cannot
/// be used any more.
pub trait Hand {
    /// Has the task carried out, and waits for it no longer than `limit`.
    fn carry_out(&mut self, task: Task, limit: Duration) -> io::Result<TaskAnswer>;
}

/// What follows the last line of an answer.
pub(super) const END: &str = ".";

/// The work of the separate process: it carries out the tasks that it reads, until there are no
/// more.
pub fn serve(
    root: &Root,
    writer: &dyn Writer,
    journal: &Path,
    tasks: impl BufRead,
    answer: &mut dyn Write,
) -> Result<(), TuneError> {
    let broken = || TuneError::state("answer for", journal);
    let offers = Offers::of(root);
    for task in tasks.lines() {
        let task = task.and_then(|task| task.parse().map_err(io::Error::other)).map_err(broken())?;
        carry_out(root, writer, &offers, journal, task, answer)?;
        writeln!(answer, "{END}").and_then(|()| answer.flush()).map_err(broken())?;
    }
    Ok(())
}

/// Carries out a task here. The journal is read and not written, which is left
/// to the process that gave the task.
fn carry_out(
    root: &Root,
    writer: &dyn Writer,
    offers: &Offers<'_>,
    journal: &Path,
    task: Task,
    answer: &mut dyn Write,
) -> Result<(), TuneError> {
    let contents = journal::read(journal)?;
    let mut say = |line: Result<String, serde_json::Error>| {
        let line = line.expect("an answer is made of texts and numbers");
        writeln!(answer, "{line}").map_err(TuneError::state("answer for", journal))
    };
    let record = |seq: u32| {
        let missing = || TuneError::NoRecord { path: journal.to_owned(), seq };
        contents.records.get(&seq).ok_or_else(missing)
    };
    match task {
        Task::Make(seq) => say(serde_json::to_string(&make_offered(root, writer, offers, record(seq)?))),
        Task::PutBack { seq, force } => {
            say(serde_json::to_string(&put_back(root, writer, offers, record(seq)?, force)))
        }
        Task::Look => {
            let mut devices = contents.records.values().filter(|record| is_looked_at_apart(record));
            devices.try_for_each(|record| say(serde_json::to_string(&verify_record(root, record))))
        }
    }
}

pub(super) fn is_looked_at_apart(record: &Record) -> bool {
    record.is_in_force() && Turn::of(&record.setting) == Turn::Device
}

/// Even if somebody else has changed the journal, nothing is written that the knob of the record
/// could not write.
fn make_offered(root: &Root, writer: &dyn Writer, offers: &Offers<'_>, intent: &Record) -> Record {
    let codec = intent.setting.codec;
    let is_offered = intent.state == State::Intent && codec.is_typed(&intent.want);
    match is_offered && offers.has(intent) {
        true => make(root, writer, intent.clone()),
        false => {
            intent.now_in(State::Failed, Some("refused: no knob has such a setting or value".to_owned()))
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Make(seq) => write!(f, "make:{seq}"),
            Task::PutBack { seq, force: false } => write!(f, "back:{seq}"),
            Task::PutBack { seq, force: true } => write!(f, "force:{seq}"),
            Task::Look => f.write_str("look"),
        }
    }
}

impl FromStr for Task {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (act, seq) = text.split_once(':').unwrap_or((text, ""));
        match (act, seq.parse()) {
            ("make", Ok(seq)) => Ok(Task::Make(seq)),
            ("back", Ok(seq)) => Ok(Task::PutBack { seq, force: false }),
            ("force", Ok(seq)) => Ok(Task::PutBack { seq, force: true }),
            ("look", Err(_)) => Ok(Task::Look),
            _ => Err(format!("{text:?} is not a task (make:N, back:N, force:N, look)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_survives_a_command_line() {
        let back = |force| Task::PutBack { seq: 7, force };
        for task in [Task::Make(0), back(false), back(true), Task::Look] {
            assert_eq!(task.to_string().parse(), Ok(task));
        }
        assert!("back".parse::<Task>().is_err() && "undo:1".parse::<Task>().is_err());
    }
}
