//! Who has not answered, and for how long.
//!
//! A measuring worker is heard at least once a second: its loop closes its
//! windows on time, whatever it waits for. So one that sends nothing is inside
//! a system call that does not return; and a queued engine whose windows show
//! neither submission nor completion has I/O in flight that does not end. Where
//! no windows come (before the first I/O, in a sync at the end), the kernel
//! tells whether the thread was woken at all: who reads, allocates or waits for
//! the common start is, now and then.
//!
//! Pure: told what was heard and what time it is, asked who is to be told of.
//! Silence counts up to the last moment at which the collector had read all
//! that was sent, so a collector that is behind does not blame the workers.

mod pulse;
#[cfg(test)]
mod tests;

use super::patience::Patience;
pub use pulse::At;
use pulse::Pulse;
use std::time::{Duration, Instant};

/// Watches over the workers of a run.
#[derive(Debug)]
pub struct Watchdog {
    patience: Patience,
    pulses: Vec<Pulse>,
    /// All that was sent before is known.
    known_to: Instant,
}

/// What the kernel tells of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// It runs, or would if it had a CPU.
    pub is_runnable: bool,
    /// How often it was put to sleep or preempted so far.
    pub switches: u64,
}

/// A moment on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Real time, which patience is measured in.
    pub at: Instant,
    /// The run's clock, ns since it began.
    pub run_ns: u64,
}

/// Something to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Whose.
    pub job: usize,
    /// How long.
    pub length: Duration,
    /// Its begin, ns since the run began.
    pub since_ns: u64,
    /// The patience with it is over.
    pub is_over: bool,
}

/// What the run wants of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To go on.
    Work,
    /// To end: its time is over, or another job's end ends it.
    End,
    /// To end now: somebody asked, or the run failed.
    EndNow,
}

impl Watchdog {
    /// Over so many workers.
    pub fn new(jobs: usize, patience: Patience, now: Heard) -> Watchdog {
        Watchdog { patience, pulses: vec![Pulse::at_rest(now); jobs], known_to: now.at }
    }

    /// A worker's thread starts.
    pub fn prepares(&mut self, job: usize, now: Heard) {
        self.enters(job, At::Preparing, now);
    }

    /// Data is written into its files, which tells of its progress itself;
    /// returns the length of a silence that was told.
    pub fn fills(&mut self, job: usize, now: Heard) -> Option<Duration> {
        let told = self.hears(job, now);
        self.enters(job, At::Filling, now);
        told
    }

    /// Its files are laid out, and it waits for its start.
    pub fn rests(&mut self, job: usize) {
        self.pulses[job].at = At::Rest;
    }

    /// It begins to do I/O.
    pub fn works(&mut self, job: usize, now: Heard) {
        self.enters(job, At::Work, now);
    }

    /// It syncs what it wrote, and will be silent meanwhile.
    pub fn syncs(&mut self, job: usize, now: Heard) {
        self.enters(job, At::Syncing, now);
    }

    fn enters(&mut self, job: usize, at: At, now: Heard) {
        let pulse = &mut self.pulses[job];
        (pulse.at, pulse.heard, pulse.switches, pulse.is_told) = (at, now, None, false);
    }

    /// Its I/O moved on; returns the length of a silence that was told.
    pub fn hears(&mut self, job: usize, now: Heard) -> Option<Duration> {
        self.pulses[job].moved = Some(now.at);
        self.lives(job, now)
    }

    /// It gave a sign of life.
    fn lives(&mut self, job: usize, now: Heard) -> Option<Duration> {
        let pulse = &mut self.pulses[job];
        let silent = now.at.saturating_duration_since(pulse.heard.at);
        (pulse.heard, pulse.switches) = (now, None);
        std::mem::take(&mut pulse.is_told).then_some(silent)
    }

    /// Those that have been silent for a while, and what they are at.
    pub fn quiet(&self, now: Instant) -> Vec<(usize, At)> {
        let (known_to, a_while) = (self.known_to.min(now), self.patience.warn_after / 2);
        let is_quiet = |pulse: &Pulse| {
            let silent = known_to.saturating_duration_since(pulse.heard.at);
            !matches!(pulse.at, At::Rest | At::End) && silent >= a_while
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

    /// A window of its measured time.
    pub fn measured(&mut self, job: usize, from_ns: u64, to_ns: u64) {
        let from_ns = self.pulses[job].measured_ns.map_or(from_ns, |(from, _)| from);
        self.pulses[job].measured_ns = Some((from_ns, to_ns));
    }

    /// It ended, or was given up.
    pub fn ended(&mut self, job: usize) {
        self.pulses[job].at = At::End;
    }

    /// Is it over with this worker?
    pub fn has_ended(&self, job: usize) -> bool {
        self.pulses[job].at == At::End
    }

    /// Its measured time as far as windows tell, ns since the run began.
    pub fn measured_ns(&self, job: usize) -> Option<(u64, u64)> {
        self.pulses[job].measured_ns
    }

    /// When each worker's measured time began.
    pub fn measured_from_ns(&self) -> Vec<Option<u64>> {
        self.pulses.iter().map(|pulse| pulse.measured_ns.map(|(from, _)| from)).collect()
    }

    /// All that was sent before `now` has been read.
    pub fn caught_up(&mut self, now: Instant) {
        self.known_to = now;
    }

    /// Those whose silence is new or whose patience is over.
    pub fn look(&mut self, now: Instant, wanted: impl Fn(usize) -> Wanted) -> Vec<Silence> {
        let (known_to, patience) = (self.known_to, self.patience);
        let one = |(job, pulse): (usize, &mut Pulse)| {
            let (length, is_over) = pulse.look(now, known_to, patience, wanted(job))?;
            Some(Silence { job, length, since_ns: pulse.heard.run_ns, is_over })
        };
        self.pulses.iter_mut().enumerate().filter_map(one).collect()
    }
}
