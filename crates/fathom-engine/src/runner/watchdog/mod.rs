//! Which workers get no answer from their targets, and for how long.
//!
//! A measuring worker sends a message at least once a second: its loop closes its
//! windows on time, even while it waits for I/O. So a worker that sends nothing is
//! inside a system call that does not return. A queued engine whose windows show
//! no submission and no completion has I/O in flight that does not end. Where
//! no windows come (before the first I/O, in a sync at the end), the kernel
//! tells whether the thread was woken at all. A thread that reads, allocates or
//! waits for the common start is woken now and then.
//!
//! The collector acts on the answers, in `runner/silence.rs`: it reports a silence, and gives a worker up
//! after a time. This module is pure: its caller reports events with their time, and asks which
//! silences to report. Silence counts up to the last moment at which the collector
//! had read all messages, so workers are not blamed when the collector is late.

#[cfg(test)]
mod tests;

use crate::worker::DRAIN_NS;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Watchdog {
    patience: Patience,
    pulses: Vec<Pulse>,
    /// All messages that were sent before this time have been read.
    known_to: Instant,
}

/// What the kernel reports about a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The thread runs, or would run if it had a CPU.
    pub is_runnable: bool,
    /// How often it was put to sleep or preempted so far.
    pub switches: u64,
}

/// A time on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Real time, in which patience is measured.
    pub at: Instant,
    /// The run's clock, ns since it began.
    pub run_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Plan id of the worker.
    pub job: usize,
    pub length: Duration,
    /// Its beginning, ns since the run began.
    pub since_ns: u64,
    /// The worker is to be given up.
    pub is_over: bool,
}

/// What the run expects of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    Work,
    /// To end: its time is over, or another job's end ends it.
    End,
    /// To end now, because the run failed.
    EndNow,
    /// To end now, because a person asked for it, who waits.
    EndAtOnce,
}

impl Watchdog {
    pub fn new(jobs: usize, patience: Patience, now: Heard) -> Watchdog {
        Watchdog { patience, pulses: vec![Pulse::at_rest(now); jobs], known_to: now.at }
    }

    /// A worker's thread starts.
    pub fn prepares(&mut self, job: usize, now: Heard) {
        self.enters(job, WorkerState::Preparing, now);
    }

    /// Data is written into its files. The layout reports that progress itself.
    /// Returns the length of the silence that ends, if it was reported.
    pub fn fills(&mut self, job: usize, now: Heard) -> Option<Duration> {
        let told = self.hears(job, now);
        self.enters(job, WorkerState::Filling, now);
        told
    }

    /// Its files are laid out, and it waits for its start.
    pub fn rests(&mut self, job: usize) {
        self.pulses[job].at = WorkerState::Rest;
    }

    /// It begins to do I/O.
    pub fn works(&mut self, job: usize, now: Heard) {
        self.enters(job, WorkerState::Work, now);
    }

    /// It syncs what it wrote, and is silent during that.
    pub fn syncs(&mut self, job: usize, now: Heard) {
        self.enters(job, WorkerState::Syncing, now);
    }

    fn enters(&mut self, job: usize, at: WorkerState, now: Heard) {
        let pulse = &mut self.pulses[job];
        (pulse.at, pulse.heard, pulse.switches, pulse.is_told) = (at, now, None, false);
    }

    /// Its I/O goes on. Returns the length of the silence that ends, if it was reported.
    pub fn hears(&mut self, job: usize, now: Heard) -> Option<Duration> {
        self.pulses[job].moved = Some(now.at);
        self.lives(job, now)
    }

    fn lives(&mut self, job: usize, now: Heard) -> Option<Duration> {
        let pulse = &mut self.pulses[job];
        let silent = now.at.saturating_duration_since(pulse.heard.at);
        (pulse.heard, pulse.switches) = (now, None);
        std::mem::take(&mut pulse.is_told).then_some(silent)
    }

