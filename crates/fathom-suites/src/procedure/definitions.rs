//! The table of procedures.

use super::Procedure;
use super::definition::{Parameters, ProcedureDef};
use super::repeat::Repeat;
use super::tune_try::TuneTry;

/// All procedures that are saved as a directory of rounds. `quick` is not among them: it is one run.
pub const PROCEDURES: &[ProcedureDef] = &[Repeat::DEFINITION, TuneTry::DEFINITION];

/// A name that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is no procedure that this fathom knows; it knows {}", known())]
pub struct UnknownProcedure {
    /// The name.
    pub name: String,
}

fn known() -> String {
    PROCEDURES.iter().map(|one| one.name).collect::<Vec<_>>().join(", ")
}

/// Makes the procedure of this name from its parameters.
///
/// # Errors
/// One sentence: the procedure is not known, or a parameter is missing or wrong.
pub fn open(name: &str, parameters: &[(String, String)]) -> Result<Box<dyn Procedure>, String> {
    let found = PROCEDURES.iter().find(|one| one.name == name);
    let found = found.ok_or_else(|| UnknownProcedure { name: name.to_owned() }.to_string())?;
    (found.open)(&Parameters(parameters))
}
