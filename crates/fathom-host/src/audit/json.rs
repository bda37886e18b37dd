//! An audit for programs: `fathom.doctor/1`.

use std::path::PathBuf;

use serde::Serialize;

use super::{Audit, Check, Examined, Needs, Observation, Tally, Verdict};
use fathom_device::Goal;

/// Name and version of the form.
pub const SCHEMA: &str = "fathom.doctor/1";

/// The whole document.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    /// The goal asked for; `None` is every goal.
    goal: Option<Goal>,
    /// What was looked at.
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
    latency: Tally,
    iops: Tally,
    bandwidth: Tally,
    repeatability: Tally,
}

#[derive(Debug, Serialize)]
struct One<'a> {
    id: &'a str,
    title: &'a str,
    /// For the goal asked for, else the gravest.
    verdict: Verdict,
    needs: Takes,
    remedy: &'a str,
    kernels: &'a str,
    sources: &'a [&'a str],
    observations: &'a [Observation],
}

/// What the remedy takes, with the knob where it is one.
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
    let verdict = examined.judged(goal);
    One {
        id,
        title,
        verdict,
        needs: takes(needs),
        remedy,
        kernels,
        sources,
        observations: &examined.observations,
    }
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
