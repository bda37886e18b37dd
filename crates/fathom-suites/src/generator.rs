//! Was it the generator? Every sign that the worker, and not the target, set
//! the pace.
//!
//! A faster device would have shown the same figure in each of these cases, so
//! none of them may pass as the device's. A queue that was not kept full is
//! Little's law's matter (`taint/littles_law.rs`).

use crate::case::Case;
use crate::cell::{Cell, CpuLoad};
use crate::known::{Ceiling, Waiting};
use crate::quantity::{count, iops, latency, percent};

/// Share of one core, or of all, above which a worker has no time left to wait
/// for a device.
const CPU_FULL: f64 = 0.95;
/// Above this share of what the generator does without a target, its own cost
/// is most of each I/O.
const CEILING_SHARE: f64 = 0.7;
/// Above this share of the time spent ready but not running, completions lay
/// about unseen and the next I/O came late.
const WAITING_SHARE: f64 = 0.1;
/// Waits this long come from somebody else's turn on the CPU, or from a CPU that
/// was asleep. A wake-up on one that is idle takes 2 to 5 µs, and a fast device
/// causes many of those; beside a process that spins, 18 to 290 µs were measured.
const WAIT_EACH_NS: f64 = 10_000.0;

/// Why the generator was the limit.
#[derive(Clone, Debug, PartialEq)]
pub enum Sign {
    /// Others had its CPU.
    Starved(Waiting),
    /// It went nearly as fast as it can go.
    Ceiling(Ceiling),
    /// It used its CPU up.
    Full(CpuLoad),
}

/// The first sign that holds for a cell with a target.
pub fn sign(case: &Case<'_>, cell: &Cell<'_>) -> Option<Sign> {
    if !cell.has_target() || cell.ios() == 0 {
        return None;
    }
    let starved = || cell.waiting().filter(is_starved).map(Sign::Starved);
    let ceiling = || cell.ceiling().filter(|top| cell.iops() > CEILING_SHARE * top.iops).map(Sign::Ceiling);
    starved().or_else(ceiling).or_else(|| full_load(case, cell).map(Sign::Full))
}

fn is_starved(waiting: &Waiting) -> bool {
    waiting.share >= WAITING_SHARE && waiting.each_ns >= WAIT_EACH_NS
}

/// The load, if it left no room. Polling takes a core whatever the device does;
/// and where I/O completes inline, time in the kernel is the target's own.
fn full_load(case: &Case<'_>, cell: &Cell<'_>) -> Option<CpuLoad> {
    full(case, cell).filter(|load| !is_targets(case, cell, load))
}

fn full(case: &Case<'_>, cell: &Cell<'_>) -> Option<CpuLoad> {
    let load = cell.cpu(case.seen.cpus).filter(|_| !cell.polls())?;
    (load.worker >= CPU_FULL || load.machine >= CPU_FULL).then_some(load)
}

fn is_targets(case: &Case<'_>, cell: &Cell<'_>, load: &CpuLoad) -> bool {
    case.completes_inline(cell) && load.worker_system > 0.5 * load.worker
}

/// Did the load leave no room, and is it only because I/O completes inline that
/// it counts as the target's?
pub fn is_full_by_target(case: &Case<'_>, cell: &Cell<'_>) -> bool {
    full(case, cell).is_some_and(|load| is_targets(case, cell, &load))
}

/// The sign in numbers, beginning with the job's name.
pub fn told(case: &Case<'_>, cell: &Cell<'_>, sign: &Sign) -> String {
    let name = cell.name();
    match sign {
        Sign::Starved(w) => format!(
            "{name}: ready to run but without a CPU {} of the time ({} switches, {} of them forced; {} each)",
            percent(w.share),
            count(w.switches),
            count(w.involuntary),
            latency(w.each_ns)
        ),
        Sign::Ceiling(top) => format!(
            "{name}: {} IOPS are {} of the {} that the generator reaches here without a target ({} engine)",
            iops(cell.iops()),
            percent(cell.iops() / top.iops),
            iops(top.iops),
            top.engine
        ),
        Sign::Full(load) => {
            let cost =
                cell.cpu_ns_per_io().map_or_else(String::new, |ns| format!(", {} for each I/O", latency(ns)));
            let [worker, system, machine] =
                [load.worker, load.worker_system, load.machine].map(|share| percent(share.min(1.0)));
            let cpus = case.seen.cpus;
            format!("{name}: {worker} of one core (kernel {system}) and {machine} of all {cpus}{cost}")
        }
    }
}
