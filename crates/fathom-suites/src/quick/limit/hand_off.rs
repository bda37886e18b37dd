//! I/O that io_uring handed to threads of the kernel (io-wq): each I/O waits
//! for one of them to wake up, and that is part of its latency.

use crate::cell::Cell;
use crate::quick::told::{Figure, Told, of};
use crate::taint::kernel_workers;
use fathom_results::KernelWorkerKind;

/// What the threads did; `None` where they did next to nothing, or the worker's
/// own time is not known.
pub(super) fn told(cell: &Cell<'_>) -> Option<Told> {
    let text = kernel_workers::work(cell, KernelWorkerKind::IoWq, "io-wq")?;
    Some(Told::new(text, of(cell, &[Figure::KernelThreads, Figure::Usage])))
}
