//! What the kernel and the engines cannot do, whatever the target: refused
//! here, so that nothing is cut or wraps around while it runs.

use super::notes::{self, Checked};
use super::{BlockSizes, blocks};
use crate::diagnostic::Diagnostic;
use crate::direction::PerDirection;
use crate::job::Job;
use crate::options;
use crate::units::Bytes;

/// `MAX_RW_COUNT` of linux/fs.h, `INT_MAX` rounded down to a page: one call
/// moves at most this, and says nothing about the rest.
const IO_MAX: Bytes = Bytes(0x7fff_f000);
/// Clones of one plan: no machine runs so many threads, and the plan has an entry for each.
const CLONES_MAX: u64 = 100_000;
/// Files of all clones together: each takes about a kilobyte of memory.
pub const FILES_ALL_MAX: u64 = 1_000_000;
/// A larger alignment would waste more memory than any buffer holds.
const ALIGN_MAX: Bytes = Bytes::gib(1);

/// No block may be more than one call can move.
pub(super) fn block(job: &Job, sizes: &PerDirection<BlockSizes>) -> Checked<()> {
    let Some(most) = sizes.iter().map(|(_, sizes)| sizes.max()).max().filter(|most| *most > IO_MAX) else {
        return Ok(());
    };
    let option = blocks::option_in_force(job);
    let message = format!(
        "job {}: {option} of {} bytes is more than one I/O can move: Linux moves at most {} bytes \
         (MAX_RW_COUNT)",
        job.name, most.0, IO_MAX.0
    );
    let error = Diagnostic::error("block-too-large", message).hint(format!("{option} of at most 1g"));
    Err(Box::new(notes::at_name(error, job, option)))
}

/// Limits of all jobs together, checked before any of them is planned.
pub(super) fn amount(jobs: &[Job]) -> Checked<()> {
    let sum = |of: fn(&Job) -> u64| jobs.iter().map(of).fold(0, u64::saturating_add);
    let clones = sum(|job| u64::from(job.get(&options::NUMJOBS)));
    let all =
        sum(|job| u64::from(job.get(&options::NUMJOBS)).saturating_mul(super::files::count(job) as u64));
    let message = match () {
        () if clones > CLONES_MAX => {
            format!("the jobs make {clones} clones together; a plan has at most {CLONES_MAX}")
        }
        () if all > FILES_ALL_MAX => {
            format!("the clones have {all} files together; a plan has at most {FILES_ALL_MAX}")
        }
        () => return Ok(()),
    };
    let error = Diagnostic::error("too-many-jobs", message);
    Err(Box::new(error.hint("smaller numjobs or nrfiles, or several runs one after another")))
}

/// Buffers can start at multiples of powers of two only.
pub(super) fn buffer_align(job: &Job) -> Checked<()> {
    let align = job.get(&options::IOMEM_ALIGN);
    if align.0 == 0 || (align.0.is_power_of_two() && align <= ALIGN_MAX) {
        return Ok(());
    }
    let message = format!(
        "iomem_align of {} bytes: buffers are aligned to a power of two of at most {ALIGN_MAX}",
        align.0
    );
    let error = notes::error(job, &options::IOMEM_ALIGN, "bad-align", message);
    Err(Box::new(error.hint("iomem_align=4k, or 0 for the page size")))
}
