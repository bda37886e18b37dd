//! The record of the files that fathom created: where it lies, and its renewal
//! at the end of a run.

use crate::failure::say;
use crate::slow_look;
use fathom_guard::{CreatedFiles, Guard};
use fathom_job::plan::Plan;
use fathom_text::carried::to_path;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// A directory for state that outlives runs: root's is the machine's, a user's
/// is their own (XDG Base Directory). `None` for a user without a home.
pub fn state_dir(of: &str) -> Option<PathBuf> {
    if std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0) {
        return Some(PathBuf::from("/var/lib/fathom").join(of));
    }
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let own = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")));
    own.map(|own| own.join("fathom").join(of))
}

/// Gives the guard the record in `dir`, or in its usual place.
pub fn knowing_created(guard: Guard, dir: Option<PathBuf>) -> Guard {
    match dir.or_else(|| state_dir("files")) {
        Some(dir) => {
            slow_look::touch(&dir);
            guard.with_created(CreatedFiles::at(dir))
        }
        None => guard,
    }
}

/// Records the created files of a run whose workers have all closed them. A
/// worker that was given up may still write, and its target may not answer to
/// us either, so then nothing is recorded.
pub fn record(guard: &Guard, plan: &Plan, given_up: usize) {
    if given_up > 0 {
        return;
    }
    let ends = ends(plan);
    if let Err(e) = guard.record_created(|path| ends.get(path).copied()) {
        say(&format!("note: the files that this run created will need --overwrite next time: {e}"));
    }
}

/// How far the jobs of the plan can reach in each file.
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
