//! Jobs with `atomic=1`: what their targets must promise, and how their writes must lie, before anything runs.
//!
//! The kernel takes a write with `RWF_ATOMIC` only if it goes past the page cache, its length is a power of two within the limits of the
//! target, and its offset is a multiple of its length.

use super::notes::{self, Checked};
use super::target::{AtomicLimits, TargetKind, TargetLookup};
use super::{BlockSizes, PlannedFile, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::units::Bytes;

/// The engines that can ask for it.
const ENGINES: [&str; 3] = ["pvsync2", "libaio", "io_uring"];

/// Can every write of the job be atomic?
pub(super) fn check(planned: &PlannedJob, lookup: &dyn TargetLookup) -> Checked<()> {
    if !planned.job.get(&options::ATOMIC) || !planned.uses(Direction::Write) {
        return Ok(());
    }
    if !ENGINES.contains(&planned.engine.as_str()) {
        let why = format!("ioengine={} has no atomic writes", planned.engine);
        return Err(error(planned, &why).hint(format!("ioengine={}", ENGINES.join(" or "))));
    }
    let BlockSizes::Fixed(block) = planned.block[Direction::Write] else {
        return Err(error(planned, "atomic writes have one size here").hint("bs=4k, for example"));
    };
    planned
        .files
        .iter()
        .try_for_each(|file| check_file(planned, file, block, lookup.atomic_writes(&file.path)))
}

fn check_file(
    planned: &PlannedJob,
    file: &PlannedFile,
    block: Bytes,
    limits: Option<AtomicLimits>,
) -> Checked<()> {
    let path = &file.path;
    let Some(AtomicLimits { least, most }) = limits else {
        let error = error(planned, &format!("{path} promises no atomic writes"));
        return Err(match file.kind {
            TargetKind::Missing => error.hint("a file that exists can be asked; create_only=1 makes it"),
            _ => error.hint("without atomic the writes of the same size are measured"),
        });
    };
    if !block.0.is_power_of_two() || block < least || block > most {
        let why = format!(
            "{path} takes atomic writes of {} to {} bytes, a power of two, and the job writes {} bytes",
            least.0, most.0, block.0
        );
        return Err(error(planned, &why).hint(format!("bs={}", least.0)));
    }
    let hole = planned.rw.postfix.filter(|_| !planned.rw.random).map_or(0, i64::unsigned_abs);
    let align = if planned.rw.random { planned.align[Direction::Write].0 } else { 0 };
    match [file.offset.0, hole, align].into_iter().find(|bytes| !bytes.is_multiple_of(block.0)) {
        None => Ok(()),
        Some(bytes) => {
            let why = format!(
                "an atomic write of {} bytes begins at a multiple of its length, which {bytes} is not",
                block.0
            );
            Err(error(planned, &why).hint("offset=, offset_increment= and blockalign= of whole blocks"))
        }
    }
}

fn error(planned: &PlannedJob, why: &str) -> Diagnostic {
    let message = format!("job {}: atomic=1: {why}", planned.name);
    notes::error(&planned.job, &options::ATOMIC, "atomic", message)
}
