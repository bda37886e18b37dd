//! A knob: one entry of the catalogue.
//!
//! It says which settings it means on this machine and what each should be for a goal. Its texts, goals
//! and value are data; how it finds its settings is an [`Action`]. It does nothing itself: reading,
//! journalling, writing and restoring are the same for all knobs, and depend only on the setting's codec.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::knobs::action;
use super::scope::Scope;
use super::setting::{Read, Setting};
use fathom_device::Goal;

/// What a change can do to others than the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "u8", try_from = "u8")]
pub enum Risk {
    /// Nothing that others would notice.
    None = 0,
    /// Speed, power or heat, while it lasts.
    Speed = 1,
    /// How the host serves others: to be named one by one.
    Others = 2,
    /// What a crash would lose: to be named one by one.
    Durability = 3,
}

impl Risk {
    /// Why the knob must be named: what else it does.
    pub(super) fn also(self) -> &'static str {
        match self {
            Risk::None | Risk::Speed => "it also changes speed, power or heat",
            Risk::Others => "it also affects other programs",
            Risk::Durability => "a crash would lose more data",
        }
    }

    /// Whether the knob must be named one by one.
    pub fn must_be_named(self) -> bool {
        self >= Risk::Others
    }
}

impl From<Risk> for u8 {
    fn from(risk: Risk) -> u8 {
        risk as u8
    }
}

impl TryFrom<u8> for Risk {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        let all = [Risk::None, Risk::Speed, Risk::Others, Risk::Durability];
        all.get(usize::from(number)).copied().ok_or_else(|| format!("{number} is not a risk (0 to 3)"))
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Risk::None => "0: none",
            Risk::Speed => "1: speed",
            Risk::Others => "2: others",
            Risk::Durability => "3: durability",
        })
    }
}

/// What most knobs need. A user ID does not prove that what a knob needs is there, least of all inside
/// a container, so it is shown and tried, not tested.
const SETTINGS_FILE: &str = "root, and settings that are not read-only as in containers";

/// What a knob does, by its name: how it finds its settings, and what one of them should be for the
/// goals that the knob is for (`None`: leave it).
pub(super) type Action = (&'static str, Find, fn(&KnobInput<'_>) -> Option<String>);
type Find = fn(&Scope<'_>) -> Vec<Setting>;

/// One entry of the catalogue.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knob {
    /// Stable name: that of the check that judges it.
    pub id: String,
    /// What it sets, in a few words.
    pub title: String,
    /// Why one would set it, and what that costs.
    pub why: String,
    /// What it can do to others.
    pub risk: Risk,
    /// What is needed to set it.
    #[serde(default = "settings_file")]
    pub needs: String,
    /// Where to read more: kernel documentation, guides.
    pub docs: String,
    /// The goals for which it is set.
    #[serde(default = "all_goals")]
    goals: Vec<Goal>,
    /// What it is set to, where one value suits all of these goals.
    value: Option<String>,
    /// The units that it stops.
    #[serde(default)]
    pub(super) units: Vec<String>,
}

fn settings_file() -> String {
    SETTINGS_FILE.to_owned()
}

fn all_goals() -> Vec<Goal> {
    Goal::ALL.to_vec()
}

impl Knob {
    /// Whether no goal has a value for it, so that the person who names it gives one.
    pub fn needs_value(&self) -> bool {
        self.goals.is_empty()
    }

    /// The settings that it means on this machine.
    pub fn find(&self, scope: &Scope<'_>) -> Vec<Setting> {
        (action(&self.id).1)(scope)
    }
}

/// What a knob sees when it decides.
pub struct KnobInput<'a> {
    /// The knob.
    pub knob: &'a Knob,
    /// The machine and the targets.
    pub scope: &'a Scope<'a>,
    /// The setting.
    pub setting: &'a Setting,
    /// What it is now.
    pub now: &'a Read,
    /// What the measurement is after.
    pub goal: Goal,
}

impl KnobInput<'_> {
    /// What the setting should be; `None`: leave it.
    pub fn want(&self) -> Option<String> {
        self.knob.goals.contains(&self.goal).then(|| (action(&self.knob.id).2)(self))?
    }

    /// The value as a number.
    pub fn number(&self) -> Option<i64> {
        self.now.typed.parse().ok()
    }

    /// The text of another file of the same owner.
    pub fn beside(&self, file: &str) -> Option<String> {
        let dir = self.setting.key.dir(self.scope.root).ok()?;
        self.scope.root.read_text(dir.join(file)).ok()
    }

    /// A number in another file of the same owner.
    pub fn number_beside(&self, file: &str) -> Option<i64> {
        self.beside(file)?.parse().ok()
    }

    /// `word`, if the file in brackets offers it.
    pub fn offered(&self, word: &str) -> Option<String> {
        super::codec::offered(&self.now.raw).contains(&word).then(|| word.to_owned())
    }

    /// The knob's own value, if the words of another file have it.
    pub fn offered_beside(&self, file: &str) -> Option<String> {
        let offers = self.beside(file)?;
        value(self).filter(|value| offers.split_whitespace().any(|word| word == value))
    }
}

/// The knob's own value.
pub(super) fn value(look: &KnobInput<'_>) -> Option<String> {
    look.knob.value.clone()
}

/// The knob's own value, or what is there if that is more.
pub(super) fn at_least(look: &KnobInput<'_>) -> Option<String> {
    let least = value(look)?.parse().ok()?;
    Some(look.number()?.max(least).to_string())
}
