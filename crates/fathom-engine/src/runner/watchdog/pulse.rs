//! One worker's signs of life.

use super::{Expectation, Heard, Patience};
use crate::worker::DRAIN_NS;
use std::time::{Duration, Instant};

/// How long a worker may go on without a completion once it has to end. The queue
/// waits for what is in flight, and names it, before this time is over.
const ENDING: Duration = Duration::from_nanos(DRAIN_NS + 2_000_000_000);

/// How long a worker that a person's signal ends may be silent. With the time between two looks of the watchdog it is two
/// seconds, after which a person takes the program for dead.
const AT_ONCE: Duration = Duration::from_secs(1);

/// An `fsync` of all that was written is a single call: it may be silent for this
/// many times the limit of one I/O.
const SYNC_FACTOR: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerState {
    Rest,
    /// It prepares files and memory, and waits for the common start and `startdelay`.
    Preparing,
    /// Its files are filled. The kernel wakes a thread that writes more than the
    /// device takes, even if the device takes nothing. So only written bytes count.
    Filling,
    Work,
    /// It syncs at its end, or syncs a file that was laid out.
    Syncing,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    pub at: WorkerState,
    /// The last sign of life.
    pub heard: Heard,
    /// Its thread's switches when the kernel was last asked.
    pub switches: Option<u64>,
    pub is_told: bool,
    /// When its I/O last went on.
    pub moved: Option<Instant>,
    /// Since when it should end.
    must_end: Option<Instant>,
    /// Its measured time so far, ns since the run began.
    pub measured_ns: Option<(u64, u64)>,
}

impl Pulse {
    pub fn at_rest(now: Heard) -> Pulse {
        Pulse {
            at: WorkerState::Rest,
            heard: now,
            switches: None,
            is_told: false,
            moved: None,
            must_end: None,
            measured_ns: None,
        }
    }

    /// Begins every time later by the length of a halt.
    pub fn halted(&mut self, length: Duration) {
        self.heard.at += length;
        self.heard.run_ns = self.heard.run_ns.saturating_add(length.as_nanos() as u64);
        self.moved = self.moved.map(|at| at + length);
        self.must_end = self.must_end.map(|at| at + length);
    }

    /// The length of its silence, if it is to be reported, and whether to give it up.
    pub fn silence(
        &mut self,
        now: Instant,
        known_to: Instant,
        patience: Patience,
        wanted: Expectation,
    ) -> Option<(Duration, bool)> {
        let limit = match self.at {
            WorkerState::Rest | WorkerState::End => return None,
            WorkerState::Preparing | WorkerState::Filling | WorkerState::Work => patience.give_up_after,
            WorkerState::Syncing => patience.give_up_after.map(|limit| limit * SYNC_FACTOR),
        };
        let silent = known_to.saturating_duration_since(self.heard.at);
        let is_late = self.is_late(now, wanted);
        if is_late || limit.is_some_and(|limit| silent >= limit) {
            return Some((silent, true));
        }
        let is_new = !self.is_told && silent >= patience.warn_after;
        self.is_told |= is_new;
        is_new.then_some((silent, false))
    }

    /// Should it have ended? A sync at the end may take its time, unless the
    /// run has to end now.
    fn is_late(&mut self, now: Instant, wanted: Expectation) -> bool {
        let must_end = match (wanted, self.at) {
            (Expectation::Work, _) | (Expectation::End, WorkerState::Syncing) => return false,
            (_, _) => *self.must_end.get_or_insert(now),
        };
        let since = self.moved.map_or(must_end, |moved| must_end.max(moved));
        // What is filled or synced is written in calls that last longer than that on a target that answers.
        let is_one_io = matches!(self.at, WorkerState::Preparing | WorkerState::Work);
        let is_silent = now.saturating_duration_since(must_end.max(self.heard.at)) >= AT_ONCE;
        let is_stalled = wanted == Expectation::EndAtOnce && is_one_io && is_silent;
        is_stalled || now.saturating_duration_since(since) >= ENDING
    }
}
