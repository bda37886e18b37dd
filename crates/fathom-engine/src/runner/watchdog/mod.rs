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

mod pulse;
#[cfg(test)]
mod tests;

use super::patience::Patience;
use pulse::Pulse;
pub use pulse::WorkerState;
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
