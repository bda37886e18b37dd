//! Undoing: backwards, with each setting looked up again and three values compared.
//!
//! The three are *before*, *ours* and *now*. A setting that is neither as it was nor as we made it
//! has been changed by somebody else, and is left as it is. One knob that cannot be put back does
//! not stop the others, and neither does a device that does not answer: its settings come last,
//! each with a limit.

use super::child::Task;
use super::claim;
use super::error::TuneError;
use super::journal::Journal;
use super::reach::Reach;
use super::record::{Record, State};
use super::setting::{NotRead, Read, Turn};
use super::writer::Writer;
use crate::revert_command::{Offers, is_sound};
use fathom_device::counters::boot_id;
use fathom_device::root::Root;
use std::path::Path;
use std::time::Duration;

/// What a person said about settings that somebody else has changed since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevertOptions {
    /// Knobs that are put back even so.
    pub force: Vec<String>,
    /// What cannot be put back is left as it is, for good.
    pub acknowledge: bool,
    /// How long a device may take for one setting; `None`: 5 s.
    pub device_limit: Option<Duration>,
}

/// Undoes what the journal says is in force. The answer has one record for
/// each change that was open, in the order in which they were put back.
pub fn revert_journal(
    root: &Root,
    writer: &dyn Writer,
    path: &Path,
    options: &RevertOptions,
) -> Result<Vec<Record>, TuneError> {
    let mut journal = Journal::open(path)?;
    revert_open(root, writer, &mut journal, options)
}

pub(super) fn revert_open(
    root: &Root,
    writer: &dyn Writer,
    journal: &mut Journal,
    options: &RevertOptions,
) -> Result<Vec<Record>, TuneError> {
    let (boot, offers) = (boot_id(root), Offers::of(root));
    let mut reach = Reach::new(root, writer, journal.path(), options.device_limit);
    let mut settled = Vec::new();
    for record in order(journal) {
        let is_other_boot = record.boot_id.is_some() && boot.is_some() && record.boot_id != boot;
        let mut now = match is_other_boot {
            true => record.now_in(State::Expired, None),
            false => {
                let force = options.force.contains(&record.id);
                let here = || put_back(root, writer, &offers, &record, force);
                reach.work(&record, Task::PutBack { seq: record.seq, force }, here)
            }
        };
        if options.acknowledge && now.is_open() {
            now = now.now_in(State::Acknowledged, now.note.clone());
        }
        // A journal that cannot be written any more must not keep settings
        // from being put back: the next revert finds them as they were.
        let written = journal.write(&now);
        settled.push((now, written));
    }
    let (records, written): (Vec<Record>, Vec<Result<(), TuneError>>) = settled.into_iter().unzip();
    written.into_iter().collect::<Result<Vec<()>, TuneError>>()?;
    close(root, journal)?;
    Ok(records)
}

/// Closes the journal if nothing is left to undo: then others may tune what it
/// tuned.
pub(super) fn close(root: &Root, journal: &mut Journal) -> Result<(), TuneError> {
    let is_settled = journal.contents().open().next().is_none();
    let claimed = journal.path().to_owned();
    let closed = journal.close();
    // Also where the directory of the journal is gone, because nothing is in force.
    if is_settled {
        claim::release(root, &claimed);
    }
    closed.map(drop)
}

/// Settings that cannot hang come first, then those of devices, then services. Each of the three
/// groups is put back in reverse order, but settings that reset others come first.
fn order(journal: &Journal) -> Vec<Record> {
    let mut records: Vec<Record> = journal.contents().open().cloned().collect();
    records.sort_by_key(|record| {
        (Turn::of(&record.setting), record.setting.disturbs.is_empty(), std::cmp::Reverse(record.seq))
    });
    records
}

