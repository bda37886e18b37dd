//! Think time: pauses between I/Os, without draining what is in flight.

use crate::clock::Clock;
use fathom_job::plan::{Think, ThinkCounts};

/// A job's pauses, in ticks.
#[derive(Debug)]
pub struct Pauses {
    pause: u64,
    spin: u64,
    every: u64,
    counts: ThinkCounts,
    io_time: Option<u64>,
    /// I/Os since the last pause.
    count: u64,
    /// With `io_time`: the stamp at which the next pause begins.
    next: u64,
}

/// A pause that begins now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Nothing starts before this stamp.
    pub until: u64,
    /// The thread spins until this stamp.
    pub spin_until: u64,
}

impl Pauses {
    pub fn new(think: &Think, clock: &Clock) -> Pauses {
        let ticks = |ns| clock.ticks(ns);
        Pauses {
            pause: ticks(think.pause.0),
            spin: ticks(think.spin.0),
            every: think.every,
            counts: think.counts,
            io_time: think.io_time.map(|time| ticks(time.0)),
            count: 0,
            next: u64::MAX,
        }
    }

    /// The first I/O is about to start.
    pub fn begin(&mut self, now: u64) {
        self.count = 0;
        self.next = self.io_time.map_or(u64::MAX, |time| now.saturating_add(time));
    }

    /// Length of a pause, ticks.
    pub fn length(&self) -> u64 {
        self.pause
    }

    /// I/Os that may start before the next pause. Where completions count, I/Os in
    /// flight count too; otherwise a deep queue would skip the pause.
    pub fn room(&self, in_flight: u32) -> usize {
        let taken = match self.counts {
            ThinkCounts::Issue => self.count,
            ThinkCounts::Completion => self.count + u64::from(in_flight),
        };
        usize::try_from(self.every.saturating_sub(taken)).unwrap_or(usize::MAX)
    }

    /// Counts `count` I/Os that were issued; returns the pause that follows, if any.
    pub fn issued(&mut self, count: usize, now: u64) -> Option<Pause> {
        (self.counts == ThinkCounts::Issue).then(|| self.count(count, now)).flatten()
    }

    /// Counts `count` I/Os that completed; returns the pause that follows, if any.
    pub fn completed(&mut self, count: usize, now: u64) -> Option<Pause> {
        (self.counts == ThinkCounts::Completion).then(|| self.count(count, now)).flatten()
    }

    fn count(&mut self, count: usize, now: u64) -> Option<Pause> {
        self.count = self.count.saturating_add(count as u64);
        (self.count >= self.every || now >= self.next).then(|| {
            let until = now.saturating_add(self.pause);
            self.begin(until);
            Pause { until, spin_until: now.saturating_add(self.spin) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::units::Nanos;

    fn pauses(every: u64, counts: ThinkCounts, io_time: Option<u64>) -> Pauses {
        let clock = Clock::calibrate(false);
        let think = Think { pause: Nanos(100), spin: Nanos(30), every, counts, io_time: io_time.map(Nanos) };
        let mut pauses = Pauses::new(&think, &clock);
        pauses.begin(1000);
        pauses
    }

    #[test]
    fn a_pause_comes_after_so_many_issued() {
        let mut pauses = pauses(4, ThinkCounts::Issue, None);
        assert_eq!(pauses.room(9), 4);
        assert_eq!(pauses.issued(3, 1010), None);
        assert_eq!(pauses.room(9), 1);
        assert_eq!(pauses.completed(3, 1015), None, "completions do not count here");
        assert_eq!(pauses.issued(1, 1020), Some(Pause { until: 1120, spin_until: 1050 }));
        assert_eq!(pauses.room(0), 4);
    }

    #[test]
    fn where_completions_count_what_is_in_flight_does_too() {
        let mut pauses = pauses(4, ThinkCounts::Completion, None);
        assert_eq!((pauses.room(0), pauses.room(3), pauses.room(4)), (4, 1, 0));
        assert_eq!(pauses.completed(4, 1500).unwrap().until, 1600);
    }

    #[test]
    fn a_pause_may_come_by_time() {
        let mut pauses = pauses(u64::MAX, ThinkCounts::Completion, Some(500));
        assert_eq!(pauses.completed(50, 1499), None);
        assert_eq!(pauses.completed(1, 1500).unwrap().until, 1600);
        assert_eq!(pauses.completed(50, 2099), None, "counted from the end of the pause");
        assert!(pauses.completed(1, 2100).is_some());
    }
}
