//! `fathom tune verify`, `status` and `knobs`: looking, without changing.

use std::path::Path;

use fathom_device::Root;
use fathom_tune::{self as tune, Knob, TuneChanges, TuneKnobs, TunedChange, TunedSession};

use super::failure::failure;
use super::watched_process::KERNEL;
use super::{lost_journal, text};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print};
use fathom_text::words::counted;

const NOTHING: &str = "fathom has changed no setting\n";

pub(super) fn verify(dir: &Path, json: bool) -> Result<Exit, Failure> {
    let search = lost_journal::search(json)?;
    let mut all_hold = search.is_none;
    let journals = tune::open_journals(dir).map_err(failure)?;
    let mut sessions = Vec::new();
    for journal in &journals {
        let found = tune::verify_journal(&Root::live(), &KERNEL, journal).map_err(failure)?;
        all_hold &= found.iter().all(|found| found.holds());
        if json {
            let header = tune::read_journal(journal).map_err(failure)?.header;
            sessions.push(TunedSession::of(journal, header.as_ref(), changes(&found)));
        } else {
            print(&text::findings(&found))?;
        }
    }
    if json {
        print_document(&TuneChanges::of(all_hold, sessions, &search.lost))?;
    }
    ended(all_hold, journals.is_empty() && !json)
}

/// Says that there is nothing, where nothing was printed, and gives the exit code.
fn ended(is_well: bool, is_nothing: bool) -> Result<Exit, Failure> {
    if is_nothing && is_well {
        print(NOTHING)?;
    }
    Ok(if is_well { Exit::Ok } else { Exit::NotValid })
}

/// The changes of a session, as the document has them.
pub(super) fn changes<'a, T: 'a>(all: impl IntoIterator<Item = &'a T>) -> Vec<TunedChange>
where
    TunedChange: From<&'a T>,
{
    all.into_iter().map(TunedChange::from).collect()
}

pub(super) fn status(dir: &Path, json: bool) -> Result<Exit, Failure> {
    let search = lost_journal::search(json)?;
    let journals = tune::open_journals(dir).map_err(failure)?;
    let mut sessions = Vec::new();
    for journal in &journals {
        let contents = tune::read_journal(journal).map_err(failure)?;
        if json {
            let records = contents.records.values();
            sessions.push(TunedSession::of(journal, contents.header.as_ref(), changes(records)));
            continue;
        }
        if let Some(header) = &contents.header {
            let open = counted(contents.open().count(), "open change");
            print(&format!(
                "session {} for {}, process {}: {open}\n",
                header.session, header.goal, header.pid
            ))?;
        }
        print(&text::records(contents.records.values()))?;
    }
    if json {
        print_document(&TuneChanges::of(search.is_none, sessions, &search.lost))?;
    }
    ended(search.is_none, journals.is_empty() && !json)
}

pub(super) fn knobs(id: Option<&str>, json: bool) -> Result<Exit, Failure> {
    let named = |id: &str| tune::knob(id).ok_or_else(|| failure(tune::TuneError::UnknownKnob(id.to_owned())));
    let named = id.map(named).transpose()?;
    match (named, json) {
        (Some(knob), true) => print_document(&TuneKnobs::of([knob])),
        (None, true) => print_document(&TuneKnobs::of(tune::catalogue())),
        (Some(knob), false) => print(&format!(
            "{}: {}\n  why:   {}\n  risk:  {}\n  takes: {}\n  see:   {}\n",
            knob.id, knob.title, knob.why, knob.risk, knob.needs, knob.docs
        )),
        (None, false) => {
            let line = |knob: &Knob| format!("{:<20} risk {:<13} {}\n", knob.id, knob.risk, knob.title);
            print(&tune::catalogue().map(line).collect::<String>())
        }
    }
    .map(|()| Exit::Ok)
}
