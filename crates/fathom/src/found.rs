//! Finds the saved run or procedure that a person meant.

use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;
use fathom_session::runs;
use fathom_text::shown;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How many runs are named where several were meant.
const NAMES_SHOWN: usize = 5;

/// The directory that was meant: a path, an id or its beginning, or the newest run in `dir`.
pub fn run(dir: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let none = || {
        Failure::new(Exit::Usage, format!("no run is saved in {}", shown::path(dir))).hints(no_run_hints())
    };
    named.map_or_else(|| runs::newest(dir).ok_or_else(none), |named| one(dir, named))
}

/// The directory that was meant: a path, an id or its beginning, or the newest procedure in `dir`
/// that is not finished.
pub fn procedure(dir: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let none = || {
        let said = format!("no interrupted run --repeat or tune try is saved in {}", shown::path(dir));
        Failure::new(Exit::Usage, said).hints(vec![
            "to print what was measured: fathom report".to_owned(),
            "to measure again: fathom quick".to_owned(),
            "if it is saved in another directory: fathom resume --runs-dir DIR".to_owned(),
        ])
    };
    named.map_or_else(|| runs::newest_unfinished(dir).ok_or_else(none), |named| one(dir, named))
}

/// What to do where no run is saved.
pub fn no_run_hints() -> Vec<String> {
    vec![
        "to measure the disk under this directory and save a run: fathom quick".to_owned(),
        "if the runs are in another directory: --runs-dir DIR".to_owned(),
    ]
}

fn one(dir: &Path, named: &Path) -> Result<PathBuf, Failure> {
    let id = named.to_string_lossy();
    if slow_look().at(named, || named.exists()) || id.contains('/') {
        return Ok(named.to_owned());
    }
    match runs::with_id(dir, &id).as_slice() {
        [one] => Ok(dir.join(one)),
        [] => {
            let said = format!("{id} is neither a directory nor the id of a run in {}", shown::path(dir));
            Err(Failure::new(Exit::Usage, said).hint("to list the saved runs: fathom runs"))
        }
        several => Err(ambiguous(dir, &id, several)),
    }
}

fn ambiguous(dir: &Path, id: &str, names: &[OsString]) -> Failure {
    let said = format!("{id} is the beginning of the ids of {} runs in {}", names.len(), dir.display());
    let hints = names.iter().take(NAMES_SHOWN).map(|name| shown::path(name.as_ref()));
    let more = names.len().checked_sub(NAMES_SHOWN).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more; fathom runs lists them all"));
    Failure::new(Exit::Usage, said).hints(hints.chain(more).collect())
}
