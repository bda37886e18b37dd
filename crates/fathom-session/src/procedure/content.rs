//! Do the targets of a procedure that was interrupted still hold what was written there?
//!
//! Rounds that read measure what earlier rounds, or earlier runs of fathom, have written. A drive that was discarded meanwhile,
//! or a loop device over another file, answers reads faster and measures nothing. So every resume of every procedure asks what
//! fathom has noted of each device, unless the next step fills or empties it.

use crate::coverage::{Covered, Unnoted};
use crate::here::Here;
use fathom_job::direction::Direction;
use fathom_procedures::Step;
use fathom_results::procedure::{Preparation, ProcedureResult, ROUNDS, RoundDone, StepDone};
use fathom_text::carried::to_path;

/// What became of it, one sentence for each device that does not hold it any more. `next` is the step that was interrupted.
pub(super) fn lost(known: &ProcedureResult, next: &Step, here: &Here) -> Vec<String> {
    let unnoted = match next {
        Step::Run(_) => unnoted(known),
        _ => Unnoted::Nothing,
    };
    let asked = known.record.targets.iter().filter(|target| {
        let is_renewed = matches!(next, Step::Prepare(preparation) if renews(preparation, &target.path));
        !is_renewed && is_content_meant(known, &target.path).unwrap_or(target.holds_written)
    });
    let lost = |path: &String| match Covered::read_after(here.root(), &to_path(path), unnoted) {
        Covered::Void(why) => Some(format!("{path} does not hold what fathom wrote: {why}")),
        Covered::Nothing | Covered::Still(_) => None,
    };
    asked.filter_map(|target| lost(&target.path)).collect()
}

/// Does the preparation write or empty the whole of this target?
fn renews(preparation: &Preparation, path: &str) -> bool {
    match preparation {
        Preparation::Purge { target } | Preparation::Format { target, .. } | Preparation::Fill { target } => {
            target == path
        }
        Preparation::FileSystem { device, .. } => device == path,
        _ => false,
    }
}

/// Does the target hold what rounds have written there? `None` where no step has changed it. What a procedure empties, or
/// puts a file system on, it changes itself.
fn is_content_meant(known: &ProcedureResult, path: &str) -> Option<bool> {
    let prepared = |did: &StepDone| match did {
        StepDone::Prepared { preparation, .. } => match preparation {
            Preparation::Mount { device, .. } => device == path,
            other => renews(other, path),
        },
        _ => false,
    };
    let writes = |did: &StepDone| match did {
        StepDone::Round(round) => round.written_bytes > 0 && has_written_to(known, round, path),
        StepDone::Prepared { preparation: Preparation::Fill { target }, .. } => target == path,
        _ => false,
    };
    let last = known.steps.iter().rposition(|step| prepared(&step.did));
    let has_file_system = |did: &StepDone| {
        let StepDone::Prepared { preparation, .. } = did else { return false };
        matches!(preparation, Preparation::FileSystem { .. } | Preparation::Mount { mounted: true, .. })
    };
    let since = &known.steps[last.unwrap_or(0)..];
    let have_written = since.iter().any(|step| writes(&step.did));
    match last {
        None => have_written.then_some(true),
        Some(at) => Some(have_written && !has_file_system(&known.steps[at].did)),
    }
}

/// Did a round that wrote write to this target? Of one that cannot be read it is assumed.
fn has_written_to(known: &ProcedureResult, round: &RoundDone, path: &str) -> bool {
    if known.record.targets.len() == 1 {
        return true;
    }
    known.load_round(round).map_or(true, |run| {
        let mut writers = run.record.plan.jobs.iter().filter(|job| job.writes());
        writers.any(|job| job.files.iter().any(|file| file.path == path))
    })
}

/// What the round that is not in the history may have done before it was killed, which was not noted.
fn unnoted(known: &ProcedureResult) -> Unnoted {
    let begins = format!("{:04}-", known.rounds().count() + 1);
    let rounds = std::fs::read_dir(known.dir.join(ROUNDS)).into_iter().flatten().flatten();
    let names = rounds.filter_map(|entry| entry.file_name().into_string().ok());
    // One that was set aside is of a resume that was refused afterwards, or of one that was killed too.
    let tries = names.filter(|name| name.starts_with(&begins));
    tries.map(|name| of_round(known, &name)).max().unwrap_or(Unnoted::Nothing)
}

fn of_round(known: &ProcedureResult, name: &str) -> Unnoted {
    match known.load_round_in(&known.dir, name) {
        Ok(run) if run.record.finish.is_some() => Unnoted::Nothing,
        Ok(run) => {
            let plan = &run.record.plan;
            match () {
                () if plan.jobs.iter().any(|job| job.issues(Direction::Trim)) => Unnoted::WritesAndTrims,
                () if plan.jobs.iter().any(|job| job.uses(Direction::Write)) => Unnoted::Writes,
                () => Unnoted::Nothing,
            }
        }
        // Without its record it had not begun, or it is damaged. The second time, its name says that it was cut.
        Err(_) => Unnoted::WritesAndTrims,
    }
}
