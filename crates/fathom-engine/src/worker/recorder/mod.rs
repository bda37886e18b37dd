//! What a worker records: completed I/O goes into the tally, and the tally goes to
//! the collector when its window closes.
//!
//! The loop calls [`Recorder::add_row`] for equal completions and, when a stamp has
//! passed [`Recorder::next_stamp`], [`Recorder::turn`]; everything else happens
//! once per window.

mod end;
mod io;
#[cfg(test)]
mod tests;
mod windows;

pub use end::LeftOpen;
pub use io::Completed;
pub use windows::Turn;

use super::RunnerMessage;
use super::floor::Floor;
use super::timetable::Timetable;
use crate::clock::Clock;
use crate::drawn_priorities::DrawnPriorities;
use crate::log::LogBuffer;
use crate::pace::RampBytes;
use crate::tally::Tally;
use crate::{timeline, usage};
use fathom_job::direction::PerDirection;
use fathom_job::plan::Pace;
use fathom_job::units::Nanos;
use fathom_results::Phase;
use io::{TooSlow, watch_ns};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

/// Length of a window of the series: one second, as in `iostat 1`.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// How long a worker with a virtual clock waits for the collector. Without a wait
/// it would lose windows, because hours of them pass in a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Counts a worker's I/O into windows.
pub struct Recorder {
    pub clock: Clock,
    job: u32,
    tally: Box<Tally>,
    spare: Receiver<Box<Tally>>,
    back: SyncSender<Box<Tally>>,
    out: SyncSender<RunnerMessage>,
    times: Timetable,
    window_start: u64,
    log: Option<LogBuffer>,
    is_logging: bool,
    /// Each I/O is recorded by itself: it is logged, or counts for its priority too.
    is_one_by_one: bool,
    /// The priority of the job's thread, as ioprio_set(2) encodes it.
    priority: u16,
    /// Those that the engine draws for single I/Os.
    drawn: Option<DrawnPriorities>,
    /// Stamp of the start of the measured window.
    measured_from: Option<u64>,
    /// Stamp of its end, once the drain has begun.
    measured_to: Option<u64>,
    last_completion: u64,
    usage_from: usage::CpuReading,
    /// What the thread had used when the last I/O was done, and the stamp of that.
    usage_to: Option<(usage::CpuReading, u64)>,
    latency_max: PerDirection<Option<Nanos>>,
    /// An I/O with this latency or more is looked at more closely: just above the least
    /// `max_latency`, or 0 if I/Os go to a log or their bytes end the ramp.
    watch_ns: u64,
    /// The bytes that end the ramp, until it is over.
    ramp_bytes: Option<RampBytes>,
    /// What `watch_ns` is from then on.
    watch_after_ramp_ns: u64,
    too_slow: Option<TooSlow>,
    floor: Floor,
    /// The job has ended, and waits for what is in flight.
    is_draining: bool,
}

pub struct RecorderParts {
    pub clock: Clock,
    pub job: u32,
    /// Empty tallies: one in use, the others to swap in.
    #[allow(clippy::vec_box, reason = "a tally is handed over as the box that it is in")]
    pub tallies: Vec<Box<Tally>>,
    pub out: SyncSender<RunnerMessage>,
    pub ramp_ns: u64,
    /// The bytes that end the ramp, where that is asked for.
    pub ramp_bytes: Option<RampBytes>,
    pub runtime_ns: Option<u64>,
    pub log: Option<LogBuffer>,
    /// The pace, with the limits that the job must keep.
    pub pace: Pace,
    /// The priority of the job's thread, as ioprio_set(2) encodes it.
    pub priority: u16,
}

