//! Clones and jobs that touch the same bytes at the same time.
//!
//! A sequential job with `numjobs=4` and no `offset_increment` reads the same LBAs four times
//! (contract V-43): the device's cache answers three of the reads. Two writers on one range leave
//! contents that depend on which write comes last.

use super::PlannedJob;
use super::meetings::{Meeting, Reach, key, meetings, sharing};
use super::notes::Notes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use crate::value::Size;
use std::collections::BTreeMap;

/// Adds a finding for each pair of jobs that overlap, as far as pairs are reported, and one for the
/// path where there are more.
pub(super) fn find(jobs: &[PlannedJob], notes: &mut Notes) {
    for ((_, path), reaches) in by_stage_and_path(jobs) {
        let found = meetings(reaches.clone());
        found.pairs.iter().for_each(|pair| notes.push(judge(pair)));
        if found.is_cut {
            notes.push(more(path, &reaches, found.pairs.len()));
        }
    }
}

/// The finding for the pairs that are not reported.
fn more(path: &str, reaches: &[Reach<'_>], told: usize) -> Diagnostic {
    let message = format!(
        "{} jobs share bytes of {path} with another job of the same stage; {told} pairs of them are \
            listed, and the others were not compared",
        sharing(reaches)
    );
    let job = &reaches[0].planned.job;
    super::notes::note(job, &options::FILENAME, "overlap-more", message)
}

fn by_stage_and_path(jobs: &[PlannedJob]) -> BTreeMap<(u32, &str), Vec<Reach<'_>>> {
    let mut groups: BTreeMap<(u32, &str), Vec<Reach<'_>>> = BTreeMap::new();
    for planned in jobs {
        for file in planned.files.iter().filter(|file| !file.path.is_empty()) {
            groups.entry((planned.stage, &file.path)).or_default().push(Reach { planned, file });
        }
    }
    groups
}

fn judge(meeting: &Meeting<'_>) -> Diagnostic {
    let Meeting { first, second, .. } = meeting;
    let writes = first.writes() || second.writes();
    let sequential = !first.rw.random && !second.rw.random;
    let clones = key(first) == key(second);
    let finding = match (sequential, writes, clones) {
        (true, _, true) => same_lbas(meeting),
        (_, true, _) if !(first.rw.random && second.rw.random) => {
            let hint = "stonewall between them, or offset and size that keep them apart";
            found(meeting, Severity::Warning, "overlap-write", "both touch it and at least one writes")
                .hint(hint)
        }
        (_, true, _) => {
            found(meeting, Severity::Note, "overlap-random", "random I/Os will sometimes overlap a write")
        }
        (false, false, true) => found(
            meeting,
            Severity::Note,
            "overlap-random",
            "each clone draws offsets from all of it, so together they read it several times",
        ),
        _ => found(
            meeting,
            Severity::Note,
            "overlap-read",
            "both read it, so some reads may be answered by a cache",
        ),
    };
    let option = if clones { options::NUMJOBS.def.name } else { options::FILENAME.def.name };
    super::notes::at_name(finding, &second.job, option)
}

fn same_lbas(meeting: &Meeting<'_>) -> Diagnostic {
    let verb = if meeting.first.writes() { "write" } else { "read" };
    let why =
        format!("its clones {verb} the same LBAs in the same order, so a cache answers all but the first");
    found(meeting, Severity::Warning, "V-43", &why).hint(own_part(&meeting.first.job))
}

fn own_part(job: &Job) -> String {
    let percent = 100 / job.get(&options::NUMJOBS).max(1);
    match (job.get(&options::SIZE), job.setting(&options::SIZE)) {
        (Some(Size::Bytes(_)), Some(size)) => {
            format!("offset_increment={} gives each clone its own part", size.text)
        }
        _ if percent > 0 => {
            format!("size={percent}% with offset_increment={percent}% gives each clone its own part")
        }
        _ => "size and offset_increment that give each clone its own part".to_owned(),
    }
}

fn found(meeting: &Meeting<'_>, severity: Severity, code: &str, why: &str) -> Diagnostic {
    let who = |planned: &PlannedJob| format!("{}.{}", planned.name, planned.subjob);
    let length = Bytes(meeting.to - meeting.from);
    let message = format!(
        "{} and {} share {length} of {} (bytes {} to {}): {why}",
        who(meeting.first),
        who(meeting.second),
        meeting.path,
        meeting.from,
        meeting.to - 1,
    );
    Diagnostic::new(severity, code, message)
}
