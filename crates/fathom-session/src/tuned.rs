//! What was tuned on the host for a run, as it is in the record.

use fathom_results::finding::DriftMoment;
use fathom_results::{Evidence, Fact, Finding, Weight};
use fathom_tune::{ChangeState, Record, Session, State, TuneError, Verified};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A tuning for a run: in force until it is put back.
pub struct Tuned {
    facts: Vec<Fact>,
    now: Mutex<Now>,
}

/// What has happened to it so far.
struct Now {
    /// The session, as long as it is in force.
    session: Option<Session>,
    /// The settings that were not as fathom set them, each with the check that found it first.
    drifts: Vec<Drift>,
    /// Whether nothing is left to put back.
    is_back: bool,
}

/// What became of the settings of a tuning that was put back.
#[derive(Default)]
pub struct PutBack {
    /// Each setting, in the order in which it was put back.
    pub undone: Vec<Record>,
    /// The journal of the tuning.
    pub journal: PathBuf,
    /// Whether no setting is left to put back.
    pub is_back: bool,
}

/// A setting that was found changed.
struct Drift {
    verified: Verified,
    /// When it was found.
    when: DriftMoment,
}

impl Tuned {
    /// From a session that has been applied.
    pub fn new(session: Session) -> Self {
        let facts = facts(&session);
        Tuned { facts, now: Mutex::new(Now { session: Some(session), drifts: Vec::new(), is_back: false }) }
    }

    /// Every setting that was changed: `tune.KNOB`, with the values before and now.
    pub fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }

    /// Reads everything back, at this moment.
    pub fn verify(&self, when: &DriftMoment) {
        let mut now = self.now();
        let verified = now.session.as_ref().map(Session::verify).unwrap_or_default();
        for verified in verified.into_iter().filter(|verified| !verified.holds()) {
            if !now.drifts.iter().any(|drift| drift.verified == verified) {
                now.drifts.push(Drift { verified, when: when.clone() });
            }
        }
    }

    /// Reads everything back for the last time. Returns a fact and a finding for each
    /// setting that any check found changed.
    pub fn drift_at_end(&self) -> (Vec<Fact>, Vec<Finding>) {
        self.verify(&DriftMoment::AtEnd);
        let now = self.now();
        (now.drifts.iter().map(Drift::fact).collect(), now.drifts.iter().map(Drift::finding).collect())
    }

    /// Whether every check so far found everything as fathom set it.
    pub fn has_held(&self) -> bool {
        self.now().drifts.is_empty()
    }

    /// Puts everything back, unless that was done already. A second caller waits for
    /// the first, and gets no records.
    pub fn put_back(&self) -> Result<PutBack, TuneError> {
        let mut now = self.now();
        let Some(session) = now.session.take() else {
            return Ok(PutBack { is_back: now.is_back, ..PutBack::default() });
        };
        let journal = session.journal().to_owned();
        let undone = session.revert()?;
        now.is_back = !undone.iter().any(Record::is_open);
        Ok(PutBack { undone, journal, is_back: now.is_back })
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn facts(session: &Session) -> Vec<Fact> {
    let changed = session.applied().map(|record| Fact {
        name: format!("tune.{}", record.id),
        value: match record.state {
            State::Done => Some(format!("{} -> {}", record.before_typed, record.in_force())),
            _ => None,
        },
        source: match &record.note {
            Some(note) => format!("{}: {note}", record.path),
            None => record.path.clone(),
        },
    });
    let held = session.held().iter().map(|held| Fact {
        name: format!("tune.{}", held.id),
        value: Some(format!("held at {}", held.value)),
        source: held.path.display().to_string(),
    });
    let not_held = session.not_held().iter().map(|(line, reason)| Fact {
        name: format!("tune.{}", line.knob),
        value: None,
        source: format!("{}: {reason}", line.path),
    });
    changed.chain(held).chain(not_held).collect()
}

impl Drift {
    fn now(&self) -> String {
        match &self.verified.finding {
            ChangeState::Holds => self.verified.ours.clone(),
            ChangeState::Drifted { now } => now.clone(),
            ChangeState::Gone { reason } | ChangeState::Unknown { reason } => reason.clone(),
        }
    }

    fn fact(&self) -> Fact {
        Fact {
            name: format!("tune.{}.drift", self.verified.id),
            value: Some(format!("{} -> {}", self.verified.ours, self.now())),
            source: self.verified.path.clone(),
        }
    }

    fn finding(&self) -> Finding {
        let Verified { id, path, ours, .. } = &self.verified;
        let drift = fathom_results::finding::Drift {
            id: id.clone(),
            path: path.clone(),
            made: ours.clone(),
            found: self.now(),
            when: self.when.clone(),
        };
        Finding { evidence: Evidence::TuningDrifted(drift), weight: Weight::Aside, jobs: None }
    }
}
