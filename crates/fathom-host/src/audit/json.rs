//! An audit for programs: `fathom.doctor/1`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Audit, Check, Examined, Grade, GradeCounts, Needs, Observation};
use fathom_device::Goal;

/// Name and version of the form.
pub const SCHEMA: &str = "fathom.doctor/1";

/// The whole document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'a> {
    schema: &'static str,
    /// The goal that the user gave; `None` means every goal.
    goal: Option<Goal>,
    /// The targets of the audit.
    #[serde(with = "fathom_device::saved_path::list")]
    #[schemars(with = "Vec<String>")]
    targets: Vec<PathBuf>,
    /// Facts that more rights would have given.
    #[serde(with = "fathom_device::saved_path::list")]
    #[schemars(with = "Vec<String>")]
    needs_root: Vec<PathBuf>,
    tally: BTreeMap<Goal, GradeCounts>,
    checks: Vec<One<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
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
