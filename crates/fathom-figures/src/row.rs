//! Rows: which clones belong together, and what they add up to.
//!
//! Reports use fio's rule ([`rows`]): a job that sets `group_reporting` joins the row before it when
//! both have the same group id; every other job begins a new row. Judges read each job with its
//! clones ([`jobs`]). A row is named after its first job.

use crate::asked::StatisticsOptions;
use crate::grid::Grid;
use crate::measured_time::measured_ns;
use crate::rate_fall::RateFall;
use crate::{per_second, ratio};
use fathom_job::direction::Direction;
use fathom_job::options::{GROUP_REPORTING, SYNC};
use fathom_results::outcome::ZONE_RESETS;
use fathom_results::{
    DirectionTotals, Drained, JobFailure, JobRecord, JobResult, JobTotals, Latency, RunResult, SelfKnowledge,
    Unrated, has_too_few,
};
use fathom_stats::Moments;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Some clones, and the figures of all of them.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The clones, in plan order; at least one.
    pub members: &'a [JobResult],
    /// All their measured I/O.
    pub totals: Cow<'a, JobTotals>,
    /// What the first of them asks of its report.
    pub asked: StatisticsOptions,
    /// What the run recorded about itself.
    pub(crate) known: &'a SelfKnowledge,
    /// Made when it is asked for.
    pub(crate) grid: OnceCell<Grid>,
    /// Looked for when it is asked for.
    pub(crate) fall: OnceCell<Option<RateFall>>,
}

/// Of fewer I/Os, the 99th percentile is the slowest one: the rank ⌈0.99·n⌉ is n.
pub const P99_IOS_MIN: u64 = 100;

/// What was moved in one direction while the kernel counted: the I/O of the measured window, and
/// what was still in flight when it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// I/Os completed.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The rows of a run by fio's rule, in plan order.
pub fn rows(run: &RunResult) -> Vec<Row<'_>> {
    chunked(reported(run), run, joins)
}

/// The jobs that are in the figures of the result; those that are not come last.
pub fn reported(run: &RunResult) -> &[JobResult] {
    &run.jobs[..run.jobs.partition_point(JobResult::is_reported)]
}

/// The run as fio sees it: a job that reads back what another one wrote belongs to that job, so it comes directly after it.
/// `None` where no job reads back.
pub fn as_fio(run: &RunResult) -> Option<RunResult> {
    let is_back = |job: &JobResult| job.planned.reads_back.is_some();
    if !run.jobs.iter().any(is_back) {
        return None;
    }
    let (back, own): (Vec<JobResult>, Vec<JobResult>) = run.jobs.iter().cloned().partition(is_back);
    let mut jobs = Vec::with_capacity(run.jobs.len());
    for row in own.chunk_by(joins) {
        let is_of_row =
            |job: &&JobResult| row.iter().any(|one| job.planned.reads_back == Some(one.planned.id));
        jobs.extend(row.iter().cloned());
        jobs.extend(back.iter().filter(is_of_row).cloned());
    }
    Some(RunResult { jobs, ..run.clone() })
}

/// The rows of a run as fio sees it, which [`as_fio`] made where there is anything to make.
pub fn rows_as_fio(run: &RunResult) -> Vec<Row<'_>> {
    chunked(reported(run), run, |before, job| joins(before, job) || job.planned.reads_back.is_some())
}

/// The rows by fio's rule, and the clones of each job in one row even where the job does not ask for it. In plan order.
pub fn rows_of_clones(run: &RunResult) -> Vec<Row<'_>> {
    chunked(reported(run), run, |before, job| joins(before, job) || are_clones(before, job))
}

/// One row for each job with its clones, in plan order; last those that are not reported.
pub fn jobs(run: &RunResult) -> Vec<Row<'_>> {
    chunked(&run.jobs, run, are_clones)
}

/// The same without those that are not reported.
pub fn reported_jobs(run: &RunResult) -> Vec<Row<'_>> {
    chunked(reported(run), run, are_clones)
}

/// Does this job join the row before it, by fio's rule?
fn joins(before: &JobResult, job: &JobResult) -> bool {
    job.planned.job.get(&GROUP_REPORTING) && before.planned.group == job.planned.group
}

