//! Why a list can show nothing of a run.

use fathom_results::ReadObstacle;
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// A run whose record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Whether it is damaged.
    pub state: UnreadableState,
    /// Why it cannot be read, one sentence.
    pub why: String,
}

/// The state of a run whose record cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnreadableState {
    /// Its record is missing, cut, or not as it was saved.
    Damaged,
    /// A limit of open files or memory, or a missing right, keeps it from being read: nothing is known of it.
    Unread,
}

impl UnreadableState {
    /// The state as a word, for lists.
    pub const fn word(self) -> &'static str {
        match self {
            UnreadableState::Damaged => "damaged",
            UnreadableState::Unread => "unread",
        }
    }
}

impl Unreadable {
    pub(super) fn damaged(why: String) -> Unreadable {
        Unreadable { state: UnreadableState::Damaged, why }
    }

    pub(super) fn unread(why: String) -> Unreadable {
        Unreadable { state: UnreadableState::Unread, why }
    }

    /// A file of the run that cannot be read.
    pub(super) fn file(name: &str, e: &io::Error) -> Unreadable {
        let why = format!("cannot read {name}: {e}");
        match ReadObstacle::of(e) {
            Some(_) => Unreadable::unread(why),
            None => Unreadable::damaged(why),
        }
    }
}
