//! Is what was applied still in force? udev runs its rules again when a device is closed, a
//! controller loses its features in a reset, and other programs change settings. So a figure counts
//! as "tuned" only if this check says so at its end.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::TuneError;
use super::journal;
use super::reach::Reach;
use super::record::Record;
use super::writer::Writer;
use fathom_device::root::Root;

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