/// Are these two clones of one job?
fn are_clones(one: &JobResult, other: &JobResult) -> bool {
    let first_clone = |job: &JobResult| job.planned.id - job.planned.subjob;
    first_clone(one) == first_clone(other)
}

fn chunked<'a>(
    jobs: &'a [JobResult],
    run: &'a RunResult,
    joins: impl Fn(&JobResult, &JobResult) -> bool,
) -> Vec<Row<'a>> {
    let known = &run.record.self_knowledge;
    jobs.chunk_by(joins).map(|members| Row::of(members, known)).collect()
}

impl<'a> Row<'a> {
    fn of(members: &'a [JobResult], known: &'a SelfKnowledge) -> Self {
        let asked = StatisticsOptions::of(&members[0].planned.job);
        Row { members, totals: added(members), asked, known, grid: OnceCell::new(), fall: OnceCell::new() }
    }

    /// Is it meant to go slower than it could: at a rate or the times of a trace, with pauses, in a ratio
    /// to others, or below a latency?
    pub fn is_held_back(&self) -> bool {
        let pace = &self.first().pace;
        let has_rate = Direction::ALL.into_iter().any(|d| pace.rate[d].is_some());
        has_rate
            || self.first().keeps_gaps()
            || pace.think.is_some()
            || pace.flow.is_some()
            || pace.goal.is_some()
    }

