//! `fathom tune revert`: puts everything back as it was, and reports each knob.

use std::path::{Path, PathBuf};

use fathom_device::Root;
use fathom_tune::{self as tune, Lock, Record, RevertOptions, Session};

use super::apart::KERNEL;
use super::failure::failure;
use super::signals::Watch;
use super::{RevertArgs, lost, text};
use crate::failure::{Exit, Failure, print, say};
use crate::put_back::tell_open;

pub(super) fn run(args: &RevertArgs, dir: &Path) -> Result<Exit, Failure> {
    let none_is_lost = lost::tell()?;
    let journals = chosen(args, tune::open_journals(dir).map_err(failure)?)?;
    if journals.is_empty() {
        if none_is_lost {
            say("nothing to put back");
        }
        return Ok(if none_is_lost { Exit::Ok } else { Exit::NotValid });
    }
    // From here on a signal does not end the process before all is put back.
    let _signals = Watch::begin()?;
    let _lock = Lock::take(dir).map_err(failure)?;
    let options = RevertOptions {
        force: args.force_knob.clone(),
        acknowledge: args.acknowledge,
        device_limit: Some(args.device_limit),
    };
    let mut is_back = none_is_lost;
    // Newest first: a later session may have found the values of an earlier one.
    for journal in journals.iter().rev() {
        let undone = tune::revert_journal(&Root::live(), &KERNEL, journal, &options).map_err(failure)?;
        is_back &= report(&undone, journal)?;
    }
    Ok(if is_back { Exit::Ok } else { Exit::NotValid })
}

fn chosen(args: &RevertArgs, open: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    let Some(name) = &args.session else {
        if open.len() > 1 && !args.all {
            let names: Vec<_> = open.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
            let said = format!("several sessions are open: {}", names.join(", "));
            return Err(Failure::new(Exit::Usage, said).hint("name one with --session, or give --all"));
        }
        return Ok(open);
    };
    let found: Vec<PathBuf> =
        open.into_iter().filter(|path| path.file_stem().is_some_and(|stem| stem == name.as_str())).collect();
    match found.is_empty() {
        true => Err(Failure::new(Exit::Usage, format!("no open session is called {name}"))
            .hint("to list them: fathom tune status")),
        false => Ok(found),
    }
}

/// Prints what became of each change, and returns whether all is put back.
fn report(undone: &[Record], journal: &Path) -> Result<bool, Failure> {
    print(&text::records(undone))?;
    Ok(tell_open(undone, journal))
}

/// Ends a session of this process.
pub(super) fn end(session: Session) -> Result<bool, Failure> {
    let journal = session.journal().to_owned();
    report(&session.revert().map_err(failure)?, &journal)
}
