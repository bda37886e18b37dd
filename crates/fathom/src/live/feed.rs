//! What frames leave for the view.
//!
//! The thread that delivers frames also saves them, so it must not wait for anybody here. What may
//! not be lost, such as the state of a worker, is a store into an atomic number. A worker's last
//! window, whose latencies take some hundred bytes, goes into a queue of limited length, and is
//! dropped if the queue is full.

use super::last_window::LastWindow;
use super::pauses::is_meant_to_pause;
use fathom_job::plan::Plan;
use fathom_results::{Frame, Phase, Window};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What a worker does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Doing {
    Waits,
    Prepares,
    Ramps,
    Measures,
    Drains,
    Ended,
}

impl Doing {
    const ALL: [Doing; 6] =
        [Self::Waits, Self::Prepares, Self::Ramps, Self::Measures, Self::Drains, Self::Ended];

    /// Whether it starts I/O.
    pub fn runs(self) -> bool {
        matches!(self, Self::Ramps | Self::Measures)
    }
}

impl From<Phase> for Doing {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Prepare => Self::Prepares,
            Phase::Ramp => Self::Ramps,
            Phase::Measure => Self::Measures,
            Phase::Drain => Self::Drains,
        }
    }
}

/// The numbers of one worker.
#[derive(Default)]
struct Worker {
    state: AtomicU8,
    /// When this state began, ns since the start of the run.
    since_ns: AtomicU64,
    /// Bytes moved in measured windows.
    bytes: AtomicU64,
    /// I/Os that failed.
    errors: AtomicU64,
    /// Time of measured windows in which nothing completed, ns.
    still_ns: AtomicU64,
    /// An empty second is no surprise.
    is_meant_to_pause: bool,
}

/// What frames leave for the view.
pub struct Feed {
    workers: Vec<Worker>,
    /// The latest time in a frame, ns since the start of the run.
    latest_ns: AtomicU64,
    /// `None` if nobody shows them.
    windows: Option<SyncSender<LastWindow>>,
}

/// A window shorter than this is the last one, cut by the end of the job.
const WINDOW_NS_MIN: u64 = 500_000_000;

/// Windows that the queue can take for each worker: a second's, and some that come late.
const WINDOWS_EACH: usize = 2;
const WINDOWS_MIN: usize = 64;
const WINDOWS_MAX: usize = 4096;

impl Feed {
    /// The feed of a run of this plan, and the queue of its windows, which stays empty unless the
    /// run is shown.
    pub fn of(plan: &Plan, is_shown: bool) -> (Feed, Receiver<LastWindow>) {
        let room = (plan.jobs.len() * WINDOWS_EACH).clamp(WINDOWS_MIN, WINDOWS_MAX);
        let (windows, queue) = sync_channel(room);
        let worker = |job| Worker { is_meant_to_pause: is_meant_to_pause(job), ..Worker::default() };
        let workers = plan.jobs.iter().map(worker).collect();
        let windows = is_shown.then_some(windows);
        (Feed { workers, latest_ns: AtomicU64::new(0), windows }, queue)
    }

    /// Takes the numbers of a frame. It never waits.
    pub fn frame(&self, frame: &Frame) {
        match frame {
            Frame::Window(window) => self.window(window),
            Frame::Phase { job, phase, at_ns } => self.enters(*job, (*phase).into(), *at_ns),
            Frame::Ended(outcome) => self.enters(outcome.job, Doing::Ended, outcome.at_ns),
            Frame::Event(_) | Frame::SampleTables(_) | Frame::Sample(_) => {}
        }
    }

    fn enters(&self, job: u32, state: Doing, at_ns: u64) {
        self.latest_ns.fetch_max(at_ns, Relaxed);
        if let Some(worker) = self.workers.get(job as usize) {
            worker.since_ns.store(at_ns, Relaxed);
            worker.state.store(state as u8, Relaxed);
        }
    }

    fn window(&self, window: &Window) {
        self.latest_ns.fetch_max(window.end_ns, Relaxed);
        let Some(worker) = self.workers.get(window.job as usize) else { return };
        let sum = |of: fn(&fathom_results::DirectionWindow) -> u64| -> u64 {
            window.directions.iter().map(|(_, done)| of(done)).sum()
        };
        let (ios, errors) = (sum(|done| done.ios), sum(|done| done.errors));
        worker.errors.fetch_add(errors, Relaxed);
        if window.phase == Phase::Measure {
            worker.bytes.fetch_add(sum(|done| done.bytes), Relaxed);
            let length_ns = window.end_ns - window.start_ns;
            if ios + errors == 0 && length_ns >= WINDOW_NS_MIN && !worker.is_meant_to_pause {
                worker.still_ns.fetch_add(length_ns, Relaxed);
            }
        }
        // If the queue is full, the view shows an older window of this worker for a moment.
        let _ = self.windows.as_ref().map(|windows| windows.try_send(LastWindow::of(window)));
    }

    /// What a worker does.
    pub fn state(&self, job: u32) -> Doing {
        let state = self.workers.get(job as usize).map_or(0, |worker| worker.state.load(Relaxed));
        Doing::ALL[usize::from(state)]
    }

    /// When the worker's state began, ns since the start of the run.
    pub fn since_ns(&self, job: u32) -> u64 {
        self.workers.get(job as usize).map_or(0, |worker| worker.since_ns.load(Relaxed))
    }

    /// Bytes that the worker moved in measured windows.
    pub fn bytes(&self, job: u32) -> u64 {
        self.workers.get(job as usize).map_or(0, |worker| worker.bytes.load(Relaxed))
    }

    /// I/Os of all workers that failed.
    pub fn errors(&self) -> u64 {
        self.workers.iter().map(|worker| worker.errors.load(Relaxed)).sum()
    }

    /// The worker that stood still for longest, and for how long.
    pub fn longest_still(&self) -> Option<(u32, u64)> {
        let still = self.workers.iter().map(|worker| worker.still_ns.load(Relaxed));
        (0..).zip(still).filter(|(_, ns)| *ns > 0).max_by_key(|(_, ns)| *ns)
    }

    /// The latest time in a frame, ns since the start of the run.
    pub fn latest_ns(&self) -> u64 {
        self.latest_ns.load(Relaxed)
    }
}
