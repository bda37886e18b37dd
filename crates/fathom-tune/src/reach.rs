//! How a record is worked on: here, or by a separate process where its owner
//! may not answer.

use super::child::{Hand, Task, TaskAnswer, is_looked_at_apart};
use super::key::OwnerKey;
use super::record::{Record, State};
use super::writer::Writer;
use crate::error::TuneError;
use crate::journal;
use crate::setting::{DEVICE_LIMIT, SERVICE_LIMIT, SILENT_LIMIT, Turn};
use fathom_device::root::Root;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The machine as far as one session changes it.
pub(super) struct Reach<'a> {
    pub(super) root: &'a Root,
    pub(super) writer: &'a dyn Writer,
    journal: PathBuf,
    device_limit: Duration,
    /// The separate process, once there is work for it.
    hand: Option<Box<dyn Hand + 'a>>,
    silent: Vec<OwnerKey>,
}

impl<'a> Reach<'a> {
    /// For the records of a journal. `device_limit` is how long a device may
    /// take for one setting, if not as long as usual.
    pub(super) fn new(
        root: &'a Root,
        writer: &'a dyn Writer,
        journal: &Path,
        device_limit: Option<Duration>,
    ) -> Self {
        let device_limit = device_limit.unwrap_or(DEVICE_LIMIT);
        Self { root, writer, journal: journal.to_owned(), device_limit, hand: None, silent: Vec::new() }
    }

    /// Works on a record: by `task` where its owner may not answer, else by
    /// `here`. An owner that does not answer leaves the record stuck.
    pub(super) fn work(&mut self, record: &Record, task: Task, here: impl FnOnce() -> Record) -> Record {
        let limit = self.limit(record);
        let Some((answer, limit)) = limit.and_then(|limit| Some((self.ask(task, limit)?, limit))) else {
            return here();
        };
        match answer {
            // What could not be begun, or ended without an answer, is done here.
            Err(_) => here(),
            Ok(answer) if answer.is_whole => match serde_json::from_str::<Record>(&answer.text) {
                Ok(done) if done.seq == record.seq => done,
                _ => here(),
            },
            Ok(_) => {
                self.silent.push(record.setting.key.clone());
                record.now_in(State::Stuck, Some(silence(record, limit)))
            }
        }
    }

    fn ask(&mut self, task: Task, limit: Duration) -> Option<io::Result<TaskAnswer>> {
        let apart = self.writer.apart()?;
        let begun = match self.hand.take() {
            Some(hand) => Ok(hand),
            None => apart.begin(&self.journal),
        };
        Some(begun.and_then(|mut hand| {
            let answer = hand.carry_out(task, limit)?;
            self.hand = Some(hand).filter(|_| answer.is_whole);
            Ok(answer)
        }))
    }

    /// How long the record's owner may take; `None`: it cannot hang.
    fn limit(&self, record: &Record) -> Option<Duration> {
        let limit = match Turn::of(&record.setting) {
            Turn::Host => return None,
            Turn::Device => self.device_limit,
            Turn::Service => SERVICE_LIMIT,
        };
        let is_silent = self.silent.contains(&record.setting.key);
        Some(if is_silent { limit.min(SILENT_LIMIT) } else { limit })
    }

    /// Reads back every setting that is in force. Those of devices are read by the separate
    /// process, because a read hangs behind a write that hangs.
    pub(super) fn verify<'r>(&mut self, records: impl IntoIterator<Item = &'r Record>) -> Vec<Verified> {
        let records: Vec<&Record> = records.into_iter().filter(|record| record.is_in_force()).collect();
        let mut apart = match records.iter().any(|record| is_looked_at_apart(record)) {
            true => self.verify_apart().map(Vec::into_iter),
            false => None,
        };
        let verified = records.into_iter().map(|record| match &mut apart {
            Some(apart) if is_looked_at_apart(record) => match apart.next() {
                Some(verified) if verified.path == record.path => verified,
                _ => {
                    Verified::of(record, ChangeState::Unknown { reason: silence(record, self.device_limit) })
                }
            },
            _ => verify_record(self.root, record),
        });
        verified.collect()
    }

    /// What was read in time; `None`: it is to be read here.
    fn verify_apart(&mut self) -> Option<Vec<Verified>> {
        let answer = self.ask(Task::Look, self.device_limit)?.ok()?;
        Some(answer.text.lines().map_while(|line| serde_json::from_str(line).ok()).collect())
    }
}

fn silence(record: &Record, limit: Duration) -> String {
    format!("{} did not answer within {limit:?}", record.setting.key)
}

/// What a second look at one change found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The knob.
    pub id: String,
    /// Where it is, for people.
    pub path: String,
    /// What we had made of it, typed.
    pub ours: String,
    /// How it is now.
    pub finding: ChangeState,
}

/// How a change is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// As we made it.
    Holds,
    /// It has another value.
    Drifted {
        /// What it is.
        now: String,
    },
    /// There is nothing there any more.
    Gone {
        /// What is missing.
        reason: String,
    },
    /// It could not be read.
    Unknown {
        /// Why it could not be read.
        reason: String,
    },
}

/// Looks at each change that a journal says is in force. A device that does not answer is reported,
/// and not waited for, where `writer` has a limit.
pub fn verify_journal(root: &Root, writer: &dyn Writer, journal: &Path) -> Result<Vec<Verified>, TuneError> {
    let contents = journal::read(journal)?;
    Ok(Reach::new(root, writer, journal, None).verify(contents.records.values()))
}

pub(super) fn verify_record(root: &Root, record: &Record) -> Verified {
    let finding = match record.setting.read(root) {
        Ok(now) if record.effective.as_ref().is_none_or(|ours| *ours == now.typed) => ChangeState::Holds,
        Ok(now) => ChangeState::Drifted { now: now.typed },
        Err(e) if e.is_gone() => ChangeState::Gone { reason: e.to_string() },
        Err(e) => ChangeState::Unknown { reason: e.to_string() },
    };
    Verified::of(record, finding)
}

impl Verified {
    pub(super) fn of(record: &Record, finding: ChangeState) -> Self {
        Self { id: record.id.clone(), path: record.path.clone(), ours: record.in_force().to_owned(), finding }
    }

    /// Whether it is as we made it.
    pub fn holds(&self) -> bool {
        self.finding == ChangeState::Holds
    }
}