impl Recorder {
    /// A recorder that has not begun.
    ///
    /// # Panics
    /// Without a tally; the worker always makes some.
    pub fn new(mut parts: RecorderParts) -> Recorder {
        let (back, spare) = std::sync::mpsc::sync_channel(parts.tallies.len() + 1);
        let tally = parts.tallies.pop().unwrap_or_else(|| unreachable!("a worker has at least one tally"));
        for other in parts.tallies {
            let _ = back.try_send(other);
        }
        let clock = parts.clock;
        let ticks = |ns| clock.ticks(ns);
        let is_logging = parts.log.is_some();
        let watch_after_ramp_ns = if is_logging { 0 } else { watch_ns(&parts.pace) };
        Recorder {
            clock,
            job: parts.job,
            tally,
            spare,
            back,
            out: parts.out,
            times: Timetable::new(ticks(WINDOW_NS), ticks(parts.ramp_ns), parts.runtime_ns.map(ticks)),
            window_start: 0,
            is_logging,
            is_one_by_one: is_logging,
            priority: parts.priority,
            drawn: None,
            log: parts.log,
            measured_from: None,
            measured_to: None,
            last_completion: 0,
            usage_from: usage::CpuReading::default(),
            usage_to: None,
            latency_max: parts.pace.latency_max,
            watch_ns: if parts.ramp_bytes.is_some() { 0 } else { watch_after_ramp_ns },
            ramp_bytes: parts.ramp_bytes,
            watch_after_ramp_ns,
            too_slow: None,
            floor: Floor::new(&parts.pace),
            is_draining: false,
        }
    }

    /// The engine may draw priorities of single I/Os.
    pub fn take_priorities_from(&mut self, drawn: Option<DrawnPriorities>) {
        self.is_one_by_one = self.is_logging || drawn.is_some();
        self.drawn = drawn;
    }

    /// The first I/O is about to be issued; returns the stamp of the start.
    pub fn begin(&mut self) -> u64 {
        let now = self.clock.now();
        (self.window_start, self.last_completion) = (now, now);
        match self.times.begin(now) {
            Phase::Measure => self.begin_measure(now),
            phase => self.say_phase(phase, now),
        }
        now
    }

    /// The measured window begins at `boundary`, which is the stamp that was
    /// planned, and not the stamp at which the loop noticed it.
    fn begin_measure(&mut self, boundary: u64) {
        self.times.begin_measure(boundary);
        self.measured_from = Some(boundary);
        self.ramp_bytes = None;
        self.watch_ns = self.watch_after_ramp_ns;
        (self.window_start, self.last_completion) = (boundary, boundary);
        self.usage_from = self.used();
        if let Some(log) = &mut self.log {
            log.begin();
        }
        self.say_phase(Phase::Measure, boundary);
    }

    /// Sends a message. In virtual time the collector takes it before the worker goes on,
    /// because they share a thread.
    fn tell(&self, message: RunnerMessage) {
        let _ = self.out.send(message);
        if self.clock.is_virtual() {
            timeline::let_take();
        }
    }

    /// What the worker has used so far; nothing in virtual time, where that belongs to
    /// the machine and differs from run to run.
    fn used(&self) -> usage::CpuReading {
        if self.clock.is_virtual() { usage::CpuReading::default() } else { usage::now() }
    }

    fn say_phase(&self, phase: Phase, stamp: u64) {
        let at_ns = self.clock.since_origin(stamp);
        self.tell(RunnerMessage::Phase { job: self.job, phase, at_ns });
    }

    /// The stamp at which [`Recorder::turn`] must be called.
    #[inline(always)]
    pub fn next_stamp(&self) -> u64 {
        self.times.next()
    }

    #[inline(always)]
    pub fn time_left_ns(&self, now: u64) -> u64 {
        self.clock.nanos(self.times.next().saturating_sub(now))
    }

    /// Ns from the last completion, or the start, to `now`.
    pub fn idle_ns(&self, now: u64) -> u64 {
        self.clock.nanos(now.saturating_sub(self.last_completion))
    }

    #[inline(always)]
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    #[inline(always)]
    pub fn is_one_by_one(&self) -> bool {
        self.is_one_by_one
    }

    /// The ramp ends at `now`, before its time.
    #[cold]
    pub fn end_ramp(&mut self, now: u64) {
        self.times.end_ramp(now);
    }

    pub fn is_in_ramp(&self) -> bool {
        self.times.phase() == Phase::Ramp
    }

    /// Stamp of the start of the measured window, once it has begun.
    pub fn measured_from(&self) -> Option<u64> {
        self.measured_from
    }
}
