//! A check: one property of a host that can change a figure.

use schemars::JsonSchema;
use serde::Serialize;

use super::observation::Observation;
use super::scene::Scene;

/// What a remedy needs. In JSON its `kind`, with the id of the `knob` if it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
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
    #[schemars(skip)]
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

/// One entry of the catalogue. The texts are for readers who do not know the
/// subject: full sentences, with a number or a source wherever there is one.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Stable name, `family.word`.
    pub id: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// The paths read, with `D` for a disk and so on.
    pub reads: &'static str,
    /// What the subject is, and why it changes a figure.
    pub why: &'static str,
    /// How it is judged for which goal.
    pub judged: &'static str,
    /// What to do about it; the command where there is one.
    pub remedy: &'static str,
    /// What the remedy takes.
    pub needs: Needs,
    /// The kernel versions in which the facts exist and have this meaning.
    pub kernels: &'static str,
    /// Contract IDs, standards and papers behind it.
    pub sources: &'static [&'static str],
    /// Makes the check.
    pub observe: Observe,
}

/// Returns at least one observation for every scene.
type MakeFn = fn(&Scene<'_>) -> Vec<Observation>;

/// How a check is made.
#[derive(Debug, Clone, Copy)]
pub enum Observe {
    /// From what there is now.
    Once(MakeFn),
    /// Also from the counters that match these patterns ([`fathom_device::glob`]) as they
    /// were some time before. Such a check is also made at the end of a run, and its
    /// findings taint the run.
    Watch(&'static [&'static str], MakeFn),
}

impl Check {
    /// Makes the check: at least one observation for every scene.
    pub fn observe(&self, scene: &Scene<'_>) -> Vec<Observation> {
        let (Observe::Once(make) | Observe::Watch(_, make)) = self.observe;
        make(scene)
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