pub(super) fn put_back(
    root: &Root,
    writer: &dyn Writer,
    offers: &Offers<'_>,
    record: &Record,
    force: bool,
) -> Record {
    let now = record.setting.read(root);
    // If the owner is gone, the knobs find no setting to compare the record with. Any other record
    // must first be one that a knob could have made: a file that is missing because no knob sets it
    // does not count as a setting that is gone.
    let is_offered = match &now {
        Err(NotRead::Gone(_)) => is_sound(record),
        _ => offers.has(record),
    };
    if !is_offered {
        let message = "refused: no knob of this name has such a setting or value on this machine";
        return record.now_in(State::Stuck, Some(message.to_owned()));
    }
    let now = match now {
        Ok(now) => now,
        Err(e) if e.is_gone() => return record.now_in(State::Gone, Some(e.to_string())),
        Err(e) => return record.now_in(State::Stuck, Some(e.to_string())),
    };
    if now.typed == record.before_typed && twin_is_back(root, record) {
        return record.now_in(State::Unchanged, undisturb(root, writer, record));
    }
    if !record.is_ours(&now.typed) && !force {
        let message = format!("it is {} now; fathom had set it to {}", now.typed, record.in_force());
        return record.now_in(State::Drifted, Some(message));
    }
    write_back(root, writer, record, &now)
}

fn write_back(root: &Root, writer: &dyn Writer, record: &Record, now: &Read) -> Record {
    let theirs = disturbed_by_others(root, record);
    let written = match record.excluded_twin() {
        Some((twin, value)) => match record.setting.place_of(root, twin) {
            Ok(place) => writer.write(root, &place, value),
            Err(gone) => return record.now_in(State::Gone, Some(gone.to_string())),
        },
        None => writer.write(root, &now.place, &record.setting.codec.text(&record.before_typed)),
    };
    let trouble = put_back_disturbed(root, writer, record, &theirs);
    let is_back = record.setting.read(root).map(|now| now.typed == record.before_typed);
    match (written, is_back) {
        (_, Err(e)) if e.is_gone() => record.now_in(State::Gone, Some(e.to_string())),
        (_, Ok(true)) if twin_is_back(root, record) => record.now_in(State::Restored, trouble),
        (Err(e), _) => record.now_in(State::Stuck, Some(e.to_string())),
        _ => record.now_in(State::Stuck, Some(format!("the kernel did not accept {}", record.before_typed))),
    }
}

fn twin_is_back(root: &Root, record: &Record) -> bool {
    record.before_twin.is_none() || record.setting.read_twin(root) == record.before_twin
}

/// The present values of the files that our change reset, where somebody has set them since.
fn disturbed_by_others(root: &Root, record: &Record) -> Vec<Option<String>> {
    let theirs = |file: &super::record::Disturbed| {
        let now = record.setting.read_beside(root, &file.at);
        now.filter(|now| file.after.as_ref().is_some_and(|after| after != now))
    };
    record.disturbed.iter().map(theirs).collect()
}

/// For a change that somebody else has undone: puts back the files that it had reset, unless it was
/// never made or those have been put back too.
fn undisturb(root: &Root, writer: &dyn Writer, record: &Record) -> Option<String> {
    let was_made = record.disturbed.iter().all(|file| file.after.is_some());
    let theirs = disturbed_by_others(root, record);
    was_made.then(|| put_back_disturbed(root, writer, record, &theirs))?
}

/// After the kernel has reset the files once more: sets them to what they were, or to what somebody
/// else had set.
fn put_back_disturbed(
    root: &Root,
    writer: &dyn Writer,
    record: &Record,
    theirs: &[Option<String>],
) -> Option<String> {
    let mut trouble = None;
    for (file, theirs) in record.disturbed.iter().zip(theirs) {
        let value = theirs.as_ref().unwrap_or(&file.before);
        let Ok(place) = record.setting.place_of(root, &file.at) else { continue };
        if record.setting.read_beside(root, &file.at).as_ref() == Some(value) {
            continue;
        }
        if let Err(e) = writer.write(root, &place, value) {
            trouble = Some(format!("{place} could not be put back to {value}: {e}"));
        }
    }
    trouble
}
