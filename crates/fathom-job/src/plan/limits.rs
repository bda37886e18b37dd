//! What the kernel and the engines cannot do, whatever the target: refused
//! here, so that nothing is cut or wraps around while it runs.

use super::notes::{self, Checked};
use super::{BlockSizes, blocks};
use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
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

/// Significant bits of the length of a trim: it is a number of so many bits
/// times a power of two, which is how a descriptor of the engine keeps it. Every
/// multiple of 512 bytes up to 1 TiB is such a length.
pub const TRIM_BITS: u32 = 31;
/// The longest trim: 4 EiB less 2 GiB, the largest number of so many bits with an
/// exponent of 31.
pub const TRIM_MAX: Bytes = Bytes(((1 << TRIM_BITS) - 1) << 31);

/// No block that the job `issues` may be more than one call can do. A job that
/// trims and writes writes what it trims.
pub(super) fn block(job: &Job, sizes: &PerDirection<BlockSizes>, issues: PerDirection<bool>) -> Checked<()> {
    if !issues.read && !issues.write {
        return trims(job, &sizes.trim);
    }
    let used = Direction::ALL.into_iter().filter(|&d| issues[d]);
    let Some(most) = used.map(|d| sizes[d].max()).max().filter(|most| *most > IO_MAX) else {
        return Ok(());
    };
    let option = blocks::option_in_force(job);
    let message = format!(
        "job {}: {option} of {} bytes is more than one I/O can move: Linux moves at most {} bytes \
         (MAX_RW_COUNT)",
        job.name, most.0, IO_MAX.0
    );
    let error = Diagnostic::error("block-too-large", message);
    let error =
        error.hint(format!("{option} of at most 1g; jobs of trims alone (rw=trim) take larger blocks"));
    Err(notes::at_name(error, job, option))
}

/// The blocks of a job that does nothing but trim: where the largest has 2 GiB
/// or more, all are multiples of a power of two.
fn trims(job: &Job, sizes: &BlockSizes) -> Checked<()> {
    let (most, option) = (sizes.max(), blocks::option_in_force(job));
    let power = (u64::BITS - most.0.leading_zeros()).saturating_sub(TRIM_BITS);
    let is_unaligned = job.get(&options::BS_UNALIGNED) && matches!(sizes, BlockSizes::Range { .. });
    let rule = match () {
        () if most > TRIM_MAX => format!("a trim has at most {} bytes", TRIM_MAX.0),
        () if power == 0 => return Ok(()),
        () if is_unaligned => format!("bs_unaligned=1 is for trims of less than {} bytes", 1u64 << TRIM_BITS),
        () => match odd(sizes, power) {
            Some(odd) => format!("such trims are multiples of {} bytes, and {} is not", 1u64 << power, odd.0),
            None => return Ok(()),
        },
    };
    let message = format!("job {}: {option} of {} bytes: {rule}", job.name, most.0);
    let error = Diagnostic::error("odd-trim", message).hint(format!("{option} of whole mebibytes"));
    Err(notes::at_name(error, job, option))
}

/// A size that is drawn and is not a multiple of 2 to the `power`. From a range, only
/// multiples of its smallest size are drawn.
fn odd(sizes: &BlockSizes, power: u32) -> Option<Bytes> {
    let is_odd = |size: &Bytes| size.0.trailing_zeros() < power;
    match sizes {
        BlockSizes::Fixed(size) | BlockSizes::Range { low: size, .. } => Some(*size).filter(is_odd),
        BlockSizes::Split(parts) => parts.iter().map(|(size, _)| *size).find(is_odd),
    }
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
    Err(error.hint("smaller numjobs or nrfiles, or several runs one after another"))
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
    Err(error.hint("iomem_align=4k, or 0 for the page size"))
}
