//! Which jobs may pass a second without an I/O because they were asked to do so.

use fathom_job::direction::Direction;
use fathom_job::plan::{PlannedJob, Rate};

/// I/Os per second below which a second without any happens by chance, as in the taint `stalls`.
const RARE: f64 = 20.0;
/// A pause from this length on makes an empty window.
const PAUSE_NS_MIN: u64 = 500_000_000;

/// May a second pass without an I/O because the job was asked to do so?
pub fn is_meant_to_pause(job: &PlannedJob) -> bool {
    let pace = &job.pace;
    let is_rare = |d: Direction| match pace.rate[d] {
        None => false,
        Some(Rate::Ios(ios)) => (ios as f64) < RARE,
        Some(Rate::Bytes(bytes)) => (bytes as f64) < RARE * job.block_max().0 as f64,
    };
    let pauses = pace.think.is_some_and(|think| think.pause.0 >= PAUSE_NS_MIN);
    pauses || pace.flow.is_some() || Direction::ALL.into_iter().any(is_rare)
}
