//! What can be said of a job only when all its options are known.

use crate::diagnostic::{Diagnostic, Severity};
use crate::engine;
use crate::job::{Job, Origin};
use crate::options;
use crate::parse::findings::Findings;
use std::collections::HashMap;

/// Options of another engine than the job's: an error if the job itself sets
/// them; inherited ones are left out, with a note.
pub(super) fn engine_private(job: &Job, findings: &mut Findings) {
    let engine = job.get(&options::IOENGINE);
    // An engine that does not exist is the fault that counts; the planner reports it.
    if engine::named(&engine).is_none() {
        return;
    }
    for (name, setting) in job.settings() {
        let engines = options::find(name).map_or(&[][..], |def| def.engines);
        if engines.is_empty() || engines.contains(&engine.as_str()) {
            continue;
        }
        let message =
            format!("{name} is an option of {}; the engine of {} is {engine}", engines.join(", "), job.name);
        let severity = if setting.origin == Origin::Section { Severity::Error } else { Severity::Warning };
        let found = Diagnostic::new(severity, "engine-option", message).at(&setting.span);
        findings.push(match engines.iter().find(|name| engine::named(name).is_some()) {
            Some(has) if severity == Severity::Error => found.hint(format!("remove it, or ioengine={has}")),
            _ => found,
        });
    }
}

/// The job to wait for must be defined above, and only once.
pub(super) fn wait_for(job: &Job, before: &HashMap<String, usize>, findings: &mut Findings) {
    let Some(setting) = job.setting(&options::WAIT_FOR) else { return };
    let message = match before.get(&setting.text).copied().unwrap_or(0) {
        1 => return,
        0 => format!("no job above is named {}", setting.text),
        n => format!("{n} jobs above are named {}", setting.text),
    };
    findings.push(Diagnostic::error("bad-wait-for", message).at(&setting.span));
}
