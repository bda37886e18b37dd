//! Reporting rows: which clones share a row, and what the row adds up to.
//!
//! fio's rule: a job that sets `group_reporting` joins the row before it when both have the same
//! group id; every other job begins a new row. The row is named after its first job.

use crate::asked::StatisticsOptions;
use crate::pool::{PooledSecond, pool};
use fathom_job::options::GROUP_REPORTING;
use fathom_results::JobRecord;
use fathom_results::{JobFailure, JobResult, JobTotals, RunResult, Usage};
use std::borrow::Cow;

/// errno as fio reports it: 0 when all went well, and EIO (5) for a failure that was not a system
/// error.
pub fn errno(failure: Option<&JobFailure>) -> i32 {
    const EIO: i32 = 5;
    failure.map_or(0, |f| if f.errno == 0 { EIO } else { f.errno })
}

/// One line of a report: a clone, or a group of them.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The clones, in plan order; at least one.
    pub members: Vec<&'a JobResult>,
    /// All their I/O.
    pub totals: Cow<'a, JobTotals>,
    /// All their CPU time and faults.
    pub usage: Usage,
    /// What the first of them asks of its report.
    pub asked: StatisticsOptions,
    /// Their windows, added second by second.
    pub cells: Vec<PooledSecond>,
}

/// The rows of a run, in plan order.
pub fn rows(run: &RunResult) -> Vec<Row<'_>> {
    let joins = |before: &JobResult, job: &JobResult| {
        job.planned.job.get(&GROUP_REPORTING) && before.planned.group == job.planned.group
    };
    run.jobs.chunk_by(joins).map(|members| Row::of(members.iter().collect())).collect()
}

impl<'a> Row<'a> {
    fn of(members: Vec<&'a JobResult>) -> Self {
        let mut usage = Usage::default();
        members.iter().filter_map(|m| m.outcome.as_ref()).for_each(|outcome| usage.add(&outcome.usage));
        Row {
            totals: added(&members),
            usage,
            asked: StatisticsOptions::of(&members[0].planned.job),
            cells: pool(&members),
            members,
        }
    }

    /// The plan of the first clone, which names the row.
    pub fn first(&self) -> &'a JobRecord {
        &self.members[0].planned
    }

    /// Length of the measured window, ns: the longest of the clones'.
    pub fn runtime_ns(&self) -> u64 {
        self.members.iter().map(|m| m.runtime_ns()).max().unwrap_or(0)
    }

    /// Measured windows of all clones added up, ns: what CPU time is a share of.
    pub fn worker_ns(&self) -> u64 {
        self.members.iter().map(|m| m.runtime_ns()).sum()
    }

    /// Did the clones measure at different times, as with start delays? Then the
    /// windows of the group are not windows of the rate that it is given.
    pub fn is_staggered(&self) -> bool {
        let spans = self.members.iter().filter_map(|m| Some((m.measured_from_ns()?, m.runtime_ns())));
        let (from, to) = spans
            .fold((u64::MAX, 0), |(from, to), (start, length)| (from.min(start), to.max(start + length)));
        to.saturating_sub(from) > self.runtime_ns() + self.window_seconds() * 1_000_000_000
    }

    /// Start of the first clone's measured window, ns since the start of the run.
    pub fn measured_from_ns(&self) -> Option<u64> {
        self.members.iter().filter_map(|m| m.measured_from_ns()).min()
    }

    /// Length of the windows of its time line, s: 1, except in very long runs.
    pub fn window_seconds(&self) -> u64 {
        self.cells.first().map_or(1, |cell| cell.length_ns / 1_000_000_000)
    }

    /// I/Os completed, all directions.
    pub fn ios(&self) -> u64 {
        self.totals.directions.iter().map(|(_, d)| d.ios).sum()
    }

    /// I/Os that failed, all directions.
    pub fn errors(&self) -> u64 {
        self.totals.directions.iter().map(|(_, d)| d.errors).sum()
    }

    /// The first failure among the clones.
    pub fn failure(&self) -> Option<&'a JobFailure> {
        self.members.iter().find_map(|m| m.outcome.as_ref()?.failure.as_ref())
    }

    /// The first failed I/O among the clones, also where a clone went on after
    /// it (`continue_on_error`).
    pub fn first_error(&self) -> Option<&'a JobFailure> {
        let outcomes = || self.members.iter().filter_map(|m| m.outcome.as_ref());
        outcomes().find_map(|o| o.first_error.as_ref()).or_else(|| self.failure())
    }

    /// The failure that fio's `error` reports: why a clone ended, else the first error after which
    /// one went on.
    pub fn told_error(&self) -> Option<&'a JobFailure> {
        self.failure().or_else(|| self.first_error())
    }
}

/// The clones' I/O together; that of a single clone is borrowed, because histograms are large.
fn added<'a>(members: &[&'a JobResult]) -> Cow<'a, JobTotals> {
    if let [only] = members {
        return Cow::Borrowed(&only.totals);
    }
    let mut totals = JobTotals::default();
    members.iter().for_each(|member| totals.merge(&member.totals));
    Cow::Owned(totals)
}
