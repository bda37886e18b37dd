//! Simulated drives that the command line names.

use crate::failure::{Exit, Failure};
use fathom_job::plan::{TargetFacts, simulated_facts, simulated_instead, simulated_model};
use fathom_sim::DriveModel;

/// The model of this name, and what it is as a target; `None` where it is the name of something else.
pub fn simulated(name: &str) -> Option<Result<(DriveModel, TargetFacts), Failure>> {
    let read = |model: DriveModel| simulated_facts(&model).map(|facts| (model, facts));
    let cannot = |why| {
        Failure::new(Exit::Usage, format!("{name} cannot be simulated: {why}"))
            .hint(simulated_instead(name))
            .hint("what a simulated drive is: fathom help targets")
    };
    Some(simulated_model(name)?.and_then(read).map_err(cannot))
}

/// Refuses the first simulated drive among these names, which `why` does not suit.
pub fn refuse_simulated<'n>(mut names: impl Iterator<Item = &'n str>, why: &str) -> Result<(), Failure> {
    let Some((name, known)) = names.find_map(|name| Some((name, simulated(name)?))) else { return Ok(()) };
    known?;
    Err(Failure::new(Exit::Usage, format!("{name} is a simulated drive: {why}"))
        .hint(format!("what it is: fathom devices {name}")))
}
