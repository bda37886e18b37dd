//! Where the headers of verified blocks are, and whether they have room.
//!
//! fio 3.33 replaces an interval that does not divide the blocks in silence, and writes a header that has no room over what
//! is beside it.

use super::notes::{self, Checked, Notes};
use super::{BlockSizes, PlannedJob};
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::value::Mix;
use fathom_verify::{HeaderVersion, Method};

/// Where the headers of a job are.
pub(super) struct Headers {
    /// Bytes from one to the next; `None`: one for each I/O.
    pub(super) interval: Option<u32>,
    /// Bytes from the start of the block, or interval, to the header.
    pub(super) offset: u32,
}

/// The headers of the blocks that carry them: of what the job writes, or reads if it only reads.
pub(super) fn headers(planned: &PlannedJob, method: Method, notes: &mut Notes) -> Checked<Headers> {
    let job = &planned.job;
    let direction = if planned.uses(Direction::Write) { Direction::Write } else { Direction::Read };
    let sizes = &planned.block[direction];
    let is_unaligned = job.get(&options::BS_UNALIGNED) && matches!(sizes, BlockSizes::Range { .. });
    if is_unaligned && planned.rw.mix == Mix::Read {
        let message = format!(
            "job {}: bs_unaligned=1 reads blocks of any size, which do not end where those end that were written",
            job.name
        );
        return Err(notes::error(job, &options::BS_UNALIGNED, "verify-unaligned", message)
            .hint("without bs_unaligned, or verify_only=1 with the options of the job that wrote"));
    }
    let interval = if is_unaligned { None } else { interval(job, sizes, notes) };
    let smallest = interval.unwrap_or(sizes.min().0);
    let offset =
        if method.has_header() { job.get(&options::VERIFY_OFFSET).map_or(0, |bytes| bytes.0) } else { 0 };
    fits(planned, method, smallest, offset, interval.is_some())?;
    let short = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
    Ok(Headers { interval: interval.map(short), offset: short(offset) })
}

/// The interval in force: what was asked for if it divides every block, else the largest that does.
fn interval(job: &Job, sizes: &BlockSizes, notes: &mut Notes) -> Option<u64> {
    let common = sizes.divisor().0;
    let asked = job.get(&options::VERIFY_INTERVAL).map(|bytes| bytes.0);
    let used = asked.filter(|asked| common.is_multiple_of(*asked)).unwrap_or(common);
    if let Some(asked) = asked.filter(|asked| *asked != used) {
        let message = format!(
            "job {}: verify_interval of {asked} bytes does not divide each block: headers are {used} bytes apart, as in fio",
            job.name
        );
        notes.push(notes::note(job, &options::VERIFY_INTERVAL, "verify-interval", message));
    }
    (used < sizes.max().0).then_some(used)
}

/// Header and checksum must have room, and must not lie on each other.
fn fits(planned: &PlannedJob, method: Method, smallest: u64, offset: u64, is_interval: bool) -> Checked<()> {
    if !method.has_header() {
        return Ok(());
    }
    let job = &planned.job;
    let header = HeaderVersion::Short.bytes() as u64;
    let takes = header + method.checksum_bytes() as u64;
    let place = if is_interval { "interval" } else { "block" };
    let name = method.name();
    if takes > smallest {
        let message = format!(
            "job {}: the header and checksum of verify={name} take {takes} bytes, and the smallest {place} has {smallest}",
            job.name
        );
        let error = match is_interval && job.is_given(&options::VERIFY_INTERVAL) {
            true => notes::error(job, &options::VERIFY_INTERVAL, "verify-size", message),
            false => notes::error(job, &options::VERIFY, "verify-size", message),
        };
        return Err(error.hint("verify=crc32c takes 44 bytes; or larger blocks and intervals"));
    }
    let message = match () {
        () if offset > 0 && offset < takes => format!(
            "job {}: verify_offset of {offset} bytes moves the header of verify={name} onto itself: with its checksum \
             it has {takes} bytes",
            job.name
        ),
        () if offset.saturating_add(takes) > smallest => format!(
            "job {}: verify_offset of {offset} bytes: the header and checksum of verify={name} end at byte {}, behind \
             the smallest {place} of {smallest}",
            job.name,
            offset.saturating_add(takes)
        ),
        () => return Ok(()),
    };
    let error = notes::error(job, &options::VERIFY_OFFSET, "verify-offset", message);
    Err(error.hint(match smallest.checked_sub(takes).filter(|most| *most >= takes) {
        Some(most) => format!("verify_offset from {takes} to {most}"),
        None => "without verify_offset the header is at the start".to_owned(),
    }))
}
