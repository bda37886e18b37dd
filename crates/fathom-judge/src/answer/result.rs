//! The figures that matter.

use super::{has_figures, is_load};
use crate::case::Case;
use crate::cell::Cell;
use crate::own_jobs::{Own, OwnJobs};
use crate::taint::{fall_evidence, lasting};
use fathom_figures::{DirectionFigures, LARGE_BLOCK, P99_IOS_MIN};
use fathom_job::direction::Direction;
use fathom_results::Unrated;
use fathom_results::answer::{
    CpuLoadHeadline, DirectionHeadline, Headline, JobHeadline, NoFigures, SyncHeadline, UnevenWorkers,
};

/// Jobs whose figures are given one by one; the others are counted.
const JOBS_MAX: usize = 4;

/// A rate that may be wrong by more than this share has its uncertainty beside it.
const UNSURE_MIN: f64 = 0.1;

pub(super) fn result(case: &Case<'_>, own: Own<'_>) -> Headline {
    if is_load(case) {
        return loads(case);
    }
    if !has_figures(case) {
        return Headline::Nothing { because: why_nothing(case) };
    }
    let named = if own.are_these { of_own(case, own.jobs) } else { None };
    named.unwrap_or_else(|| jobs(case))
}

/// The figures that the procedure of the jobs names.
fn of_own(case: &Case<'_>, own: &OwnJobs) -> Option<Headline> {
    let cell = |name: &&str| {
        case.cells.iter().find(|cell| cell.name() == *name && cell.ios() > 0 && !cell.is_too_short())
    };
    let cells: Vec<&Cell<'_>> = own.named.iter().filter_map(cell).collect();
    let of = cells.first()?.planned();
    let jobs = cells.iter().map(|cell| job(cell)).collect();
    Some((own.headline)(jobs, of.block_max().0, cells[0].depth()))
}

/// The first jobs, and how many more there are.
fn jobs(case: &Case<'_>) -> Headline {
    let busy: Vec<&Cell<'_>> = case.cells.iter().filter(|cell| cell.ios() > 0).collect();
    let jobs = busy.iter().take(JOBS_MAX).map(|cell| job(cell)).collect();
    Headline::Jobs { jobs, more: busy.len().saturating_sub(JOBS_MAX) as u64 }
}

/// What jobs that do no I/O used of the CPUs, by design.
fn loads(case: &Case<'_>) -> Headline {
    let one = |cell: &Cell<'_>| CpuLoadHeadline {
        job: cell.name().to_owned(),
        workers: cell.members.len() as u64,
        asked: cell.planned().cpu_share().unwrap_or_default(),
        used: cell.worker_percent().map(|percent| percent / 100.0),
        runtime_ns: cell.runtime_ns(),
    };
    let jobs = case.cells.iter().take(JOBS_MAX).map(one).collect();
    Headline::CpuLoads { jobs, more: case.cells.len().saturating_sub(JOBS_MAX) as u64 }
}

fn job(cell: &Cell<'_>) -> JobHeadline {
    let rate = lasting(cell);
    let unrated = match () {
        () if cell.is_too_short() => Some(Unrated::TooShort),
        () if cell.has_too_few() => Some(Unrated::TooFew),
        () => None,
    };
    let directions: Vec<DirectionHeadline> =
        cell.flows().map(|(of, _)| direction(cell, of, unrated.is_none())).collect();
    let is_response = directions.first().is_some_and(|first| first.is_response);
    JobHeadline {
        job: cell.name().to_owned(),
        ios: cell.ios(),
        runtime_ns: cell.runtime_ns(),
        unrated,
        in_bytes: cell.planned().block_max() >= LARGE_BLOCK,
        iops: unrated.is_none().then_some(rate.iops),
        bytes_per_second: (unrated.is_none() && cell.planned().moves_data()).then_some(rate.bytes_per_second),
        half_share: half_share(cell),
        asked: cell.asked_rate().filter(|_| !cell.keeps_its_rate()),
        fall: cell.rate_fall().map(|fall| fall_evidence(cell, &fall)),
        uneven: uneven(cell),
        sync: if directions.len() == 1 && !is_response { sync(cell) } else { None },
        directions,
    }
}

/// The uncertainty of a rate, where it is large.
fn half_share(cell: &Cell<'_>) -> Option<f64> {
    let flows = cell.flows_busy();
    let halves = flows.iter().filter_map(|flow| flow.iops_half());
    // Where workers ended early, most of the changes are theirs.
    let is_even = cell.uneven_times().is_none();
    halves.reduce(f64::max).filter(|half| *half > UNSURE_MIN && is_even)
}

fn uneven(cell: &Cell<'_>) -> Option<UnevenWorkers> {
    let uneven = cell.uneven_times()?;
    Some(UnevenWorkers {
        workers: uneven.workers as u64,
        shorter: uneven.shorter as u64,
        shortest_ns: uneven.shortest_ns,
        iops_of_all: uneven.iops_of_all,
    })
}

fn sync(cell: &Cell<'_>) -> Option<SyncHeadline> {
    let mean_ns = cell.sync_ns_of_each_write()?;
    let p99 = cell.totals.sync.histogram.as_ref().and_then(|histogram| histogram.quantile(0.99));
    Some(SyncHeadline { mean_ns, p99_ns: p99.map(|ns| ns as f64) })
}

/// Mean and p99 of the latency that the job is judged by. For a job with a rate that is the time from the planned start; the time
/// of the target itself is in the details.
fn direction(cell: &Cell<'_>, direction: Direction, is_rated: bool) -> DirectionHeadline {
    let flow = cell.flow(direction);
    let fall = cell.rate_fall().map(|fall| fall.of_direction(direction).lasting.iops);
    let (p99_ns, longest_ns) = slowest(&flow);
    DirectionHeadline {
        direction,
        ios: flow.totals.ios,
        runtime_ns: flow.runtime_ns(),
        has_too_few: flow.has_too_few(),
        iops: (is_rated && !flow.has_too_few()).then(|| fall.unwrap_or_else(|| flow.iops())),
        is_response: flow.is_response(),
        mean_ns: flow.main_latency().and_then(|(_, kept)| kept.moments.mean()),
        p99_ns,
        longest_ns,
    }
}

/// The p99; of too few I/Os for it, the slowest. Neither where no distribution was kept.
fn slowest(flow: &DirectionFigures<'_>) -> (Option<f64>, Option<f64>) {
    let Some((_, kept)) = flow.main_latency() else { return (None, None) };
    let Some(histogram) = &kept.histogram else { return (None, None) };
    match histogram.count() < P99_IOS_MIN {
        true => (None, kept.moments.max().map(|ns| ns as f64)),
        false => (histogram.quantile(0.99).map(|ns| ns as f64), None),
    }
}

/// The first failure, else how the run ended.
fn why_nothing(case: &Case<'_>) -> Option<NoFigures> {
    let mut failures = case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let first = failures.next().map(|failure| NoFigures::Failed { message: failure.message.clone() });
    first.or_else(|| Some(NoFigures::Incomplete { why: case.run.incomplete.clone()? }))
}
