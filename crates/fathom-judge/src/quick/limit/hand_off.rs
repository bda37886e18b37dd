//! I/O that io_uring handed to threads of the kernel (io-wq): each I/O waits
//! for one of them to wake up, and that is part of its latency.

use crate::case::Case;
use crate::cell::Cell;
use crate::quick::told::{Figure, Told, of};
use crate::taint::kernel_workers;
use fathom_results::KernelWorkerKind;

/// What the threads did; `None` where they did next to nothing, or the worker's
/// own time is not known.
pub(super) fn told(case: &Case<'_>, cell: &Cell<'_>) -> Option<Told> {
    let text = fathom_words::kernel_work(&kernel_workers::work(case, cell, KernelWorkerKind::IoWq)?);
    Some(Told::new(text, of(cell, &[Figure::KernelThreads, Figure::Usage])))
}
