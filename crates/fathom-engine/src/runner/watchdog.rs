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

use super::patience::Patience;
use crate::worker::DRAIN_NS;
use std::time::{Duration, Instant};

/// How long a worker may take to end once it has to: a queue's own wait for
/// what is in flight, which names what it misses, comes first.
const ENDING: Duration = Duration::from_nanos(DRAIN_NS + 2_000_000_000);

/// An `fsync` of all that was written is a single call: it may be silent this
/// many times as long as one I/O.
const SYNC_FACTOR: u32 = 10;

/// Watches over the workers of a run.
#[derive(Debug)]
pub struct Watchdog {
    patience: Patience,
    pulses: Vec<Pulse>,
    /// All that was sent before is known.
    known_to: Instant,
}

/// What a worker is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Not started.
    Rest,
    /// Files, memory, the common start, `startdelay`.
    Preparing,
    /// I/O.
    Work,
    /// The sync at its end.
    Syncing,
    /// It ended, or was given up.
    End,
}

/// What is known of one worker.
#[derive(Clone, Copy, Debug)]
struct Pulse {
    at: At,
    /// The last sign of life.
    heard: Heard,
    /// Its thread's switches when it was last felt.
    switches: Option<u64>,
    /// Its silence was told.
    is_told: bool,
    /// Since when it should end.
    must_end: Option<Instant>,
    /// Its measured time so far, ns since the run began.
    measured_ns: Option<(u64, u64)>,
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
        let rest = Pulse {
            at: At::Rest,
            heard: now,
            switches: None,
            is_told: false,
            must_end: None,
            measured_ns: None,
        };
        Watchdog { patience, pulses: vec![rest; jobs], known_to: now.at }
    }

    /// A worker's thread starts.
    pub fn prepares(&mut self, job: usize, now: Heard) {
        self.enters(job, At::Preparing, now);
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

    /// It gave a sign of life; returns the length of a silence that was told.
    pub fn hears(&mut self, job: usize, now: Heard) -> Option<Duration> {
        let pulse = &mut self.pulses[job];
        let silent = now.at.saturating_duration_since(pulse.heard.at);
        (pulse.heard, pulse.switches) = (now, None);
        std::mem::take(&mut pulse.is_told).then_some(silent)
    }

    /// Those that have been silent for a while; true where a worker is at its
    /// I/O.
    pub fn quiet(&self, now: Instant) -> Vec<(usize, bool)> {
        let (known_to, a_while) = (self.known_to.min(now), self.patience.warn_after / 2);
        let is_quiet = |pulse: &Pulse| {
            let silent = known_to.saturating_duration_since(pulse.heard.at);
            !matches!(pulse.at, At::Rest | At::End) && silent >= a_while
        };
        let all = self.pulses.iter().enumerate().filter(|(_, pulse)| is_quiet(pulse));
        all.map(|(job, pulse)| (job, pulse.at == At::Work)).collect()
    }

    /// The state of a silent worker's thread, which may prove that it lives.
    pub fn feels(&mut self, job: usize, beat: Beat, now: Heard) -> Option<Duration> {
        let was_woken = self.pulses[job].switches.is_some_and(|before| before != beat.switches);
        let ended = if beat.is_runnable || was_woken { self.hears(job, now) } else { None };
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

impl Pulse {
    /// Its silence, and whether patience with it is over.
    fn look(
        &mut self,
        now: Instant,
        known_to: Instant,
        patience: Patience,
        wanted: Wanted,
    ) -> Option<(Duration, bool)> {
        let limit = match self.at {
            At::Rest | At::End => return None,
            At::Preparing | At::Work => patience.give_up_after,
            At::Syncing => patience.give_up_after.map(|limit| limit * SYNC_FACTOR),
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

    /// Should it have ended? An honest sync has its time, unless somebody
    /// wants the end now.
    fn is_late(&mut self, now: Instant, wanted: Wanted) -> bool {
        let must_end = match (wanted, self.at) {
            (Wanted::Work, _) | (Wanted::End, At::Syncing) => return false,
            (Wanted::End | Wanted::EndNow, _) => *self.must_end.get_or_insert(now),
        };
        now.saturating_duration_since(must_end) >= ENDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One worker under a clock of whole seconds.
    struct Case {
        start: Instant,
        dog: Watchdog,
    }

    impl Case {
        fn new() -> Case {
            let start = Instant::now();
            let mut case =
                Case { start, dog: Watchdog::new(1, Patience::USUAL, Heard { at: start, run_ns: 0 }) };
            case.dog.works(0, case.at(0));
            case
        }
        fn at(&self, second: u64) -> Heard {
            Heard { at: self.start + Duration::from_secs(second), run_ns: second * 1_000_000_000 }
        }
        /// What is told at a second: length in seconds, and whether it is over.
        fn look(&mut self, second: u64, wanted: Wanted) -> Vec<(u64, bool)> {
            let now = self.at(second).at;
            let told = self.dog.look(now, |_| wanted);
            told.iter().map(|s| (s.length.as_secs(), s.is_over)).collect()
        }
        fn know(&mut self, second: u64) -> &mut Case {
            let now = self.at(second).at;
            self.dog.caught_up(now);
            self
        }
    }

    #[test]
    fn silence_is_told_once_and_then_given_up() {
        let mut case = Case::new();
        assert_eq!(case.know(9).look(9, Wanted::Work), []);
        assert_eq!(case.know(10).look(10, Wanted::Work), [(10, false)]);
        assert_eq!(case.know(59).look(59, Wanted::Work), []);
        assert_eq!(case.know(60).look(60, Wanted::Work), [(60, true)]);
        case.dog.ended(0);
        assert_eq!(case.know(99).look(99, Wanted::EndNow), []);
    }

    #[test]
    fn who_answers_again_is_heard_and_may_fall_silent_again() {
        let mut case = Case::new();
        case.know(12).look(12, Wanted::Work);
        let (fourteen, fifteen) = (case.at(14), case.at(15));
        assert_eq!(case.dog.hears(0, fourteen), Some(Duration::from_secs(14)));
        assert_eq!(case.dog.hears(0, fifteen), None, "told once");
        assert_eq!(case.know(24).look(24, Wanted::Work), []);
        assert_eq!(case.know(25).look(25, Wanted::Work), [(10, false)]);
    }

    #[test]
    fn a_collector_that_is_behind_blames_nobody() {
        let mut case = Case::new();
        assert_eq!(case.know(5).look(100, Wanted::Work), []);
    }

    #[test]
    fn a_thread_that_is_woken_lives() {
        let mut case = Case::new();
        let start = case.at(0);
        case.dog.prepares(0, start);
        let mut feel = |second: u64, is_runnable: bool, switches: u64| {
            let now = case.at(second);
            case.know(second);
            let quiet = case.dog.quiet(now.at);
            if !quiet.is_empty() {
                case.dog.feels(0, Beat { is_runnable, switches }, now);
            }
            (quiet.len(), case.look(second, Wanted::Work))
        };
        assert_eq!(feel(4, false, 7), (0, vec![]));
        assert_eq!(feel(6, false, 7), (1, vec![]));
        assert_eq!(feel(9, false, 8), (1, vec![]), "woken between 6 and 9");
        assert_eq!(feel(18, true, 8), (1, vec![]), "runnable at 18");
        assert_eq!(feel(24, false, 8), (1, vec![]));
        assert_eq!(feel(28, false, 8), (1, vec![(10, false)]));
        assert_eq!(feel(78, false, 8), (1, vec![(60, true)]));
    }

    #[test]
    fn who_must_end_has_half_a_minute() {
        let mut case = Case::new();
        let start = case.at(0);
        case.dog.works(0, start);
        assert_eq!(case.look(500, Wanted::End), []);
        assert_eq!(case.look(531, Wanted::End), []);
        assert_eq!(case.look(532, Wanted::End), [(0, true)]);
    }

    #[test]
    fn a_sync_has_ten_times_as_long_unless_the_end_is_wanted_now() {
        let mut case = Case::new();
        let start = case.at(0);
        case.dog.syncs(0, start);
        assert_eq!(case.know(599).look(599, Wanted::End), [(599, false)]);
        assert_eq!(case.know(600).look(600, Wanted::End), [(600, true)]);
        assert_eq!(case.know(100).look(100, Wanted::EndNow), []);
        assert_eq!(case.know(132).look(132, Wanted::EndNow), [(132, true)]);
    }

    #[test]
    fn without_a_limit_only_an_end_that_is_wanted_ends_it() {
        let mut case = Case::new();
        case.dog.patience = Patience::of(Duration::ZERO);
        assert_eq!(case.know(10).look(10, Wanted::Work), [(10, false)]);
        assert_eq!(case.know(10_000).look(10_000, Wanted::Work), []);
        assert_eq!(case.look(10_000, Wanted::End), []);
        assert_eq!(case.look(10_032, Wanted::End), [(10_000, true)]);
    }
}