    /// The plan of the first clone, which names the row.
    pub fn first(&self) -> &'a JobRecord {
        &self.members[0].planned
    }

    /// Name of its first job.
    pub fn name(&self) -> &'a str {
        &self.first().name
    }

    /// The different jobs of the row, each as its clones: with `group_reporting`, jobs that do different things share a
    /// row.
    pub fn parts(&self) -> impl Iterator<Item = &'a [JobResult]> + use<'a> {
        self.members.chunk_by(are_clones)
    }

    /// The time in which it measured, ns: the longest window of its clones, where they measured at the same time, else the
    /// time that their windows cover.
    pub fn runtime_ns(&self) -> u64 {
        measured_ns(self.members.iter().filter_map(JobResult::window_ns))
    }

    /// From the first start to the last end of the measured windows of its clones, ns since the start of the run; `None` where
    /// nothing was measured.
    pub fn window_ns(&self) -> Option<(u64, u64)> {
        let windows = self.members.iter().filter_map(JobResult::window_ns);
        windows.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Why its I/Os are told by their number and not as a rate; `None` where they are one.
    pub fn unrated(&self) -> Option<Unrated> {
        Unrated::of(self.ios(), self.runtime_ns())
    }

    /// Whether the measured window is shorter than [`RATE_NS_MIN`](fathom_results::RATE_NS_MIN): then its I/Os are told, and no
    /// rate.
    pub fn is_too_short(&self) -> bool {
        self.unrated() == Some(Unrated::TooShort)
    }

    /// Whether there was I/O, and too little for a rate: see [`RATE_IOS_MIN`](fathom_results::RATE_IOS_MIN).
    pub fn has_too_few(&self) -> bool {
        has_too_few(self.ios())
    }

    /// The same in seconds.
    pub fn seconds(&self) -> f64 {
        self.runtime_ns() as f64 / 1e9
    }

    /// Measured windows of all clones added up, ns.
    pub fn worker_ns(&self) -> u64 {
        self.members.iter().map(JobResult::runtime_ns).sum()
    }

    /// Start of the first clone's measured window, ns since the start of the run.
    pub fn measured_from_ns(&self) -> Option<u64> {
        self.members.iter().filter_map(JobResult::measured_from_ns).min()
    }

    /// Directions with I/O.
    pub fn flows(&self) -> impl Iterator<Item = (Direction, &DirectionTotals)> {
        self.totals.directions.iter().filter(|(_, flow)| flow.ios > 0)
    }

    /// I/Os completed, all directions.
    pub fn ios(&self) -> u64 {
        self.totals.directions.iter().map(|(_, flow)| flow.ios).sum()
    }

    /// I/Os that failed, all directions.
    pub fn errors(&self) -> u64 {
        self.totals.directions.iter().map(|(_, flow)| flow.errors).sum()
    }

    /// The errors after which its jobs went on: failed I/Os, and wrong blocks where `continue_on_error` names them.
    pub fn outlived_errors(&self) -> u64 {
        let verified = self.members.iter().filter_map(|member| member.verification());
        let wrong: u64 = verified.map(|found| found.wrong).sum();
        self.errors() + if self.asked.counts_wrong_blocks { wrong } else { 0 }
    }

    /// I/Os per second over the measured window, all directions; 0 without a window.
    pub fn iops(&self) -> f64 {
        per_second(self.ios(), self.runtime_ns())
    }

    /// Bytes per second over the measured window, all directions; 0 without a window.
    pub fn bytes_per_second(&self) -> f64 {
        let bytes = self.totals.directions.iter().map(|(_, flow)| flow.bytes).sum();
        per_second(bytes, self.runtime_ns())
    }

    /// Total latency of all I/Os, ns; empty where it was not kept.
    pub fn latency(&self) -> Moments {
        let mut all = Moments::new();
        self.flows().for_each(|(_, flow)| all.merge(&flow.total.moments));
        all
    }

    /// Response latency of all I/Os, ns: from the time at which the rate of the job meant each to start.
    pub fn response(&self) -> Moments {
        let mut all = Moments::new();
        self.flows().for_each(|(_, flow)| all.merge(&flow.response.moments));
        all
    }

    /// Mean total latency of all I/Os, ns; `None` where it was not kept.
    pub fn latency_ns_mean(&self) -> Option<f64> {
        self.latency().mean()
    }

    /// Share of total latency that passed in this process, before the I/O was
    /// submitted. `None` where either was not kept.
    pub fn submission_share(&self) -> Option<f64> {
        let sum = |latency: fn(&DirectionTotals) -> &Latency| -> u128 {
            self.flows().map(|(_, flow)| latency(flow).moments.sum()).sum()
        };
        let (inside, total) = (sum(|flow| &flow.submission), sum(|flow| &flow.total));
        (inside > 0 && total > 0).then(|| inside as f64 / total as f64)
    }

    /// Most I/Os that can be in flight: reachable depth, clones added up.
    pub fn depth(&self) -> u32 {
        self.members.iter().map(|member| member.planned.depth.reachable).sum()
    }

    /// I/Os that it was asked to keep in flight: `iodepth`, clones added up.
    pub fn depth_asked(&self) -> u64 {
        self.members.iter().map(|member| u64::from(member.planned.depth.asked)).sum()
    }

    /// What it moved in one direction while the kernel counted.
    pub fn moved(&self, direction: Direction) -> Moved {
        let totals = &self.totals.directions[direction];
        Moved { ios: totals.ios + totals.drained.ios, bytes: totals.bytes + totals.drained.bytes }
    }

    /// What was in flight when the measured window ended, in the directions in which one of it took longer than every I/O that
    /// counts.
    pub fn slow_at_end(&self) -> impl Iterator<Item = (Direction, &Drained)> {
        let is_slow = |flow: &DirectionTotals| flow.drained.latency.max() > flow.total.moments.max();
        self.totals
            .directions
            .iter()
            .filter(move |(_, flow)| is_slow(flow))
            .map(|(d, flow)| (d, &flow.drained))
    }

    /// Syncs, and writes that are synced one by one (`sync=`).
    pub fn syncs(&self) -> u64 {
        let of = |member: &JobResult| {
            let is_synced = member.planned.job.get(&SYNC) != "none";
            let writes = if is_synced { member.totals.directions.write.ios } else { 0 };
            member.totals.sync.moments.count() + writes
        };
        self.members.iter().map(of).sum()
    }

    /// Zones that its jobs reset for their writes; `None` without `zonemode=zbd`.
    pub fn zone_resets(&self) -> Option<u64> {
        let outcomes = self.members.iter().filter_map(|job| job.outcome.as_ref());
        let notes = outcomes.flat_map(|outcome| &outcome.notes).filter(|(name, _)| name == ZONE_RESETS);
        notes.filter_map(|(_, resets)| resets.parse().ok()).reduce(|sum: u64, resets| sum + resets)
    }

    /// IOPS of the slowest and of the fastest clone.
    pub fn worker_iops(&self) -> (f64, f64) {
        let rate = |member: &JobResult| {
            let ios = member.totals.directions.iter().map(|(_, d)| d.ios).sum();
            per_second(ios, member.runtime_ns())
        };
        let rates = || self.members.iter().map(rate);
        (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max))
    }

    /// Block sizes that were issued, for jobs whose size varies: direction, bytes, and the share of
    /// the direction's I/Os.
    pub fn sizes(&self) -> Vec<(Direction, u64, f64)> {
        let outcomes = self.members.iter().filter_map(|member| member.outcome.as_ref());
        let mut counts: BTreeMap<(Direction, u64), u64> = BTreeMap::new();
        for (direction, sizes) in outcomes.flat_map(|outcome| outcome.sizes.iter()) {
            sizes.iter().for_each(|(bytes, n)| *counts.entry((direction, *bytes)).or_default() += n);
        }
        let all =
            |direction| counts.iter().filter(|((d, _), _)| *d == direction).map(|(_, n)| *n as f64).sum();
        let share = |((direction, bytes), n): (&(Direction, u64), &u64)| {
            (*direction, *bytes, ratio(*n as f64, all(*direction)))
        };
        counts.iter().map(share).collect()
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
fn added(members: &[JobResult]) -> Cow<'_, JobTotals> {
    if let [only] = members {
        return Cow::Borrowed(&only.totals);
    }
    let mut totals = JobTotals::default();
    members.iter().for_each(|member| totals.merge(&member.totals));
    Cow::Owned(totals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::Phase;

    const SECOND: u64 = 1_000_000_000;

    fn reads(ios: u64) -> [DirectionLoad; 1] {
        [DirectionLoad::reads(ios, 4096, 100_000)]
    }

    #[test]
    fn an_io_that_was_slow_at_the_end_is_told_and_does_not_count() {
        let one = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f");
        let slow = [DirectionLoad::reads(1, 4096, 5_000_000_000)];
        let run = one.seconds(0, 2, &reads(100)).window(0, Phase::Drain, 5 * SECOND, &slow).run();
        let row = &jobs(&run)[0];
        let told: Vec<_> =
            row.slow_at_end().map(|(d, drained)| (d, drained.ios, drained.latency.max())).collect();
        assert_eq!(told, [(Direction::Read, 1, Some(5_000_000_000))]);
        assert_eq!((row.ios(), row.latency().count(), row.latency().max()), (200, 200, Some(100_000)));
        assert_eq!(row.totals.directions.read.slowest_ns(), Some(5_000_000_000));
    }

    #[test]
    fn a_job_that_is_not_reported_is_in_no_row_and_no_sum() {
        let text = "[global]\nrw=read\nbs=4k\nioengine=psync\nfilename=/data/f\ngroup_reporting\n[a]\n[b]\nstats=0\n[c]\n";
        let scene = (0..3).fold(RunBuilder::text(text), |scene, job| scene.seconds(job, 2, &reads(100)));
        let run = scene.run();
        for all in [rows(&run), rows_as_fio(&run)] {
            let told: Vec<_> = all.iter().map(|row| (row.name(), row.members.len(), row.ios())).collect();
            assert_eq!(told, [("a", 2, 400)], "a and c are one row");
        }
        let names = |all: Vec<Row<'_>>| all.iter().map(|row| row.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(reported_jobs(&run)), ["a", "c"]);
        assert_eq!(names(jobs(&run)), ["a", "c", "b"], "rules about the machine know it");
        assert_eq!(crate::Whole::of(&run).ios, 400);
    }

    #[test]
    fn what_was_drained_was_moved_but_is_no_throughput() {
        let one = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f");
        let run = one.seconds(0, 2, &reads(100)).window(0, Phase::Drain, SECOND / 100, &reads(3)).run();
        let row = &jobs(&run)[0];
        assert_eq!((row.ios(), row.moved(Direction::Read)), (200, Moved { ios: 203, bytes: 203 * 4096 }));
        assert_eq!(row.latency().count(), 200, "I/Os and latencies are one number");
        assert_eq!(row.slow_at_end().count(), 0, "they were as fast as the others");
    }
}
