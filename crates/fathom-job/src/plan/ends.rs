//! What ends a clone, and when it starts; the limits in bytes of a pass and of a job.
//!
//! fio's rules, checked against fio 3.33. Without `time_based` the job makes
//! `loops` passes, and goes on while `io_size` is not reached (module
//! `passes`); `number_ios` (times loops) and `runtime` may end it earlier. With
//! `time_based` only the time counts.

use super::blocks::{ends_with_files, one_block};
use super::notes::{self, Checked};
use super::region::{GOLDEN, Regions, percent_of};
use super::{EndRule, Passes, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::units::{Bytes, Nanos};
use crate::value::{Mix, Size};

/// The end rule of a clone whose files are known.
pub(super) fn rule(planned: &PlannedJob, regions: &Regions) -> Checked<EndRule> {
    let job = &planned.job;
    let time = Some(job.get(&options::RUNTIME)).filter(|time| time.0 > 0);
    if planned.burns_cpu() {
        return Ok(EndRule { time, time_based: true, ..EndRule::NONE });
    }
    let time_based = job.get(&options::TIME_BASED);
    if time_based && time.is_none() {
        let error = notes::error(
            job,
            &options::TIME_BASED,
            "time-based",
            format!("job {}: time_based needs a runtime", job.name),
        );
        return Err(error.hint("runtime=30s, for example (fio would ignore time_based)"));
    }
    let loops = job.get(&options::LOOPS);
    let passes = pass_limits(planned, regions)?;
    let bytes = bytes_moved(planned, regions, &passes);
    // What ends with the space has no end in bytes, unless `io_size` sets one.
    let is_bounded =
        !regions.files.iter().any(|file| file.is_until_full()) || job.is_given(&options::IO_SIZE);
    Ok(EndRule {
        bytes: Some(Bytes(bytes)).filter(|_| !time_based && is_bounded),
        ios: ios(planned, loops).filter(|_| !time_based),
        time,
        loops,
        time_based,
        passes: Some(passes).filter(|_| !time_based),
        when_full: job.get(&options::FILL_DEVICE) && planned.uses(Direction::Write),
    })
}

/// `startdelay`; with a range, the delays of the clones are spread evenly over it, and are the same
/// in each run.
pub(super) fn start_delay(job: &Job, subjob: u32) -> Nanos {
    let Some((low, high)) = job.get(&options::STARTDELAY) else {
        return Nanos(0);
    };
    let draw = (f64::from(subjob + 1) * GOLDEN).fract();
    Nanos(low.0 + (high.0.saturating_sub(low.0) as f64 * draw) as u64)
}

/// `number_ios`; a trimwrite pair counts as one there.
fn ios(planned: &PlannedJob, loops: u32) -> Option<u64> {
    let asked = Some(planned.job.get(&options::NUMBER_IOS)).filter(|ios| *ios > 0)?;
    Some(asked.saturating_mul(u64::from(loops) * sides(planned)))
}

/// How often each block is moved: `trimwrite` trims it, then writes it.
fn sides(planned: &PlannedJob) -> u64 {
    if planned.rw.mix == Mix::TrimWrite { 2 } else { 1 }
}

// The limits in bytes of a pass and of a job, and the bytes that a job moves with them.
//
// fio's rules, read in its source and checked against fio 3.33. A pass goes on
// while it has moved less than `size`, unless the files end it before; the job
// goes on while it has moved less than `loops` times `io_size` (`size` where
// that is not given). `loops` passes are made in any case, and then more while
// a largest block of `io_size` is lacking.

/// The limits of a clone whose files are known.
pub(super) fn pass_limits(planned: &PlannedJob, regions: &Regions) -> Checked<Passes> {
    let (size, io_size) = match planned.job.get(&options::IO_SIZE) {
        Some(Size::Bytes(bytes)) => (pass_size(planned, regions, 100), bytes.0),
        Some(Size::Percent(percent)) => (pass_size(planned, regions, percent), 0),
        Some(Size::Zones(count)) => match regions.zone {
            Some(zone) => (pass_size(planned, regions, 100), zone.saturating_mul(count.into())),
            None => {
                let message = "io_size in zones needs zonemode=zbd";
                return Err(
                    notes::error(&planned.job, &options::IO_SIZE, "zones", message).hint("give it in bytes")
                );
            }
        },
        None => (pass_size(planned, regions, 100), 0),
    };
    if size < planned.block_min().0 {
        return Err(less_than_a_block(planned, size));
    }
    let once = if io_size > 0 { io_size } else { size };
    let job = once.saturating_mul(u64::from(planned.job.get(&options::LOOPS)));
    let pass = if io_size > 0 { longest_pass(planned, size, io_size, job) } else { size };
    let (pass, job) = match planned.rw.mix {
        // Each byte is moved twice.
        Mix::TrimWrite => (pass.saturating_add(job), job.saturating_mul(2)),
        _ => (pass, job),
    };
    Ok(Passes { pass: Bytes(pass), job: Bytes(job), wanted: Bytes(io_size) })
}

/// fio refuses such a job as well.
fn less_than_a_block(planned: &PlannedJob, size: u64) -> Diagnostic {
    let block = planned.block_min().0;
    if !planned.job.is_given(&options::IO_SIZE) {
        let message =
            format!("job {}: size is {size} bytes, less than one block of {block} bytes", planned.name);
        return notes::error(&planned.job, &options::SIZE, "target-small", message)
            .hint(format!("size={block} or more"));
    }
    let message = format!(
        "job {}: io_size and size come to {size} bytes a pass, less than one block of {block} bytes",
        planned.name
    );
    notes::error(&planned.job, &options::IO_SIZE, "target-small", message)
        .hint("a larger percentage, or io_size in bytes")
}

/// A job goes on within a pass when `io_size` asks for more than `size`, where its files are larger (`filesize`); one that reads
/// and writes in sequence until one of the two is at the end of every file.
fn longest_pass(planned: &PlannedJob, size: u64, io_size: u64, job: u64) -> u64 {
    size.max(if is_two_way(planned) { job } else { io_size })
}

/// Reads and writes in sequence, each at its own pace?
fn is_two_way(planned: &PlannedJob) -> bool {
    !planned.rw.random && planned.uses(Direction::Read) && planned.uses(Direction::Write)
}

/// The bytes of `size` over all files, and this percentage of them (`io_size`); 0 percent, or a
/// share of less than a byte, is all of it.
fn pass_size(planned: &PlannedJob, regions: &Regions, percent: u8) -> u64 {
    let job = &planned.job;
    let given = match job.get(&options::SIZE) {
        Some(Size::Bytes(size)) if size.0 > 0 => Some(size.0),
        _ => None,
    };
    // Drawn offsets never run out, so the size asked holds even where the
    // target is smaller.
    let is_drawn_freely = planned.rw.random && planned.draws_freely();
    let share = given.filter(|_| is_drawn_freely && !job.is_given(&options::FILESIZE));
    let share = share.map(|size| size / regions.files.len().max(1) as u64);
    let sum = |percent: u8| {
        let each = regions.asked.iter().map(|asked| percent_of(share.unwrap_or(*asked), percent));
        each.fold(0, u64::saturating_add)
    };
    let whole = sum(100).min(given.unwrap_or(u64::MAX));
    match sum(percent) {
        0 => whole,
        part => part.min(whole),
    }
}

/// Bytes that a job with these limits moves; exact where there is one block
/// size. Where reads and writes in sequence are to move more than `size`, the
/// end of a pass depends on how they are drawn, and this is the least.
pub(super) fn bytes_moved(planned: &PlannedJob, regions: &Regions, passes: &Passes) -> u64 {
    let files = regions.files.iter().map(|file| file.size.0.saturating_mul(sides(planned)));
    let room = if ends_with_files(planned) { files.fold(0, u64::saturating_add) } else { u64::MAX };
    let asked = regions.asked.iter().copied().fold(0, u64::saturating_add);
    let limit = if is_two_way(planned) { passes.pass.0.min(asked) } else { passes.pass.0 };
    let pass = whole_ios(planned, limit).min(room).max(1);
    let lacking = (passes.wanted.0.saturating_add(1)).saturating_sub(planned.block_max().0);
    let count = u64::from(planned.job.get(&options::LOOPS)).max(lacking.div_ceil(pass));
    pass.saturating_mul(count).min(whole_ios(planned, passes.job.0))
}

/// With one block size the last I/O is whole, so the limit is too; of `trimwrite` it is the last pair, because a block that is
/// trimmed is written.
fn whole_ios(planned: &PlannedJob, bytes: u64) -> u64 {
    match one_block(planned) {
        Some(block) => {
            let whole = block.0.saturating_mul(sides(planned));
            bytes.checked_next_multiple_of(whole).unwrap_or(bytes)
        }
        None => bytes,
    }
}
