//! How long a run still takes.

use super::feed::{Doing, Feed};
use super::rounds::Rounds;
use fathom_job::plan::{JobTime, Plan, PlannedJob};
use fathom_job::units::Nanos;

/// How long the run still takes at `now_ns` after its start, with the rounds after it; `None` if
/// that is not known.
pub fn left(plan: &Plan, feed: &Feed, now_ns: u64, rounds: Option<&Rounds>) -> Option<Nanos> {
    let this = plan.time_of(|job| of_job(job, feed, now_ns))?;
    let later = rounds.map_or(Some(Nanos(0)), Rounds::later)?;
    Some(Nanos(this.0.saturating_add(later.0)))
}

fn of_job(job: &PlannedJob, feed: &Feed, now_ns: u64) -> Option<JobTime> {
    let elapsed_ns = now_ns.saturating_sub(feed.since_ns(job.id));
    let remains =
        |whole: Nanos, before: Nanos| Nanos(whole.0.saturating_sub(before.0).saturating_sub(elapsed_ns));
    let before_ramp = job.wait_before();
    let before_measure = Nanos(before_ramp.0.saturating_add(job.ramp.0));
    // A job that may end early by its size counts with its limit of time until it has begun.
    let planned = job.expected.time.or_else(|| Some(Nanos(before_measure.0.saturating_add(job.end.time?.0))));
    let left = match feed.state(job.id) {
        Doing::Waits | Doing::Prepares => {
            let not_before = Nanos(job.start_delay.0.saturating_sub(now_ns));
            let time = Nanos(planned?.0.saturating_sub(before_ramp.0));
            return Some(JobTime { not_before, idle_before: job.idle_before, time });
        }
        Doing::Ramps => planned.map(|time| remains(time, before_ramp)),
        Doing::Measures => {
            let by_time = planned.map(|time| remains(time, before_measure));
            let by_size = job.expected.time.is_none().then(|| by_size(job, feed, elapsed_ns)).flatten();
            by_time.into_iter().chain(by_size).min()
        }
        Doing::Drains | Doing::Ended => Some(Nanos(0)),
    };
    Some(JobTime { time: left?, ..JobTime::default() })
}

/// What is left of the bytes, at the mean rate until now.
fn by_size(job: &PlannedJob, feed: &Feed, elapsed_ns: u64) -> Option<Nanos> {
    let (moved, all) = (feed.bytes(job.id), job.bounded_bytes().or(job.expected.bytes).or(job.end.bytes)?.0);
    let left = all.saturating_sub(moved);
    (moved > 0).then(|| Nanos((elapsed_ns as f64 * left as f64 / moved as f64) as u64))
}
