//! I/O that io_uring handed to threads of the kernel (io-wq): each I/O waits
//! for one of them to wake up, and that is part of its latency.

use crate::cell::Cell;
use crate::quantity::{count, latency};
use crate::quick::told::{Figure, Told, of};
use fathom_results::KernelWorkerKind;

/// With less than this share of the CPU time, few I/Os can have been handed
/// over.
const SHARE_MIN: f64 = 0.05;

/// What the threads did; `None` where they did next to nothing, or the worker's
/// own time is not known.
pub(super) fn told(cell: &Cell<'_>) -> Option<Told> {
    let threads = || cell.kernel_workers().filter(|threads| threads.kind == KernelWorkerKind::IoWq);
    let (n, cpu) = threads().fold((0, 0), |(n, ns), one| (n + one.threads, ns + one.cpu_ns));
    let own = cell.worker_cpu_ns()?;
    if cell.ios() == 0 || cpu == 0 || (cpu as f64) < SHARE_MIN * (cpu + own) as f64 {
        return None;
    }
    let each = |ns: u64| latency(ns as f64 / cell.ios() as f64);
    let text = format!(
        "{} io-wq thread{} used {} of CPU for each I/O, the worker {}",
        count(u64::from(n)),
        if n == 1 { "" } else { "s" },
        each(cpu),
        each(own)
    );
    Some(Told::new(text, of(cell, &[Figure::KernelThreads, Figure::Usage])))
}
