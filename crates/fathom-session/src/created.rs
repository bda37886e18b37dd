//! The record of the files that fathom created, and how a run updates it at its end.

use crate::here::Here;
use crate::notice::Message;
use crate::renewal::Renewal;
use crate::state::state_dir;
use fathom_guard::{CreatedFiles, Guard};
use fathom_job::plan::Plan;
use fathom_text::carried::to_path;
use std::collections::HashMap;
use std::path::PathBuf;

/// Gives the guard the record in `dir`, or in its usual place.
pub fn knowing_created(guard: Guard, dir: Option<PathBuf>, here: &Here) -> Guard {
    match dir.or_else(|| state_dir("files")) {
        Some(dir) => {
            here.slow_look().touch(&dir);
            guard.with_created(CreatedFiles::at(dir))
        }
        None => guard,
    }
}

/// Begins to note that a run of a procedure writes to files that fathom created. `None` where it writes to none, or where the
/// note cannot be made: then `resume` needs consent after a kill.
pub fn begin_writing(guard: &Guard, plan: &Plan, procedure: Option<&str>) -> Option<Renewal> {
    let ends = ends(plan);
    let writing = guard.begin_writing(procedure?, |path| ends.get(path).copied());
    writing.ok().flatten().map(Renewal::start)
}

/// Records the created files of a run whose workers have all closed them. After
/// a worker was given up nothing is recorded: the worker may still write, and
/// its target may not answer here either.
pub fn record(guard: &Guard, plan: &Plan, given_up: usize, here: &Here) {
    if given_up > 0 {
        return;
    }
    let ends = ends(plan);
    if let Err(e) = guard.record_created(|path| ends.get(path).copied()) {
        let message = format!("the files that this run created will need --overwrite next time: {e}");
        here.tell(Message::note(message));
    }
}

/// The end of the range, in bytes, that the jobs of the plan can write in each file.
fn ends(plan: &Plan) -> HashMap<PathBuf, u64> {
    let mut ends = HashMap::new();
    for file in plan.jobs.iter().flat_map(|job| &job.files) {
        let region_end = file.offset.0.saturating_add(file.size.0);
        let laid_out = file.length.map_or(0, |length| length.0).saturating_add(file.layout.0);
        let end: &mut u64 = ends.entry(to_path(&file.path)).or_default();
        *end = region_end.max(file.needs.0).max(laid_out).max(*end);
    }
    ends
}
