//! The job that reads back and checks what a job with `verify=` wrote.
//!
//! fio does both in one job. Here they are two, so that each has its own window, series and figures; the second starts
//! when the first has ended (docs/adr/0024).

use super::pace::Pace;
use super::{EndRule, Expected, PlannedJob, VerifyPlan};
use crate::direction::{Direction, PerDirection};
use crate::units::Nanos;
use crate::value::{Mix, Rw};

/// Adds the job that reads back, for each job that has what it writes read back.
pub(super) fn add(planned: &mut Vec<PlannedJob>) {
    let group_free = planned.iter().map(|job| job.group + 1).max().unwrap_or(0);
    let mut more: Vec<PlannedJob> = planned.iter().filter(|job| reads_back(job)).map(read_back).collect();
    for (job, id) in more.iter_mut().zip(planned.len() as u32..) {
        (job.id, job.group) = (id, group_free + job.group);
    }
    planned.extend(more);
}

fn reads_back(job: &PlannedJob) -> bool {
    job.verify.as_ref().is_some_and(|verify| verify.reads_back)
}

fn read_back(writes: &PlannedJob) -> PlannedJob {
    let block = writes.block[Direction::Write].clone();
    PlannedJob {
        name: format!("{}.verify", writes.name),
        rw: Rw { mix: Mix::Read, random: writes.rw.random, postfix: None },
        read_percent: 100,
        block: PerDirection::from_fn(|_| block.clone()),
        align: PerDirection::from_fn(|_| writes.align[Direction::Write]),
        verify: writes.verify.clone().map(|verify| VerifyPlan { backlog: None, trim: None, ..verify }),
        reads_back: Some(writes.id),
        pace: Pace::default(),
        end: EndRule::NONE,
        ramp: Nanos(0),
        start_delay: Nanos(0),
        idle_before: Nanos(0),
        wait_for: None,
        expected: Expected::default(),
        ..writes.clone()
    }
}
