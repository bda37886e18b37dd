//! The table of procedures.

use super::Procedure;
use super::definition::{Parameters, ProcedureDef};
use super::job_files_in_turn::InTurn;
use super::precondition::Precondition;
use super::pts::Pts;
use super::repeat::Repeat;
use super::search::Search;
use super::setting_trial::Tried;
use super::suite_steps::Suite;
use super::tune_try::TuneTry;
use super::verify::VerifyTarget;

/// All procedures that are saved as a directory of rounds. `quick` is not among them: it is one run.
pub const PROCEDURES: &[ProcedureDef] = &[
    Repeat::DEFINITION,
    InTurn::DEFINITION,
    Precondition::DEFINITION,
    Pts::DEFINITION,
    Search::DEFINITION,
    Suite::DEFINITION,
    Tried::DEFINITION,
    TuneTry::DEFINITION,
    VerifyTarget::DEFINITION,
];

/// Makes the procedure of this name from its parameters.
///
/// # Errors
/// One sentence: the procedure is not known, or a parameter is missing or wrong.
pub fn open(name: &str, parameters: &[(String, String)]) -> Result<Box<dyn Procedure>, String> {
    let found = PROCEDURES.iter().find(|one| one.name == name);
    let known = || PROCEDURES.iter().map(|one| one.name).collect::<Vec<_>>().join(", ");
    let found = found
        .ok_or_else(|| format!("{name} is no procedure that this fathom knows; it knows {}", known()))?;
    (found.open)(&Parameters(parameters))
}
