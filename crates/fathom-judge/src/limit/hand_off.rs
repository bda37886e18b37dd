//! I/O that io_uring handed to threads of the kernel (io-wq): each I/O waits
//! for one of them to wake up, and that is part of its latency.

use crate::case::Case;
use crate::cell::Cell;
use crate::taint::kernel_workers;
use fathom_results::KernelWorkerKind;
use fathom_results::finding::KernelWork;

/// What the threads did; `None` where they did next to nothing, or the worker's
/// own time is not known.
pub(super) fn work(case: &Case<'_>, cell: &Cell<'_>) -> Option<KernelWork> {
    kernel_workers::work(case, cell, KernelWorkerKind::IoWq)
}
