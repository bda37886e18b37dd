//! When written data is safe, in words: it decides the result of a write job more than its block size does.

use super::PlannedJob;
use crate::direction::Direction;
use crate::options;
use fathom_text::words::counted;

/// The line of the plan; `None` where nothing is written, or nothing syncs.
pub(super) fn words(job: &PlannedJob) -> Option<String> {
    if !job.uses(Direction::Write) || job.engine_def().is_some_and(|engine| engine.diskless) {
        return None;
    }
    let asked = &job.job;
    let every = |name: &str, writes: u32| match writes {
        0 => None,
        1 => Some(format!("{name} after each write")),
        writes => Some(format!("{name} after every {}", counted(writes as usize, "write"))),
    };
    let opened = match asked.get(&options::SYNC) {
        "sync" => Some("each write returns when its data and the file's length are safe (O_SYNC)".to_owned()),
        "dsync" => Some("each write returns when its data is safe (O_DSYNC)".to_owned()),
        _ => None,
    };
    let parts = [
        opened,
        every("fsync", asked.get(&options::FSYNC)),
        every("fdatasync", asked.get(&options::FDATASYNC)),
        asked.get(&options::SYNC_FILE_RANGE).and_then(|range| every("sync_file_range", range.every)),
        asked.get(&options::END_FSYNC).then(|| "fsync at the end, within the measured time".to_owned()),
        asked.get(&options::FSYNC_ON_CLOSE).then(|| "fsync when a file is closed".to_owned()),
    ];
    let told: Vec<String> = parts.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("; "))
}
