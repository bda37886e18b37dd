//! Simulated drives as targets: `sim:datacentre/64,op=28`.

use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetFacts, TargetKind};
use crate::diagnostic::Diagnostic;
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use fathom_sim::{DriveModel, ModelRemark, PRESETS, SimError};

/// What the name of a simulated drive begins with.
const PREFIX: &str = "sim:";

/// A simulated drive has the sectors of most drives.
const SECTOR: Bytes = Bytes(512);

/// The model that a name such as `sim:datacentre/64` describes; `None` where it is the name of something else.
pub fn simulated_model(name: &str) -> Option<Result<DriveModel, SimError>> {
    name.strip_prefix(PREFIX).map(str::parse)
}

/// Is a target of this job a simulated drive? Then all of them must be.
pub(super) fn is_asked(job: &Job) -> bool {
    let names = job.get(&options::FILENAME).unwrap_or_default();
    names.iter().any(|name| name.starts_with(PREFIX))
}

/// The drives of these names; empty where one of them cannot be.
pub(super) fn targets(job: &Job, names: &[String], notes: &mut Notes) -> Vec<PlannedTarget> {
    if names.is_empty() {
        notes.push(error(job, "target-missing", "the engine sim needs a simulated drive".to_owned()));
    }
    let mut targets = Vec::new();
    for name in names {
        let Some((target, remarks)) = notes.take(target(job, name)) else { continue };
        for remark in remarks {
            notes.push(notes::note(job, &options::FILENAME, "simulated-drive", format!("{name}: {remark}")));
        }
        targets.push(target);
    }
    if targets.len() == names.len() { targets } else { Vec::new() }
}

fn error(job: &Job, code: &str, message: String) -> Diagnostic {
    let hint = format!("filename=sim:PRESET/SCALE, with a preset of {}", PRESETS.join(", "));
    notes::error(job, &options::FILENAME, code, message).hint(hint)
}

fn target(job: &Job, name: &str) -> Checked<(PlannedTarget, Vec<ModelRemark>)> {
    let other =
        || error(job, "target-kind", format!("{name} is no simulated drive, which the engine sim needs"));
    let model = simulated_model(name).ok_or_else(other)?;
    let read = || {
        let model = model?;
        Ok((model.capacity_bytes()?, model.remarks()?))
    };
    let cannot = |why: SimError| error(job, "bad-model", format!("{name} cannot be simulated: {why}"));
    let (size, remarks) = read().map_err(cannot)?;
    let facts = TargetFacts {
        kind: TargetKind::Simulated,
        size: Some(Bytes(size)),
        direct_align: Some(SECTOR),
        ..TargetFacts::MISSING
    };
    Ok((PlannedTarget { path: name.to_owned(), facts }, remarks))
}
