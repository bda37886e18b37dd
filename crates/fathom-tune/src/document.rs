//! Sessions and knobs as JSON documents: what `--json` of `fathom tune status`, `verify`, `apply`, `revert`
//! and `knobs` prints.

use super::journal::Header;
use super::knob::{Knob, Risk};
use super::record::Record;
use super::session::Session;
use crate::claim::{Lost, LostSetting};
use crate::reach::{ChangeState, Verified};
use serde::Serialize;
use std::path::Path;

/// Version of the documents. Added fields do not change it.
const FORMAT: u32 = 1;

/// What became of changes to the host.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TuneChanges {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The verdict: of `verify`, everything is still in force; of `apply`, the kernel refused nothing; of
    /// `revert`, everything is put back; of `status`, no session is lost.
    pub is_well: bool,
    /// The sessions that were looked at.
    pub sessions: Vec<TunedSession>,
    /// Sessions that cannot be put back from their journals.
    pub lost: Vec<LostSession>,
}

/// One session.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TunedSession {
    /// Its name, for `fathom tune revert --session`.
    pub session: String,
    /// What it was for; null where its journal has no first line.
    pub goal: Option<String>,
    /// The process that began it; null where its journal has no first line.
    pub pid: Option<u32>,
    /// Its changes, in the order of applying.
    pub changes: Vec<TunedChange>,
}

/// One change of a setting.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TunedChange {
    /// The knob.
    pub knob: String,
    /// Where the setting was.
    pub path: String,
    /// Its value before; null where it was only looked at.
    pub before: Option<String>,
    /// The value that fathom gave it.
    pub ours: String,
    /// Its value now, where it is neither of these.
    pub now: Option<String>,
    /// `begun`, `applied`, `refused`, `restored`, `unchanged`, `drifted`, `stuck`, `gone`, `expired`, `acknowledged`;
    /// `held`, `not held` for a setting that ends with the process; of `verify` also `holds`, `unknown`.
    pub state: String,
    /// What the kernel said, or what somebody should know.
    pub reason: Option<String>,
}

/// A session that cannot be put back from its journal.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostSession {
    /// Why.
    pub reason: String,
    /// The file to remove after its settings were put back by hand.
    pub claim: String,
    /// What it set out to change.
    pub found: Vec<LostSetting>,
}

/// The catalogue of knobs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TuneKnobs {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The knobs: all of them, or the one that was named.
    pub knobs: Vec<KnobRecord>,
}

/// One knob.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnobRecord {
    /// Its name.
    pub id: &'static str,
    /// What it sets.
    pub title: &'static str,
    /// Why one would set it, and what that costs.
    pub why: &'static str,
    /// What it can do to others: 0 nothing, 1 speed, 2 other programs, 3 what a crash would lose.
    pub risk: Risk,
    /// What is needed to set it.
    pub needs: &'static str,
    /// Where to read more.
    pub docs: &'static str,
}

impl TuneChanges {
    /// The document of these sessions.
    pub fn of(is_well: bool, sessions: Vec<TunedSession>, lost: &[Lost]) -> Self {
        TuneChanges { format: FORMAT, is_well, sessions, lost: lost.iter().map(LostSession::of).collect() }
    }
}

impl TunedSession {
    /// A session with the changes of its journal.
    pub fn of(journal: &Path, header: Option<&Header>, changes: Vec<TunedChange>) -> Self {
        let name = journal.file_stem().unwrap_or_default().to_string_lossy();
        TunedSession {
            session: header.map_or_else(|| name.into_owned(), |header| header.session.clone()),
            goal: header.map(|header| header.goal.to_string()),
            pid: header.map(|header| header.pid),
            changes,
        }
    }

    /// A session that this process began.
    pub fn applied(session: &Session) -> Self {
        let held = session.held().iter().map(|held| TunedChange {
            knob: held.id.clone(),
            path: held.path.display().to_string(),
            before: None,
            ours: held.value.to_string(),
            now: None,
            state: "held".to_owned(),
            reason: None,
        });
        let not_held = session.not_held().iter().map(|(line, reason)| TunedChange {
            knob: line.knob.clone(),
            path: line.path.clone(),
            before: Some(line.now.clone()),
            ours: line.then.clone(),
            now: None,
            state: "not held".to_owned(),
            reason: Some(reason.clone()),
        });
        let changes = session.applied().map(TunedChange::from).chain(held).chain(not_held).collect();
        Self::of(session.journal(), session.header(), changes)
    }
}

impl From<&Record> for TunedChange {
    fn from(record: &Record) -> Self {
        let codec = record.setting.codec;
        TunedChange {
            knob: record.id.clone(),
            path: record.path.clone(),
            before: Some(codec.describe(&record.before_typed)),
            ours: codec.describe(record.in_force()),
            now: None,
            state: record.state.to_string(),
            reason: record.note.clone(),
        }
    }
}

impl From<&Verified> for TunedChange {
    fn from(found: &Verified) -> Self {
        let (state, now, reason) = match &found.finding {
            ChangeState::Holds => ("holds", None, None),
            ChangeState::Drifted { now } => ("drifted", Some(now.clone()), None),
            ChangeState::Gone { reason } => ("gone", None, Some(reason.clone())),
            ChangeState::Unknown { reason } => ("unknown", None, Some(reason.clone())),
        };
        TunedChange {
            knob: found.id.clone(),
            path: found.path.clone(),
            before: None,
            ours: found.ours.clone(),
            now,
            state: state.to_owned(),
            reason,
        }
    }
}

impl LostSession {
    fn of(lost: &Lost) -> Self {
        let Lost { reason, claim, found } = lost.clone();
        LostSession { reason, claim: claim.display().to_string(), found }
    }
}

impl TuneKnobs {
    /// The document of these knobs.
    pub fn of(knobs: impl IntoIterator<Item = &'static Knob>) -> Self {
        TuneKnobs { format: FORMAT, knobs: knobs.into_iter().map(KnobRecord::of).collect() }
    }
}

impl KnobRecord {
    fn of(knob: &'static Knob) -> Self {
        let Knob { id, title, why, risk, needs, docs, .. } = knob;
        KnobRecord { id, title, why, risk: *risk, needs, docs }
    }
}
