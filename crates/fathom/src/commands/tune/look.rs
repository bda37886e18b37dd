//! `fathom tune verify`, `status` and `knobs`: looking, without changing.

use std::path::Path;

use fathom_device::Root;
use fathom_tune::{self as tune, Knob};

use super::apart::KERNEL;
use super::failure::failure;
use super::{lost, text};
use crate::failure::{Exit, Failure, print};
use fathom_text::words::counted;

const NOTHING: &str = "fathom has changed no setting\n";

pub(super) fn verify(dir: &Path) -> Result<Exit, Failure> {
    let mut all_hold = lost::tell()?;
    let journals = tune::open_journals(dir).map_err(failure)?;
    if journals.is_empty() && all_hold {
        return print(NOTHING).map(|()| Exit::Ok);
    }
    for journal in journals {
        let found = tune::verify_journal(&Root::live(), &KERNEL, &journal).map_err(failure)?;
        all_hold &= found.iter().all(|found| found.holds());
        print(&text::findings(&found))?;
    }
    Ok(if all_hold { Exit::Ok } else { Exit::NotValid })
}

pub(super) fn status(dir: &Path) -> Result<Exit, Failure> {
    let none_is_lost = lost::tell()?;
    let journals = tune::open_journals(dir).map_err(failure)?;
    if journals.is_empty() && none_is_lost {
        return print(NOTHING).map(|()| Exit::Ok);
    }
    for journal in journals {
        let contents = tune::read_journal(&journal).map_err(failure)?;
        if let Some(header) = &contents.header {
            let open = counted(contents.open().count(), "open change");
            print(&format!(
                "session {} for {}, process {}: {open}\n",
                header.session, header.goal, header.pid
            ))?;
        }
        print(&text::records(contents.records.values()))?;
    }
    Ok(if none_is_lost { Exit::Ok } else { Exit::NotValid })
}

pub(super) fn knobs(id: Option<&str>) -> Result<Exit, Failure> {
    let Some(id) = id else {
        let line = |knob: &Knob| format!("{:<20} risk {:<13} {}\n", knob.id, knob.risk, knob.title);
        let all: String = tune::catalogue().map(line).collect();
        return print(&all).map(|()| Exit::Ok);
    };
    let knob = tune::knob(id).ok_or_else(|| failure(tune::TuneError::UnknownKnob(id.to_owned())))?;
    print(&format!(
        "{}: {}\n  why:   {}\n  risk:  {}\n  takes: {}\n  see:   {}\n",
        knob.id, knob.title, knob.why, knob.risk, knob.needs, knob.docs
    ))
    .map(|()| Exit::Ok)
}
