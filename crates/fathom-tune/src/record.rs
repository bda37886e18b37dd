//! One change in the journal, and what became of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::place::RelativePlace;
use super::setting::Setting;

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is about to be written; nobody knows whether it was.
    Intent,
    /// It was written and read back.
    Done,
    /// The kernel refused it.
    Failed,
    /// It is as it was before, because we put it back.
    Restored,
    /// It is as it was before, but we did not put it back.
    Unchanged,
    /// Somebody else has changed it since: left to them.
    Drifted,
    /// It could not be put back.
    Stuck,
    /// Its device, CPU or interrupt is not there any more.
    Gone,
    /// The machine has been restarted since, which undid it.
    Expired,
    /// A person said to leave it as it is.
    Acknowledged,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            State::Intent => "begun",
            State::Done => "applied",
            State::Failed => "refused",
            State::Restored => "restored",
            State::Unchanged => "unchanged",
            State::Drifted => "drifted",
            State::Stuck => "stuck",
            State::Gone => "gone",
            State::Expired => "expired",
            State::Acknowledged => "acknowledged",
        })
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Place in the order of applying, from 0.
    pub seq: u32,
    /// The knob.
    pub id: String,
    /// What was changed, by a name that does not move.
    pub setting: Setting,
    /// Where it was then, for people.
    pub path: String,
    /// The text before.
    pub before_raw: String,
    /// The typed value before.
    pub before_typed: String,
    /// The twin's typed value before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_twin: Option<String>,
    /// The files that the kernel reset together with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<Disturbed>,
    /// The typed value that was wanted.
    pub want: String,
    /// The boot in which it was changed.
    pub boot_id: Option<String>,
    /// The process that changed it.
    pub pid: u32,
    /// How far it has come.
    pub state: State,
    /// The typed value that the kernel made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective: Option<String>,
    /// What the kernel said, or what somebody should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A file that the kernel reset when the setting was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturbed {
    /// Where it is.
    pub at: RelativePlace,
    /// Its number before.
    pub before: String,
    /// Its number afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl Record {
    /// Whether something may still have to be undone. A refused write changed
    /// nothing if the value is as before.
    pub fn is_open(&self) -> bool {
        match self.state {
            State::Intent | State::Done | State::Drifted | State::Stuck => true,
            State::Failed => self.effective.as_ref() != Some(&self.before_typed),
            State::Restored | State::Unchanged | State::Gone | State::Expired | State::Acknowledged => false,
        }
    }

    /// Whether it was made and not undone: a second look looks at these.
    pub(super) fn is_in_force(&self) -> bool {
        matches!(self.state, State::Done | State::Drifted)
    }

    /// Whether the value is one that we wrote, or that the kernel made of it.
    pub fn is_ours(&self, typed: &str) -> bool {
        typed == self.want || self.effective.as_deref() == Some(typed)
    }

    pub(super) fn now_in(&self, state: State, note: Option<String>) -> Self {
        Self { state, note, ..self.clone() }
    }

    /// What is in force, for people.
    pub fn in_force(&self) -> &str {
        self.effective.as_deref().unwrap_or(&self.want)
    }
}
