//! A check: one thing about a host that can move a figure.

use serde::Serialize;

use super::observation::Observation;
use super::scene::Scene;

/// What a remedy takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// Nothing can or need be changed; it is for the record.
    Nothing,
    /// A knob of `fathom tune`, by its id: changed now, put back afterwards.
    Knob(&'static str),
    /// A knob that is changed only when it is named, since it may harm others or cost data
    /// in a crash: by its id.
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
    /// A hand on the machine: slot, cable, module, fan.
    Hardware,
    /// Wiping or reformatting the device.
    Purge,
}

/// One entry of the catalogue. The texts are for somebody who has never heard
/// of it: full sentences, with a number or a source wherever there is one.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Stable name, `family.word`.
    pub id: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// The paths read, with `D` for a disk and so on.
    pub reads: &'static str,
    /// What the thing is, and why it moves a figure.
    pub why: &'static str,
    /// How it is judged for which goal.
    pub judged: &'static str,
    /// What to do about it; the command where there is one.
    pub remedy: &'static str,
    /// What the remedy takes.
    pub needs: Needs,
    /// The kernels in which the facts are there and mean this.
    pub kernels: &'static str,
    /// Contract IDs, standards and papers behind it.
    pub sources: &'static [&'static str],
    /// Patterns ([`fathom_device::glob`]) of the counters that must be read some time
    /// before. A check that has any is also made at the end of a run, and
    /// what it finds taints the run.
    pub counters: &'static [&'static str],
    /// Looks. Says at least one thing about every scene.
    pub look: fn(&Scene<'_>) -> Vec<Observation>,
}

impl Check {
    /// Its id.
    pub fn name(&self) -> &'static str {
        self.id
    }

    /// Whether it judges what happened in a span of time.
    pub fn is_watch(&self) -> bool {
        !self.counters.is_empty()
    }
}
