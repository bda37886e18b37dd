//! What a worker, and the thread that lays files out, send to the collector.

use crate::log::LogChunk;
use crate::tally::Tally;
use fathom_results::{JobFailure, JobOutcome, Phase, Window};
use std::sync::mpsc::SyncSender;

/// One message on the channel that all threads of a run share.
#[derive(Debug)]
pub enum RunnerMessage {
    Window {
        job: u32,
        phase: Phase,
        /// First instant, ns since the run began.
        start_ns: u64,
        end_ns: u64,
        /// The counts, to be returned empty.
        tally: Box<Tally>,
        /// Where to return it.
        back: SyncSender<Box<Tally>>,
    },
    /// A window in which nothing ended.
    Quiet {
        job: u32,
        phase: Phase,
        /// First instant, ns since the run began.
        start_ns: u64,
        end_ns: u64,
        in_flight: u32,
    },
    Phase {
        job: u32,
        phase: Phase,
        /// Stamp of its beginning, ns since the run began.
        at_ns: u64,
    },
    /// The files of a clone are laid out: bytes written, or why that failed.
    LaidOut {
        job: u32,
        result: Result<u64, JobFailure>,
    },
    Log(LogChunk),
    Ended(Box<JobOutcome>),
}

/// The window of counts that a worker has sent, from `span_ns.0` to `span_ns.1`. The
/// tally goes back to the worker, empty.
pub fn window_of(
    job: u32,
    phase: Phase,
    span_ns: (u64, u64),
    mut tally: Box<Tally>,
    back: &SyncSender<Box<Tally>>,
) -> Window {
    let window = tally.window(job, phase, span_ns.0, span_ns.1);
    tally.clear();
    let _ = back.try_send(tally);
    window
}
