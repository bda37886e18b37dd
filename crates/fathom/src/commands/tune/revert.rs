//! `fathom tune revert`: puts everything back as it was, and reports each knob.

use std::path::{Path, PathBuf};

use fathom_device::Root;
use fathom_tune::{self as tune, Lock, Record, RevertOptions, Session, TuneChanges, TunedSession};

use super::failure::failure;
use super::signals::Watch;
use super::status::changes;
use super::watched_process::KERNEL;
use super::{RevertArgs, lost_journal, text};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::put_back::tell_open;

pub(super) fn run(args: &RevertArgs, dir: &Path) -> Result<Exit, Failure> {
    let search = lost_journal::search(args.json)?;
    let journals = chosen(args, tune::open_journals(dir).map_err(failure)?)?;
    if journals.is_empty() {
        if search.is_none {
            say("nothing to put back");
        }
        if args.json {
            print_document(&TuneChanges::of(search.is_none, Vec::new(), &search.lost))?;
        }
        return Ok(if search.is_none { Exit::Ok } else { Exit::NotValid });
    }
    // From here on a signal does not end the process before all is put back.
    let _signals = Watch::begin()?;
    let _lock = Lock::take(dir).map_err(failure)?;
    let options = RevertOptions {
        force: args.force_knob.clone(),
        acknowledge: args.acknowledge,
        device_limit: Some(args.device_limit),
    };
    let mut is_back = search.is_none;
    let mut sessions = Vec::new();
    // Newest first: a later session may have found the values of an earlier one.
    for journal in journals.iter().rev() {
        let header = tune::read_journal(journal).map_err(failure)?.header;
        let undone = tune::revert_journal(&Root::live(), &KERNEL, journal, &options).map_err(failure)?;
        match args.json {
            true => sessions.push(TunedSession::of(journal, header.as_ref(), changes(&undone))),
            false => print(&text::records(&undone))?,
        }
        is_back &= tell_open(&undone, journal);
    }
    if args.json {
        print_document(&TuneChanges::of(is_back, sessions, &search.lost))?;
    }
    Ok(if is_back { Exit::Ok } else { Exit::NotValid })
}

fn chosen(args: &RevertArgs, open: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    let Some(name) = &args.session else {
        if open.len() > 1 && !args.all {
            let names: Vec<_> = open.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
            let message = format!("several sessions are open: {}", names.join(", "));
            return Err(Failure::new(Exit::Usage, message).hint("name one with --session, or give --all"));
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

/// Ends a session of this process, and prints what became of each change. Returns whether all is put back.
pub(super) fn end(session: Session, json: bool) -> Result<bool, Failure> {
    let journal = session.journal().to_owned();
    let undone = session.revert().map_err(failure)?;
    if json {
        let is_back = !undone.iter().any(Record::is_open);
        let session = TunedSession::of(&journal, None, changes(&undone));
        print_document(&TuneChanges::of(is_back, vec![session], &[]))?;
    } else {
        print(&text::records(&undone))?;
    }
    Ok(tell_open(&undone, &journal))
}
