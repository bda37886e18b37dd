//! What layout will write, computed before it writes.
//!
//! Files are made long enough clone after clone, in the order of the plan and before any of them
//! starts; a path that an earlier clone has made long enough is not changed. A file that is only
//! written gets its space reserved, which costs no writes; for the clones after it, the file has
//! that length.

use super::target::TargetKind;
use super::{PlannedFile, PlannedJob};
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;
use std::collections::HashMap;

/// The files so far.
#[derive(Debug, Default)]
pub(super) struct PlannedLayout {
    paths: HashMap<String, Reach>,
}

/// One path, after the clones so far.
#[derive(Clone, Copy, Debug)]
struct Reach {
    length: u64,
    /// The most that any of them asked for.
    asked: u64,
}

impl PlannedLayout {
    /// Notes in each file of this clone what layout will write to it.
    pub(super) fn assign(&mut self, planned: &PlannedJob, files: &mut [PlannedFile]) {
        for file in files {
            if matches!(file.kind, TargetKind::File | TargetKind::Missing) {
                file.layout = Bytes(self.extend(planned, file));
            }
        }
    }

    /// The length that the clones so far have given to this path; `None` where
    /// none of them has.
    pub(super) fn length(&self, path: &str) -> Option<u64> {
        self.paths.get(path).map(|reach| reach.length).filter(|length| *length > 0)
    }

    fn extend(&mut self, planned: &PlannedJob, file: &PlannedFile) -> u64 {
        let now = Reach { length: file.length.map_or(0, |length| length.0), asked: 0 };
        let reach = self.paths.entry(file.path.clone()).or_insert(now);
        if reach.asked >= file.needs.0 {
            return 0;
        }
        reach.asked = file.needs.0;
        let missing = file.needs.0.saturating_sub(reach.length);
        let fills = planned.uses(Direction::Read) || planned.job.get(&options::OVERWRITE);
        if fills || reserves(planned) {
            reach.length = reach.length.max(file.needs.0);
        }
        if fills { missing } else { 0 }
    }
}

/// Does `fallocate` make a file longer?
fn reserves(planned: &PlannedJob) -> bool {
    matches!(planned.job.get(&options::FALLOCATE), "native" | "posix" | "truncate")
}
