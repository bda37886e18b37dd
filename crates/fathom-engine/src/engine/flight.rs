//! I/Os in flight, by the stamp at which each is to complete.

use crate::clock::Clock;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    due: u64,
    /// Of I/Os with the same stamp, the one that was submitted first completes first.
    number: u64,
    slot: u32,
    result: i32,
}

/// The I/Os in flight, and those that have completed and are not yet reaped.
/// Their number never exceeds the depth that the value is made for.
#[derive(Debug)]
pub struct Flight {
    flying: BinaryHeap<Reverse<Flying>>,
    landed: VecDeque<(u32, i32)>,
    number: u64,
    /// When the last ones were reaped.
    reaped: u64,
}

impl Flight {
    pub fn new(depth: u32) -> Flight {
        let depth = depth as usize;
        Flight {
            flying: BinaryHeap::with_capacity(depth),
            landed: VecDeque::with_capacity(depth),
            number: 0,
            reaped: u64::MAX,
        }
    }

    pub fn start(&mut self, due: u64, slot: u32, result: i32) {
        self.flying.push(Reverse(Flying { due, number: self.number, slot, result }));
        self.number += 1;
    }

    pub fn land(&mut self, now: u64) {
        while let Some(Reverse(next)) = self.flying.peek().filter(|next| next.0.due <= now) {
            self.landed.push_back((next.slot, next.result));
            self.flying.pop();
        }
    }

    /// How many have completed and are not yet reaped.
    pub fn landed(&self) -> usize {
        self.landed.len()
    }

    pub fn next_due(&self) -> Option<u64> {
        self.flying.peek().map(|next| next.0.due)
    }

    /// Removes the I/O that completed first; returns its slot and result.
    fn take(&mut self) -> Option<(u32, i32)> {
        self.landed.pop_front()
    }

    /// Passes `count` completions to `done`. Where I/Os take no time at all, two reaps are a nanosecond apart; otherwise
    /// virtual time would not pass.
    pub fn reap(&mut self, clock: &Clock, count: usize, mut done: impl FnMut(u64, i32)) {
        for _ in 0..count {
            let Some((slot, result)) = self.take() else { break };
            done(u64::from(slot), result);
        }
        let now = clock.now();
        if now == self.reaped {
            clock.advance_to(now + 1);
        }
        self.reaped = now;
    }

    /// In virtual time, a look that began at `now` and found nothing would be repeated without end. So it lasts until
    /// `next`, when something may happen, or to `end`.
    pub fn let_time_pass(&self, clock: &Clock, now: u64, end: u64, next: Option<u64>) {
        if clock.is_virtual() && self.landed() == 0 && clock.now() == now {
            clock.advance_to(next.unwrap_or(u64::MAX).min(end).max(now + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_down_by_stamp_then_in_order() {
        let mut flight = Flight::new(4);
        for (due, slot) in [(30, 0), (10, 1), (30, 2), (20, 3)] {
            flight.start(due, slot, 4096);
        }
        flight.land(9);
        assert_eq!((flight.landed(), flight.next_due()), (0, Some(10)));
        flight.land(30);
        assert_eq!((flight.landed(), flight.next_due()), (4, None));
        let slots: Vec<u32> = std::iter::from_fn(|| flight.take()).map(|(slot, _)| slot).collect();
        assert_eq!(slots, [1, 3, 0, 2]);
    }

    #[test]
    fn its_memory_is_what_it_began_with() {
        let mut flight = Flight::new(8);
        let room = (flight.flying.capacity(), flight.landed.capacity());
        for turn in 0..1000u64 {
            (0..8).for_each(|slot| flight.start(turn + u64::from(slot) % 3, slot, 1));
            flight.land(turn + 3);
            while flight.take().is_some() {}
        }
        assert_eq!((flight.flying.capacity(), flight.landed.capacity()), room);
    }
}
