//! Compares a limit of this process with what the job needs.

use crate::audit::{Observation, Raw, Scene};
use fathom_device::ask::{Limit, Question};
use fathom_device::root::Unknown;

/// Soft and hard value; `None` is unlimited.
pub(super) struct Limits {
    pub soft: Option<u64>,
    pub hard: Option<u64>,
    raw: Raw,
}

impl Limits {
    pub(super) fn read(scene: &Scene<'_>, limit: Limit) -> Result<Self, Unknown> {
        let raw = scene.ask(&Question::Limit { limit })?;
        let (soft, hard) = raw.text.split_once(' ').ok_or_else(|| raw.garbled())?;
        let soft = value(soft).ok_or_else(|| raw.garbled())?;
        let hard = value(hard).ok_or_else(|| raw.garbled())?;
        Ok(Self { soft, hard, raw })
    }

    pub(super) fn seen(&self) -> Observation {
        Observation::on("fathom").show(&self.raw)
    }

    /// Bad where even the hard limit is too low, warn where only the soft one is.
    pub(super) fn judge(&self, needed: u64, what: &str) -> Observation {
        let below = |limit: Option<u64>| limit.is_some_and(|limit| limit < needed);
        let seen = self.seen();
        if below(self.hard) {
            let hard = words(self.hard);
            let says = format!("the job needs {needed} {what}, but only {hard} are possible without root");
            return seen.bad(says);
        }
        if below(self.soft) {
            let (soft, hard) = (words(self.soft), words(self.hard));
            let says =
                format!("the job needs {needed} {what}, the limit is {soft} and may be raised to {hard}");
            return seen.warn(says);
        }
        seen.ok(format!("the job needs {needed} {what}, the limit is {}", words(self.soft)))
    }
}

/// `Some(None)` is unlimited.
fn value(word: &str) -> Option<Option<u64>> {
    if word == "unlimited" { Some(None) } else { word.parse().ok().map(Some) }
}

pub(super) fn words(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}
