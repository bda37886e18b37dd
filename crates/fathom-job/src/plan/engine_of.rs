//! Finds the engine of a job.

use super::control_nodes::control_node;
use super::notes::{self, Checked};
use super::simulated;
use crate::diagnostic::Diagnostic;
use crate::engine::{EngineDef, SIM};
use crate::foreign_engines::foreign_engine;
use crate::job::Job;
use crate::options;

/// The engine that the job names; for simulated drives the engine `sim`, which then keeps as many I/Os in flight as the
/// named one could.
///
/// # Errors
/// No engine has that name: the error says why fathom does not have it, or what was probably meant.
pub fn engine_of(job: &Job, engines: &[EngineDef]) -> Checked<EngineDef> {
    let name = job.get(&options::IOENGINE);
    let named = |name: &str| engines.iter().find(|engine| engine.name == name).copied();
    let asked = named(&name).ok_or_else(|| unknown(job, &name, engines))?;
    match named(SIM).filter(|_| simulated::is_asked(job)) {
        Some(sim) => Ok(EngineDef { depth_max: asked.depth_max.min(sim.depth_max), ..sim }),
        None => Ok(asked),
    }
}

fn unknown(job: &Job, name: &str, engines: &[EngineDef]) -> Diagnostic {
    if let Some(foreign) = foreign_engine(name) {
        let error = notes::error(job, &options::IOENGINE, "engine-refused", foreign.message(name));
        return of_nodes(job).into_iter().fold(error.hint(foreign.instead), Diagnostic::hint);
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name).collect();
    let message = format!("there is no I/O engine {name:?}");
    let error = notes::error(job, &options::IOENGINE, "engine-unknown", message);
    match options::nearest_of(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean ioengine={near}?")),
        None => error.hint(format!("the engines are {}", names.join(", "))),
    }
}

/// An engine that sends commands to a drive names nodes that hold no data: the block device of each.
fn of_nodes(job: &Job) -> Vec<String> {
    let names = job.get(&options::FILENAME).unwrap_or_default();
    names.iter().filter_map(|name| control_node(name)).map(|node| node.instead).collect()
}