    /// The workers that have been silent for a while, and what each of them does; where a person waits for the end, all.
    pub fn quiet(&self, now: Instant, is_waited_for: bool) -> Vec<(usize, WorkerState)> {
        let a_while = if is_waited_for { Duration::ZERO } else { self.patience.warn_after / 2 };
        let known_to = self.known_to.min(now);
        let is_quiet = |pulse: &Pulse| {
            let silent = known_to.saturating_duration_since(pulse.heard.at);
            !matches!(pulse.at, WorkerState::Rest | WorkerState::End) && silent >= a_while
        };
        let all = self.pulses.iter().enumerate().filter(|(_, pulse)| is_quiet(pulse));
        all.map(|(job, pulse)| (job, pulse.at)).collect()
    }

    /// The state of a silent worker's thread, which may prove that it lives.
    pub fn ran(&mut self, job: usize, beat: Beat, now: Heard) -> Option<Duration> {
        let was_woken = self.pulses[job].switches.is_some_and(|before| before != beat.switches);
        let ended = if beat.is_runnable || was_woken { self.lives(job, now) } else { None };
        self.pulses[job].switches = Some(beat.switches);
        ended
    }

    pub fn measured(&mut self, job: usize, from_ns: u64, to_ns: u64) {
        let from_ns = self.pulses[job].measured_ns.map_or(from_ns, |(from, _)| from);
        self.pulses[job].measured_ns = Some((from_ns, to_ns));
    }

    pub fn ended(&mut self, job: usize) {
        self.pulses[job].at = WorkerState::End;
    }

    pub fn has_ended(&self, job: usize) -> bool {
        self.pulses[job].at == WorkerState::End
    }

    /// Its measured time as far as its windows show, ns since the run began.
    pub fn measured_ns(&self, job: usize) -> Option<(u64, u64)> {
        self.pulses[job].measured_ns
    }

    /// When each worker's measured time began.
    pub fn measured_from_ns(&self) -> Vec<Option<u64>> {
        self.pulses.iter().map(|pulse| pulse.measured_ns.map(|(from, _)| from)).collect()
    }

    /// Nobody ran for so long, the collector neither: a signal stopped the process, or the machine paused. That time is no
    /// silence of a target.
    pub fn halted(&mut self, length: Duration) {
        self.pulses.iter_mut().for_each(|pulse| pulse.halted(length));
    }

    /// All messages that were sent before `now` have been read.
    pub fn caught_up(&mut self, now: Instant) {
        self.known_to = now;
    }

    /// The silences that are new, and those of workers that are to be given up.
    pub fn silences(&mut self, now: Instant, wanted: impl Fn(usize) -> Expectation) -> Vec<Silence> {
        let (known_to, patience) = (self.known_to, self.patience);
        let one = |(job, pulse): (usize, &mut Pulse)| {
            let (length, is_over) = pulse.silence(now, known_to, patience, wanted(job))?;
            Some(Silence { job, length, since_ns: pulse.heard.run_ns, is_over })
        };
        self.pulses.iter_mut().enumerate().filter_map(one).collect()
    }
}

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
struct Pulse {
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

/// When a silence is reported, and when it ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// A worker is reported when its target has not answered for this time.
    pub warn_after: Duration,
    /// A worker is given up after this time; `None`: only after a request to stop
    /// the run.
    pub give_up_after: Option<Duration>,
}

impl Patience {
    /// Twice the block layer's time-out of one request (30 s). A queue of an NVMe
    /// device may take that long with one retry.
    pub const USUAL: Patience =
        Patience { warn_after: Duration::from_secs(10), give_up_after: Some(Duration::from_secs(60)) };

    /// Gives a target up after `limit`, and reports it earlier; with zero it never gives up.
    pub fn of(limit: Duration) -> Patience {
        let warn_after = match limit {
            Duration::ZERO => Self::USUAL.warn_after,
            limit => Self::USUAL.warn_after.min(limit / 2),
        };
        Patience { warn_after, give_up_after: (!limit.is_zero()).then_some(limit) }
    }
}
