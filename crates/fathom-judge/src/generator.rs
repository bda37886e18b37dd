//! Was the generator the limit? Signs that the worker, and not the target, set the pace.
//!
//! A faster device would have shown the same figure in each of these cases, so it must not be
//! reported as the device's. The rule of Little's law (`taint/littles_law.rs`) judges a queue that
//! was not kept full.

use crate::case::Case;
use crate::cell::Cell;
use fathom_figures::{Ceiling, CpuLoad, Waiting};
use fathom_results::finding::{CpuWait, GeneratorSign};
use fathom_results::{CpuQuota, KernelWorkerKind};

/// Share of one core, or of all, above which a worker has no time left to wait
/// for a device.
const CPU_FULL: f64 = 0.95;
/// Above this share of what the generator does without a target, its own cost
/// is most of each I/O.
const CEILING_SHARE: f64 = 0.7;
/// Above this share of the time spent ready but not running, completions waited to be noticed and
/// the next I/O came late.
const WAITING_SHARE: f64 = 0.1;
/// Waits this long mean that another process had the CPU, or that the CPU was asleep. A wake-up on
/// an idle CPU takes 2 to 5 µs, and a fast device causes many of those; with another process that
/// spins, 18 to 290 µs were measured.
const WAIT_EACH_NS: f64 = 10_000.0;

/// Another process runs for 3 ms at a time, and with several of them a worker waits for some such
/// slices (EEVDF's base slice, kernel/sched/fair.c).
const TURN_NS_MAX: f64 = 10_000_000.0;
/// A figure that changes by less than this counts as unchanged.
const MOVED_MIN: f64 = 0.02;

/// Why the generator was the limit.
#[derive(Clone, Debug, PartialEq)]
pub enum Sign {
    /// The quota of its control group stopped it.
    Quota(CpuQuota),
    /// Other processes had its CPU.
    Starved(Waiting),
    /// It went nearly as fast as it can go.
    Ceiling(Ceiling),
    /// It used its CPU up.
    Full(CpuLoad),
}

/// The first sign that holds for a cell with a target. A rate or the times of a trace that
/// were asked for and kept are their own limit.
pub fn sign(case: &Case<'_>, cell: &Cell<'_>) -> Option<Sign> {
    if !cell.has_target() || cell.ios() == 0 || cell.keeps_its_times() {
        return None;
    }
    if let Some(quota) = quota(case) {
        return Some(Sign::Quota(quota));
    }
    let starved = || cell.waiting().filter(|w| is_starved(w) && lost_share(case, cell, w) >= MOVED_MIN);
    let ceiling = || cell.ceiling().filter(|top| is_near(case, cell, top));
    let starved = starved().map(Sign::Starved);
    starved.or_else(|| ceiling().map(Sign::Ceiling)).or_else(|| full_load(case, cell).map(Sign::Full))
}

/// The CPU quota of its control group, where that stopped fathom in so many periods that it set the pace.
pub fn quota(case: &Case<'_>) -> Option<CpuQuota> {
    case.run.record.self_knowledge.cpu_quota.filter(|quota| quota.stopped_share() >= WAITING_SHARE)
}

/// The waits for a CPU that made I/O late although the rate or the times of the trace were kept: they are in its
/// latency, though not in its IOPS.
pub fn delay(cell: &Cell<'_>) -> Option<Waiting> {
    let waiting = cell.waiting().filter(|waiting| cell.has_target() && is_starved(waiting))?;
    // An I/O that is due or complete during a wait is noticed half a wait later, on average.
    let late_ns = waiting.share * waiting.each_ns / 2.0;
    (cell.keeps_its_times() && late_ns > MOVED_MIN * cell.latency_ns_mean()?).then_some(waiting)
}

fn is_starved(waiting: &Waiting) -> bool {
    waiting.share >= WAITING_SHARE && waiting.each_ns >= WAIT_EACH_NS
}

