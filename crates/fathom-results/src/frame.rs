//! The frames of a spool: what workers report while they run.
//!
//! Times are nanoseconds since the start of the run. A [`Window`] holds only
//! what happened inside it, so the frames of a run add up to its totals.

use crate::outcome::JobOutcome;
use fathom_job::direction::Direction;
use fathom_stats::{Moments, SparseHistogram};
use serde::{Deserialize, Serialize};

/// One entry of the spool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Frame {
    /// One worker's counts of one interval.
    Window(Box<Window>),
    /// A worker entered a phase.
    Phase {
        /// Plan id of the job.
        job: u32,
        /// The phase that begins.
        phase: Phase,
        /// Start of the phase, ns since the start of the run.
        at_ns: u64,
    },
    /// A worker ended.
    Ended(Box<JobOutcome>),
    /// Something happened that the result keeps.
    Event(Event),
}

/// The phases of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Files are laid out, memory is touched.
    Prepare,
    /// Warm-up: I/O runs, and its counts are kept apart.
    Ramp,
    /// The measured window.
    Measure,
    /// I/O that was in flight at the end completes.
    Drain,
}

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its time, ns since the start of the run.
    pub at_ns: u64,
    /// Plan id of the job that it concerns, if any.
    pub job: Option<u32>,
    /// Stable short name, such as `engine-fallback` or `io-error`.
    pub kind: String,
    /// The event in one sentence.
    pub text: String,
}

/// What one worker did in one interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Plan id of the job.
    pub job: u32,
    /// Ramp windows are kept but never counted.
    pub phase: Phase,
    /// First instant, ns since the start of the run.
    pub start_ns: u64,
    /// First instant after it, ns since the start of the run.
    pub end_ns: u64,
    /// The directions in which any I/O happened.
    pub directions: Vec<(Direction, DirectionWindow)>,
    /// Latency of the fsync family.
    pub sync: LatencyWindow,
    /// I/Os by the depth at submission, in fio's classes 1, 2, 4 … ≥64.
    pub depth: [u64; 7],
    /// Submit calls by their number of I/Os, in fio's classes 0, 4, 8 … >64.
    pub submit: [u64; 7],
    /// Reaps by their number of I/Os, in the same classes.
    pub complete: [u64; 7],
}

impl Window {
    /// An interval in which nothing completed.
    pub fn quiet(job: u32, phase: Phase, start_ns: u64, end_ns: u64) -> Self {
        let (directions, sync) = Default::default();
        let (depth, submit, complete) = ([0; 7], [0; 7], [0; 7]);
        Window { job, phase, start_ns, end_ns, directions, sync, depth, submit, complete }
    }
}

/// Counts of one direction in one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectionWindow {
    /// I/Os completed.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// I/Os that moved less than asked.
    pub short_ios: u64,
    /// I/Os that failed (with `continue_on_error`).
    pub errors: u64,
    /// From descriptor taken to completion seen (fio's `lat`).
    pub total: LatencyWindow,
    /// From the start of the submit call to completion seen (fio's `clat`).
    pub completion: LatencyWindow,
    /// From descriptor taken to the start of the submit call (fio's `slat`;
    /// empty for synchronous engines).
    pub submission: LatencyWindow,
    /// From the instant at which a paced job intended to start the I/O to
    /// completion seen: the time that a user of a busy system waits. Empty for jobs
    /// without a rate, in which an I/O starts whenever another has ended.
    pub response: LatencyWindow,
}

/// One latency in one interval, nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyWindow {
    /// Count, sums, minimum and maximum.
    pub moments: Moments,
    /// The distribution, when the job asks for its percentiles.
    pub histogram: Option<SparseHistogram>,
}
