//! Does a direct job obey the alignment of its targets?
//!
//! O_DIRECT wants offset and length in multiples of the device's logical
//! block (contract V-44). The kernel answers a violation with a bare EINVAL at
//! the first I/O; the plan says before it starts which option to change.

use super::notes::{self, Notes};
use super::{BlockSizes, PlannedFile, PlannedJob, TargetKind, blocks};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use fathom_text::shell::quoted_carried;

/// The smallest sector of a drive.
const SECTOR_MIN: u64 = 512;

/// Is the page cache bypassed? Of `direct` and `buffered`, which are
/// opposites, the parser keeps the one given last.
pub(super) fn asked(job: &Job) -> bool {
    job.given(&options::DIRECT).unwrap_or_else(|| !job.get(&options::BUFFERED))
}

/// One thing that must be a multiple of the unit.
struct Multiple {
    option: &'static str,
    bytes: u64,
}

/// Adds one error for each option that breaks a target's unit.
pub(super) fn check(planned: &PlannedJob, file: &PlannedFile, unit: Option<Bytes>, notes: &mut Notes) {
    let Some(unit) = unit.filter(|unit| planned.direct && unit.0 > 1) else {
        return;
    };
    for multiple in multiples(planned, file) {
        if !multiple.bytes.is_multiple_of(unit.0) {
            notes.push(violation(planned, file, unit, &multiple));
        }
    }
}

fn multiples(planned: &PlannedJob, file: &PlannedFile) -> Vec<Multiple> {
    let mut all = Vec::new();
    for direction in Direction::ALL.into_iter().filter(|d| planned.uses(*d)) {
        let option = blocks::option_in_force(&planned.job);
        all.extend(block_sizes(planned, direction).into_iter().map(|bytes| Multiple { option, bytes }));
        if planned.rw.random && planned.job.is_given(&options::BLOCKALIGN) {
            all.push(Multiple { option: options::BLOCKALIGN.def.name, bytes: planned.align[direction].0 });
        }
    }
    if let (false, Some(hole)) = (planned.rw.random, planned.rw.postfix) {
        all.push(Multiple { option: options::RW.def.name, bytes: hole.unsigned_abs() });
    }
    let shifted = planned.subjob > 0 && planned.job.is_given(&options::OFFSET_INCREMENT);
    let option = if shifted { options::OFFSET_INCREMENT.def.name } else { options::OFFSET.def.name };
    all.push(Multiple { option, bytes: file.offset.0 });
    all
}

/// The sizes that can occur; a range is stepped by its low end, unless it is
/// unaligned, and then any size can.
fn block_sizes(planned: &PlannedJob, direction: Direction) -> Vec<u64> {
    match &planned.block[direction] {
        BlockSizes::Fixed(size) => vec![size.0],
        BlockSizes::Range { low, .. } if planned.job.get(&options::BS_UNALIGNED) => {
            vec![low.0, low.0 + 1]
        }
        BlockSizes::Range { low, .. } => vec![low.0],
        BlockSizes::Split(parts) => parts.iter().map(|(size, _)| size.0).collect(),
    }
}

fn violation(planned: &PlannedJob, file: &PlannedFile, unit: Bytes, multiple: &Multiple) -> Diagnostic {
    let Multiple { option, bytes } = multiple;
    let message = format!(
        "job {}: {} takes direct I/O in multiples of {} bytes only, but {option} gives {bytes}",
        planned.name, file.path, unit.0
    );
    let nearest = bytes.next_multiple_of(unit.0).max(unit.0);
    let found = notes::at_name(Diagnostic::error("V-44", message), &planned.job, option)
        .hint(format!("{option}={nearest} is the next that fits"))
        .hint("direct=0 has no such rule, but measures the page cache");
    let path = quoted_carried(&file.path);
    match file.kind == TargetKind::Block && unit.0 > SECTOR_MIN {
        true => found.hint(format!(
            "fathom purge {path} --plan says whether the drive can be formatted with 512-byte sectors"
        )),
        false => found,
    }
}
