//! A knob: one entry of the catalogue.
//!
//! It says which settings it means on this machine and what each should be for a goal. It does
//! nothing itself: reading, journalling, writing and restoring are the same for all knobs, and
//! depend only on the setting's codec.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::Scope;
use super::setting::{Read, Setting};
use fathom_device::Goal;

/// What a change can do to others than the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

/// What is needed to change it. A user ID does not prove that any of these is there, least of all
/// inside a container, so they are shown and tried, not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// A writable `/sys` or `/proc/sys`, which is root's.
    SettingsFile,
    /// `CAP_SYS_ADMIN`, for a command to the drive or a remount.
    SysAdmin,
    Systemd,
    DeviceNode,
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Requirement::SettingsFile => "root, and settings that are not read-only as in containers",
            Requirement::SysAdmin => "CAP_SYS_ADMIN",
            Requirement::Systemd => "root on a host that runs systemd",
            Requirement::DeviceNode => "the right to open /dev/cpu_dma_latency",
        })
    }
}

/// One entry of the catalogue.
#[derive(Debug)]
pub struct Knob {
    /// Stable name: that of the check that judges it.
    pub id: &'static str,
    /// What it sets, in a few words.
    pub title: &'static str,
    /// Why one would set it, and what that costs.
    pub why: &'static str,
    /// What it can do to others.
    pub risk: Risk,
    /// What is needed to set it.
    pub needs: Requirement,
    /// Where to read more: kernel documentation, guides.
    pub docs: &'static str,
    /// The settings that it means on this machine.
    pub find: fn(&Scope<'_>) -> Vec<Setting>,
    /// What a setting should be; `None`: leave it.
    pub want: fn(&KnobInput<'_>) -> Option<String>,
}

impl Knob {
    /// Whether no goal has a value for it, so that the person who names it gives one.
    pub fn needs_value(&self) -> bool {
        matches!(self.id, "blk.read_ahead" | "slot.locate")
    }
}

/// What a knob sees when it decides.
pub struct KnobInput<'a> {
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
    /// The value as a number.
    pub fn number(&self) -> Option<i64> {
        self.now.typed.parse().ok()
    }

    /// Whether the goal is one of these.
    pub fn is_for(&self, goals: &[Goal]) -> bool {
        goals.contains(&self.goal)
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
}