/// Share of the figure that the waits for a CPU took. While a worker waits, the device works on the
/// other I/Os in flight, and is idle only when those are complete. A worker that never waits for
/// the device loses the whole wait.
fn lost_share(case: &Case<'_>, cell: &Cell<'_>, waiting: &Waiting) -> f64 {
    let share = cell.waiting_share_mean();
    if !cell.polls() && busy(case, cell) >= CPU_FULL {
        return share;
    }
    let in_flight = f64::from(cell.depth()) - 1.0;
    let lasts_ns = in_flight * 1e9 / cell.iops();
    share * (1.0 - lasts_ns / long_wait_ns(waiting)).max(0.0)
}

/// Length of the waits that make up most of the waiting time. A worker that is woken often has many
/// short waits, so the mean says little; a worker that was preempted waits until another process
/// has run.
fn long_wait_ns(waiting: &Waiting) -> f64 {
    let of_forced = waiting.each_ns * waiting.switches as f64 / waiting.involuntary.max(1) as f64;
    of_forced.min(TURN_NS_MAX).max(waiting.each_ns)
}

/// Share of the time in which the busiest worker ran or waited for a CPU.
fn busy(case: &Case<'_>, cell: &Cell<'_>) -> f64 {
    let load = cell.cpu(case.surrounds.cpus).map_or(0.0, |load| load.worker.max(load.machine));
    load + cell.waiting().map_or(0.0, |waiting| waiting.share)
}

/// Is its own cost most of each I/O? Where several are in flight, the cost of
/// one passes while the device works on others: a worker that still has time to
/// spare waits for the device.
fn is_near(case: &Case<'_>, cell: &Cell<'_>, top: &Ceiling) -> bool {
    let has_no_time = has_none_by_nature(case, cell) || hands_over(cell) || busy(case, cell) >= CPU_FULL;
    !cell.is_too_short() && cell.iops() > CEILING_SHARE * top.iops && has_no_time
}

/// Has the worker no time to spare, whatever the load? With one I/O at a time
/// its own cost is part of each, and one that polls uses its CPU up.
pub fn has_none_by_nature(case: &Case<'_>, cell: &Cell<'_>) -> bool {
    (cell.is_alone() && cell.members.len() <= case.surrounds.cpus) || cell.polls()
}

/// Does a thread of the kernel submit? Then the worker's own load says little.
pub fn hands_over(cell: &Cell<'_>) -> bool {
    cell.kernel_workers().any(|threads| threads.kind == KernelWorkerKind::Sqpoll)
}

/// The load, if it left no spare time. Polling takes a core whatever the device does, and so does
/// spinning in pauses; where I/O completes inline, time in the kernel counts as the target's.
fn full_load(case: &Case<'_>, cell: &Cell<'_>) -> Option<CpuLoad> {
    full(case, cell).filter(|load| !is_targets(case, cell, load))
}

fn full(case: &Case<'_>, cell: &Cell<'_>) -> Option<CpuLoad> {
    let spins = cell.polls() || cell.planned().pace.think.is_some();
    let load = cell.cpu(case.surrounds.cpus).filter(|_| !spins)?;
    (load.worker >= CPU_FULL || load.machine >= CPU_FULL).then_some(load)
}

fn is_targets(case: &Case<'_>, cell: &Cell<'_>, load: &CpuLoad) -> bool {
    case.completes_inline(cell) && load.worker_system > 0.5 * load.worker
}

/// The sign as it is saved; `None` for a quota, which has a rule of its own.
pub fn sign_evidence(case: &Case<'_>, cell: &Cell<'_>, sign: &Sign) -> Option<GeneratorSign> {
    Some(match sign {
        Sign::Quota(_) => return None,
        Sign::Starved(waiting) => GeneratorSign::Starved(wait_evidence(waiting)),
        Sign::Ceiling(top) => {
            GeneratorSign::Ceiling { iops: cell.iops(), iops_max: top.iops, engine: top.engine.clone() }
        }
        Sign::Full(load) => GeneratorSign::Full {
            worker: load.worker,
            worker_system: load.worker_system,
            machine: load.machine,
            cpus: case.surrounds.cpus as u64,
            cpu_ns_per_io: cell.cpu_ns_per_io(),
        },
    })
}

/// Waits for a CPU as they are saved.
pub fn wait_evidence(waiting: &Waiting) -> CpuWait {
    let Waiting { share, switches, involuntary, each_ns } = *waiting;
    CpuWait { share, switches, involuntary, each_ns }
}
