//! What of the host was tuned for a run, as the record tells it.

use fathom_host::tune::{Finding, Session, State, Verified};
use fathom_results::{Fact, Taint};
use std::cell::Cell;

/// A tuning that is in force.
pub struct Tuned {
    session: Session,
    has_drifted: Cell<bool>,
}

impl Tuned {
    /// Of a session that has been applied.
    pub fn new(session: Session) -> Self {
        Tuned { session, has_drifted: Cell::new(false) }
    }

    /// Every setting that is not as it was: `tune.KNOB`, with before and now.
    pub fn facts(&self) -> Vec<Fact> {
        let changed = self.session.applied().map(|record| Fact {
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
        let held = self.session.held().iter().map(|held| Fact {
            name: format!("tune.{}", held.id),
            value: Some(format!("held at {}", held.value)),
            source: held.path.display().to_string(),
        });
        let not_held = self.session.not_held().iter().map(|(line, reason)| Fact {
            name: format!("tune.{}", line.knob),
            value: None,
            source: format!("{}: {reason}", line.path),
        });
        changed.chain(held).chain(not_held).collect()
    }

    /// What is not as we made it any more: a fact and a taint for each.
    pub fn drift(&self) -> (Vec<Fact>, Vec<Taint>) {
        let drifted: Vec<Verified> =
            self.session.verify().into_iter().filter(|found| !found.holds()).collect();
        self.has_drifted.set(self.has_drifted.get() || !drifted.is_empty());
        (drifted.iter().map(fact).collect(), drifted.iter().map(taint).collect())
    }

    /// Whether every look so far found everything as we made it.
    pub fn has_held(&self) -> bool {
        !self.has_drifted.get()
    }

    /// The session, to end it.
    pub fn into_session(self) -> Session {
        self.session
    }
}

fn now(found: &Verified) -> String {
    match &found.finding {
        Finding::Holds => found.ours.clone(),
        Finding::Drifted { now } => now.clone(),
        Finding::Gone { reason } | Finding::Unknown { reason } => reason.clone(),
    }
}

fn fact(found: &Verified) -> Fact {
    Fact {
        name: format!("tune.{}.drift", found.id),
        value: Some(format!("{} -> {}", found.ours, now(found))),
        source: found.path.clone(),
    }
}

fn taint(found: &Verified) -> Taint {
    Taint {
        code: "tuning-drifted".to_owned(),
        message: format!("{} was tuned, and was something else before the run ended", found.id),
        evidence: format!("{}: made {}, found {}", found.path, found.ours, now(found)),
    }
}
