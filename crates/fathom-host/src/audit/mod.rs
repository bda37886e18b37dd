//! The audit: is this host fit for the measurement?
//!
//! ```text
//! root, targets, job ─► Scene ─look─► Observations (evidence, verdict per goal) ─► Audit
//!      earlier counters ──┘            one Check of the catalogue each
//! ```
//! Every check is a function of its family under `checks/`. To add one, add that function, its line
//! in the family's table, its texts in `checks/FAMILY.toml`, and its fixture. Nothing here writes, and nothing guesses: what cannot be read is n-a, with the reason.

pub mod bios;
mod check;
pub mod checks;
mod earlier;
mod observation;
pub mod retired;
mod scene;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fathom_device::Goal;
use serde::Serialize;

pub use check::{Check, Needs, Observe};
pub use earlier::{ELAPSED, Earlier};
pub use observation::{Evidence, Grade, Grades, Observation, Observed, ObservedAll};
pub use scene::{
    BootWords, CpuTimes, Disk, JobNeeds, Pci, Raw, Safety, Scene, Target, Ticks, each, has_cpu_flag, leaf,
};
pub use text::{AuditText, TuneCommand};

/// A check and its observations.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The entry of the catalogue.
    pub check: &'static Check,
    /// The observations, at least one.
    pub observations: Vec<Observation>,
}

impl Examined {
    /// The worst verdict for a goal.
    pub fn verdict(&self, goal: Goal) -> Grade {
        let verdicts = self.observations.iter().map(|seen| seen.verdicts.of(goal));
        verdicts.max().unwrap_or(Grade::NotApplicable)
    }
}

/// All observations, in the order of the catalogue.
#[derive(Debug, Clone)]
pub struct Audit {
    /// One for each check made.
    pub examined: Vec<Examined>,
}

/// The number of checks with each verdict for a goal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GradeCounts {
    /// Bad.
    pub bad: usize,
    /// Warn.
    pub warn: usize,
    /// Info.
    pub info: usize,
    /// Ok.
    pub ok: usize,
    /// Not applicable, or not readable.
    pub not_applicable: usize,
}

impl Audit {
    /// Makes every check of the catalogue.
    pub fn take(scene: &Scene<'_>) -> Self {
        Self::of(scene, checks::catalogue())
    }

    /// Makes the checks that judge what happened since the scene's earlier
    /// counters were read.
    pub fn watch(scene: &Scene<'_>) -> Self {
        Self::of(scene, checks::catalogue().filter(|check| check.is_watch()))
    }

    fn of(scene: &Scene<'_>, checks: impl Iterator<Item = &'static Check>) -> Self {
        let examine = |check: &'static Check| Examined { check, observations: check.observe(scene) };
        Self { examined: checks.map(examine).collect() }
    }

    /// Counts the verdicts for a goal.
    pub fn tally(&self, goal: Goal) -> GradeCounts {
        let mut tally = GradeCounts::default();
        for examined in &self.examined {
            let count = match examined.verdict(goal) {
                Grade::Bad => &mut tally.bad,
                Grade::Warn => &mut tally.warn,
                Grade::Info => &mut tally.info,
                Grade::Ok => &mut tally.ok,
                Grade::NotApplicable => &mut tally.not_applicable,
            };
            *count += 1;
        }
        tally
    }

    /// The facts that more rights would have given.
    pub fn denied(&self) -> BTreeSet<PathBuf> {
        let observations = self.examined.iter().flat_map(|examined| &examined.observations);
        let evidence = observations.flat_map(|seen| &seen.evidence);
        evidence.filter(|e| e.needs_root).map(|e| e.path.clone()).collect()
    }
}

// An audit for programs: `fathom.doctor/1`.

/// Name and version of the form.
pub const SCHEMA: &str = "fathom.doctor/1";

/// The whole document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    schema: &'static str,
    /// The goal that the user gave; `None` means every goal.
    goal: Option<Goal>,
    /// The targets of the audit.
    #[serde(with = "fathom_device::saved_path::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    targets: Vec<PathBuf>,
    /// Facts that more rights would have given.
    #[serde(with = "fathom_device::saved_path::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    needs_root: Vec<PathBuf>,
    tally: BTreeMap<Goal, GradeCounts>,
    checks: Vec<One<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct One<'a> {
    id: &'a str,
    title: &'a str,
    /// The verdict for the goal that the user gave, or else the worst one.
    verdict: Grade,
    needs: Needs,
    remedy: &'a str,
    kernels: &'a str,
    sources: &'a [&'a str],
    observations: &'a [Observation],
}

impl Audit {
    /// The document, to be written with serde.
    pub fn document(&self, goal: Option<Goal>, targets: Vec<PathBuf>) -> Document<'_> {
        Document {
            schema: SCHEMA,
            goal,
            targets,
            needs_root: self.denied().into_iter().collect(),
            tally: Goal::ALL.into_iter().map(|goal| (goal, self.tally(goal))).collect(),
            checks: self.examined.iter().map(|examined| one(examined, goal)).collect(),
        }
    }
}

fn one(examined: &Examined, goal: Option<Goal>) -> One<'_> {
    let Check { id, title, remedy, kernels, sources, needs, .. } = *examined.check;
    let (verdict, observations) = (examined.judged(goal), &examined.observations);
    One { id, title, verdict, needs, remedy, kernels, sources, observations }
}
