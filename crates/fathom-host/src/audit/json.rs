//! An audit for programs: `fathom.doctor/1`.

use std::path::PathBuf;

use serde::Serialize;

use super::{Audit, Check, Examined, Grade, GradeCounts, Needs, Observation};
use fathom_device::Goal;

/// Name and version of the form.
pub const SCHEMA: &str = "fathom.doctor/1";

/// The whole document.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    /// The goal that the user gave; `None` means every goal.
    goal: Option<Goal>,
    /// The targets of the audit.
    #[serde(with = "fathom_device::saved_path::list")]
    targets: Vec<PathBuf>,
    /// Facts that more rights would have given.
    #[serde(with = "fathom_device::saved_path::list")]
    needs_root: Vec<PathBuf>,
    tally: Tallies,
    checks: Vec<One<'a>>,
}

#[derive(Debug, Serialize)]
struct Tallies {
    latency: GradeCounts,
    iops: GradeCounts,
    bandwidth: GradeCounts,
    repeatability: GradeCounts,
}

#[derive(Debug, Serialize)]
struct One<'a> {
    id: &'a str,
    title: &'a str,
    /// The verdict for the goal that the user gave, or else the worst one.
    verdict: Grade,
    needs: Takes,
    remedy: &'a str,
    kernels: &'a str,
    sources: &'a [&'a str],
    observations: &'a [Observation],
}

/// What the remedy needs, with the id of the knob if it is one.
#[derive(Debug, Serialize)]
struct Takes {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    knob: Option<&'static str>,
}

impl Audit {
    /// The document, to be written with serde.
    pub fn document(&self, goal: Option<Goal>, targets: Vec<PathBuf>) -> Document<'_> {
        Document {
            schema: SCHEMA,
            goal,
            targets,
            needs_root: self.denied().into_iter().collect(),
            tally: Tallies {
                latency: self.tally(Goal::Latency),
                iops: self.tally(Goal::Iops),
                bandwidth: self.tally(Goal::Bandwidth),
                repeatability: self.tally(Goal::Repeatability),
            },
            checks: self.examined.iter().map(|examined| one(examined, goal)).collect(),
        }
    }
}

fn one(examined: &Examined, goal: Option<Goal>) -> One<'_> {
    let Check { id, title, remedy, kernels, sources, needs, .. } = *examined.check;
    let (verdict, needs, observations) = (examined.judged(goal), takes(needs), &examined.observations);
    One { id, title, verdict, needs, remedy, kernels, sources, observations }
}

fn takes(needs: Needs) -> Takes {
    let (kind, knob) = match needs {
        Needs::Nothing => ("nothing", None),
        Needs::Knob(knob) | Needs::NamedKnob(knob) => ("knob", Some(knob)),
        Needs::Job => ("job", None),
        Needs::Administrator => ("administrator", None),
        Needs::Reload => ("reload", None),
        Needs::Reboot => ("reboot", None),
        Needs::Firmware => ("firmware", None),
        Needs::Hardware => ("hardware", None),
        Needs::Purge => ("purge", None),
    };
    Takes { kind, knob }
}
