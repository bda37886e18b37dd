//! A clock that goes faster than real time (`clock_speed`), to rehearse long runs.
//!
//! A device runs in real time, so only engines without a device can use a faster clock; and a run
//! has one clock, so all its jobs must have the same speed.

use super::PlannedJob;
use super::notes::{self, Checked};
use crate::engine::EngineDef;
use crate::job::Job;
use crate::options;

/// Can this engine use a faster clock?
pub(super) fn suits(job: &Job, engine: &EngineDef) -> Checked<()> {
    let speed = job.get(&options::CLOCK_SPEED);
    if speed == 1 || engine.diskless {
        return Ok(());
    }
    let message = format!(
        "job {}: clock_speed={speed} is for engines that touch no device; ioengine={} does",
        job.name, engine.name
    );
    let error = notes::error(job, &options::CLOCK_SPEED, "clock-with-device", message);
    Err(error.hint("ioengine=null to rehearse, or clock_speed=1 to measure"))
}

/// Do all jobs ask for the same speed?
pub(super) fn agrees(jobs: &[PlannedJob]) -> Checked<()> {
    let speed = |planned: &PlannedJob| planned.job.get(&options::CLOCK_SPEED);
    let Some(first) = jobs.first() else { return Ok(()) };
    let Some(other) = jobs.iter().find(|planned| speed(planned) != speed(first)) else {
        return Ok(());
    };
    let message = format!(
        "a run has one clock: clock_speed is {} in {} and {} in {}",
        speed(first),
        first.name,
        speed(other),
        other.name
    );
    let error = notes::error(&other.job, &options::CLOCK_SPEED, "clocks-differ", message);
    Err(error.hint("set clock_speed in [global]"))
}
