//! The page of what is saved so far, as `fathom report` makes it.

use crate::failure::Failure;
use fathom_figures::metric::Columns;
use fathom_report::html;
use fathom_report::terminal::ProcedureState;
use fathom_results::Incomplete;
use fathom_results::procedure::is_procedure;
use fathom_session::procedure::{answer_so_far, saved_procedure, standard_report};
use std::path::Path;

/// The page of the run or the procedure in `dir`; `None` while nothing can be read there.
pub fn of(dir: &Path, is_running: bool) -> Option<String> {
    if is_procedure(dir) { procedure(dir, is_running) } else { run(dir, is_running) }.ok()
}

fn run(dir: &Path, is_running: bool) -> Result<String, Failure> {
    let mut result = fathom_session::load(dir)?;
    if is_running {
        result.incomplete = Some(Incomplete::Running);
    }
    if result.record.finish.is_none() {
        fathom_procedures::judge(&mut result);
    }
    Ok(html::page(&result))
}

fn procedure(dir: &Path, is_running: bool) -> Result<String, Failure> {
    let (saved, damage) = saved_procedure(dir)?;
    let (so_far, standard) = (answer_so_far(&saved), standard_report(&saved, dir, Columns::USUAL));
    let state = ProcedureState {
        damage: &damage,
        is_running,
        so_far: so_far.as_ref(),
        standard: standard.as_ref(),
        ..ProcedureState::default()
    };
    Ok(html::saved_page(&saved, state, None))
}
