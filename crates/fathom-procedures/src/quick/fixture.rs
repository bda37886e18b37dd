//! A target of `quick`, and the plan of its jobs, for tests.

use super::{QuickTarget, adjust, job_text};
use fathom_figures::fixture::planned;
use fathom_job::plan::Plan;
use fathom_job::units::Bytes;

/// A scratch file of 1 GiB.
pub fn scratch() -> QuickTarget {
    QuickTarget {
        path: "/data/scratch".to_owned(),
        size: Bytes::gib(1),
        can_write: true,
        direct: true,
        engine: "io_uring".to_owned(),
        block_min: Bytes(512),
        seconds_per_cell: 7,
        is_scratch: true,
    }
}

/// The plan of its jobs.
pub fn plan(target: &QuickTarget) -> Plan {
    planned(&job_text(target), &adjust(target))
}
