//! A check: one property of a host that can change a figure.

use serde::{Deserialize, Deserializer, Serialize};

use super::observation::{Observation, Observed, ObservedAll};
use super::scene::{Disk, Scene};
use crate::texts;

/// What a remedy needs. In JSON its `kind`, with the id of the `knob` if it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "kind", content = "knob")]
pub enum Needs {
    /// Nothing can be changed, or nothing needs to be; the observation is only recorded.
    Nothing,
    /// A knob of `fathom tune`, by its id. It is changed now and restored afterwards.
    Knob(&'static str),
    /// A knob, by its id, that is changed only when the user names it, because it may harm
    /// others or cost data in a crash.
    #[serde(rename = "knob")]
    // In JSON it is a knob like the other.
    #[cfg_attr(feature = "schema", schemars(skip))]
    NamedKnob(&'static str),
    /// Another way to run the job (placement, engine, block size, time).
    Job,
    /// A decision of the administrator at run time, which fathom never takes.
    Administrator,
    /// A driver loaded again with another parameter.
    Reload,
    /// A boot parameter.
    Reboot,
    /// A setting of BIOS, UEFI or BMC.
    Firmware,
    /// Work on the hardware: slot, cable, module, fan.
    Hardware,
    /// Wiping or reformatting the device.
    Purge,
}

/// As in a file of checks: the name in small letters, and the id of the knob after it.
impl<'de> Deserialize<'de> for Needs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let words = texts::one(from)?;
        Ok(match words {
            "nothing" => Needs::Nothing,
            "job" => Needs::Job,
            "administrator" => Needs::Administrator,
            "reload" => Needs::Reload,
            "reboot" => Needs::Reboot,
            "firmware" => Needs::Firmware,
            "hardware" => Needs::Hardware,
            "purge" => Needs::Purge,
            _ => match (words.strip_prefix("knob "), words.strip_prefix("named knob ")) {
                (Some(id), _) => Needs::Knob(id),
                (_, Some(id)) => Needs::NamedKnob(id),
                _ => return Err(serde::de::Error::custom(format!("{words} is not what a remedy needs"))),
            },
        })
    }
}

/// One entry of the catalogue. The texts are for readers who do not know the
/// subject: full sentences, with a number or a source wherever there is one.
/// They are in `checks/FAMILY.toml`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Stable name, `family.word`.
    #[serde(skip)]
    pub id: &'static str,
    /// What it is about, in a few words.
    #[serde(deserialize_with = "texts::one")]
    pub title: &'static str,
    /// The paths read, with `D` for a disk and so on.
    #[serde(deserialize_with = "texts::one")]
    pub reads: &'static str,
    /// What the subject is, and why it changes a figure.
    #[serde(deserialize_with = "texts::one")]
    pub why: &'static str,
    /// How it is judged for which goal.
    #[serde(deserialize_with = "texts::one")]
    pub judged: &'static str,
    /// What to do about it; the command where there is one.
    #[serde(deserialize_with = "texts::one")]
    pub remedy: &'static str,
    /// What to do, as an order in one sentence; `None` where the remedy begins with that.
    #[serde(default, deserialize_with = "texts::maybe")]
    pub in_short: Option<&'static str>,
    /// What the remedy takes.
    pub needs: Needs,
    /// The kernel versions in which the facts exist and have this meaning.
    #[serde(deserialize_with = "texts::one")]
    pub kernels: &'static str,
    /// Contract IDs, standards and papers behind it.
    #[serde(deserialize_with = "texts::several")]
    pub sources: &'static [&'static str],
    /// Makes the check.
    #[serde(skip)]
    pub observe: Observe,
}

/// How a check is made.
#[derive(Debug, Clone, Copy)]
pub enum Observe {
    /// Of one subject of this name.
    Of(&'static str, fn(&Scene<'_>) -> Observed),
    /// Of each disk at the bottom of the targets.
    EachDisk(fn(&Scene<'_>, &Disk) -> Observed),
    /// Of each block device of the targets that has a queue.
    EachQueue(fn(&Scene<'_>, &Disk) -> Observed),
    /// Of other subjects: at least one observation for every scene.
    Several(fn(&Scene<'_>) -> Vec<Observation>),
    /// The same, where one fact is needed for all of them: without it, one observation of a subject of this name.
    All(&'static str, fn(&Scene<'_>) -> ObservedAll),
    /// The same, also from the counters that match these patterns ([`fathom_device::glob`]) as they
    /// were some time before. Such a check is also made at the end of a run, and its
    /// findings taint the run.
    Watch(&'static [&'static str], &'static Observe),
}

impl Observe {
    fn make(&self, scene: &Scene<'_>) -> Vec<Observation> {
        match *self {
            Observe::Of(subject, make) => vec![Observation::or_unknown(subject, make(scene))],
            Observe::EachDisk(make) => scene.each_disk(|disk| make(scene, disk)),
            Observe::EachQueue(make) => scene.each_queue(|disk| make(scene, disk)),
            Observe::Several(make) => make(scene),
            Observe::All(subject, make) => {
                make(scene).unwrap_or_else(|unknown| vec![Observation::unknown(subject, unknown)])
            }
            Observe::Watch(_, inner) => inner.make(scene),
        }
    }
}

impl Default for Observe {
    /// What a check has until its family's table gives it its code.
    fn default() -> Self {
        Observe::Several(|_| Vec::new())
    }
}

impl Check {
    /// Makes the check: at least one observation for every scene.
    pub fn observe(&self, scene: &Scene<'_>) -> Vec<Observation> {
        self.observe.make(scene)
    }

    /// The counters that must also be read some time before; none for a check of what
    /// there is now.
    pub fn counters(&self) -> &'static [&'static str] {
        if let Observe::Watch(counters, _) = self.observe { counters } else { &[] }
    }

    /// Whether it judges what happened in a span of time.
    pub fn is_watch(&self) -> bool {
        matches!(self.observe, Observe::Watch(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_remedy_needs_is_a_known_word() {
        let needs =
            |text: &'static str| texts::read::<std::collections::BTreeMap<String, Needs>>(text)["needs"];
        assert_eq!(needs("needs = 'knob blk.wbt'"), Needs::Knob("blk.wbt"));
        assert_eq!(needs("needs = 'named knob blk.wbt'"), Needs::NamedKnob("blk.wbt"));
        assert_eq!(needs("needs = 'reload'"), Needs::Reload);
        assert!(std::panic::catch_unwind(|| needs("needs = 'luck'")).is_err());
    }
}
