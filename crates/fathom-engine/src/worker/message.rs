//! What a worker, and who lays files out, tells the collector.

use crate::layout::Step;
use crate::log::LogChunk;
use crate::tally::Tally;
use fathom_results::{JobOutcome, Phase};
use std::sync::mpsc::SyncSender;

/// One message on the channel that all threads of a run share.
#[derive(Debug)]
pub enum Message {
    /// A closed window.
    Window {
        /// Plan id.
        job: u32,
        /// Ramp or measure.
        phase: Phase,
        /// First instant, ns since the run began.
        start_ns: u64,
        /// First instant after it.
        end_ns: u64,
        /// The counts, to be returned empty.
        tally: Box<Tally>,
        /// Where to return it.
        back: SyncSender<Box<Tally>>,
    },
    /// A phase begins.
    Phase {
        /// Plan id.
        job: u32,
        /// Which.
        phase: Phase,
        /// When.
        at_ns: u64,
    },
    /// The layout of a clone's files goes on.
    LaysOut {
        /// Plan id.
        job: u32,
        /// What it is at.
        step: Step,
    },
    /// Log lines.
    Log(LogChunk),
    /// The worker's end.
    Ended(Box<JobOutcome>),
}
