//! Finds the engine of a job.

use super::engines_refused::refused_engine;
use super::notes::{self, Checked};
use crate::diagnostic::Diagnostic;
use crate::engine::EngineDef;
use crate::job::Job;
use crate::options;

/// The engine that the job names.
///
/// # Errors
/// No engine has that name: the error says why fathom does not have it, or what was probably meant.
pub fn engine_of<'e>(job: &Job, engines: &'e [EngineDef]) -> Checked<&'e EngineDef> {
    let name = job.get(&options::IOENGINE);
    engines.iter().find(|engine| engine.name == name).ok_or_else(|| unknown(job, &name, engines))
}

fn unknown(job: &Job, name: &str, engines: &[EngineDef]) -> Diagnostic {
    if let Some(reason) = refused_engine(name) {
        let message = format!("ioengine={name} is not supported: {reason}");
        return notes::error(job, &options::IOENGINE, "engine-refused", message);
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name).collect();
    let message = format!("there is no I/O engine {name:?}");
    let error = notes::error(job, &options::IOENGINE, "engine-unknown", message);
    match options::nearest_of(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean ioengine={near}?")),
        None => error.hint(format!("the engines are {}", names.join(", "))),
    }
}
