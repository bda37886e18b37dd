//! What ends a clone, and when it starts.
//!
//! fio's rules, checked against fio 3.33. Without `time_based` the job makes
//! `loops` passes, and goes on while `io_size` is not reached (module
//! `passes`); `number_ios` (times loops) and `runtime` may end it earlier. With
//! `time_based` only the time counts.

use super::notes::{self, Checked};
use super::region::Regions;
use super::spot::GOLDEN;
use super::{EndRule, PlannedJob, passes};
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::units::{Bytes, Nanos};
use crate::value::Mix;

/// The end rule of a clone whose files are known.
pub(super) fn rule(planned: &PlannedJob, regions: &Regions) -> Checked<EndRule> {
    let job = &planned.job;
    let time = Some(job.get(&options::RUNTIME)).filter(|time| time.0 > 0);
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
    let passes = passes::limits(planned, regions)?;
    let bytes = passes::moved(planned, regions, &passes);
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
    let sides = if planned.rw.mix == Mix::TrimWrite { 2 } else { 1 };
    Some(asked.saturating_mul(u64::from(loops) * sides))
}
