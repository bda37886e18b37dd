//! One change: read, written down, written, read back, written down.

use super::child::Task;
use super::error::TuneError;
use super::journal::Journal;
use super::plan::PlannedChange;
use super::reach::Reach;
use super::record::{Disturbed, Record, State};
use super::setting::Setting;
use super::writer::Writer;
use crate::codec::Codec;
use crate::place::RelativePlace;
use fathom_device::root::Root;

/// Makes the change of one line. A refusal by the kernel is recorded. An error means that the
/// journal cannot be written or that a device does not answer, after which nothing more may be
/// changed. `None`: an earlier line has already changed the setting to this value.
pub(super) fn apply(
    reach: &mut Reach<'_>,
    journal: &mut Journal,
    line: &PlannedChange,
) -> Result<Option<Record>, TuneError> {
    let (root, writer) = (reach.root, reach.writer);
    let refused = |reason: String| TuneError::Stale {
        place: line.path.clone(),
        planned: line.now.clone(),
        now: reason,
    };
    let now = line.setting.read(root).map_err(|e| refused(e.to_string()))?;
    if now.typed == line.then {
        return Ok(None);
    }
    let undisturbed = before_disturbance(journal, &line.setting);
    let intent = Record {
        seq: u32::try_from(journal.contents().records.len()).unwrap_or(u32::MAX),
        id: line.knob.clone(),
        setting: line.setting.clone(),
        path: now.place.to_string(),
        before_raw: undisturbed.clone().unwrap_or(now.raw),
        before_typed: undisturbed.unwrap_or(now.typed),
        before_twin: line.setting.read_twin(root),
        disturbed: disturbed(root, &line.setting),
        want: line.then.clone(),
        boot_id: fathom_device::counters::boot_id(root),
        pid: std::process::id(),
        state: State::Intent,
        effective: None,
        note: None,
    };
    journal.write(&intent)?;
    let done = reach.work(&intent, Task::Make(intent.seq), || make(root, writer, intent.clone()));
    journal.write(&done)?;
    match done.state {
        State::Stuck => Err(silent(done)),
        _ => Ok(Some(done)),
    }
}

pub(super) fn make(root: &Root, writer: &dyn Writer, intent: Record) -> Record {
    let text = intent.setting.codec.text(&intent.want);
    let written = match intent.setting.place(root) {
        Ok(place) => writer.write(root, &place, &text),
        Err(gone) => Err(std::io::Error::other(gone)),
    };
    outcome(root, intent, written)
}

/// A device that does not answer one setting cannot be measured either.
fn silent(record: Record) -> TuneError {
    TuneError::Silent { knob: record.id, place: record.path, reason: record.note.unwrap_or_default() }
}

/// What the setting was before an earlier change of this session made the kernel reset it: the
/// value to put back in the end.
fn before_disturbance(journal: &Journal, setting: &Setting) -> Option<String> {
    let earlier = journal.contents().records.values().filter(|record| record.setting.key == setting.key);
    let mut files = earlier.flat_map(|record| &record.disturbed);
    files.find(|file| file.at == setting.at).map(|file| file.before.clone())
}

fn disturbed(root: &Root, setting: &Setting) -> Vec<Disturbed> {
    let before = |at| setting.read_beside(root, at).map(|before| (at, before));
    let known = setting.disturbs.iter().filter_map(before);
    known.map(|(at, before)| Disturbed { at: at.clone(), before, after: None }).collect()
}

/// Why the kernel refused it, and what it takes instead, where that is known.
fn refusal(root: &Root, setting: &Setting, error: &std::io::Error) -> String {
    match takes(root, setting).filter(|_| error.raw_os_error() == Some(libc::EINVAL)) {
        Some(takes) => format!("{error}; it takes {takes}"),
        None => error.to_string(),
    }
}

/// What the kernel made of it. A value other than the wanted one is not an error:
/// kernels clamp, and some ignore.
fn outcome(root: &Root, intent: Record, written: std::io::Result<()>) -> Record {
    let setting = intent.setting.clone();
    let effective = setting.read(root).map(|now| now.typed);
    let mut done = intent;
    for file in &mut done.disturbed {
        file.after = setting.read_beside(root, &file.at);
    }
    (done.state, done.note) = match (&written, &effective) {
        (Err(e), _) => (State::Failed, Some(refusal(root, &setting, e))),
        (Ok(()), Err(e)) => (State::Done, Some(e.to_string())),
        (Ok(()), Ok(now)) if *now == done.before_typed => {
            (State::Done, Some("the kernel ignored it".to_owned()))
        }
        (Ok(()), Ok(now)) if *now != done.want => {
            (State::Done, Some(format!("the kernel set {now} instead of {}", done.want)))
        }
        (Ok(()), Ok(_)) => (State::Done, None),
    };
    done.effective = effective.ok();
    done
}

/// The values in words, such as `1023 at most`; `None` where no file tells them.
pub fn takes(root: &Root, setting: &Setting) -> Option<String> {
    let RelativePlace::File(file) = &setting.at else { return None };
    let beside = |file: &str, codec: Codec| {
        let place = setting.place_of(root, &RelativePlace::File(file.into())).ok()?;
        codec.typed(&place.read(root).ok()?)
    };
    match file.to_str()? {
        "queue/nr_requests" => {
            let tags = beside("mq/0/nr_tags", Codec::Number)?;
            let scheduler = beside("queue/scheduler", Codec::Selected)?;
            // With a scheduler the limit is a constant of the kernel, which no file tells.
            let message = format!("{tags} at most without a scheduler, the number of the driver's tags");
            (scheduler == "none").then_some(message)
        }
        "queue/max_sectors_kb" => Some(format!(
            "{} at most (queue/max_hw_sectors_kb)",
            beside("queue/max_hw_sectors_kb", Codec::Number)?
        )),
        "queue/scheduler" => {
            let offered = setting.read(root).ok()?.raw;
            let words: Vec<&str> =
                offered.split_whitespace().map(|word| word.trim_matches(['[', ']'])).collect();
            Some(words.join(", "))
        }
        _ => None,
    }
}
