//! The common start: no worker begins before all are ready. Where there are more
//! workers than CPUs, no worker goes on before all have begun.
//!
//! It is a barrier that a worker can leave: a worker that cannot be prepared,
//! or not even started, drops its [`Ticket`], and the others do not wait for
//! it. A worker that is asked to stop does not wait any longer either.
//!
//! With a thousand workers on two CPUs, the first to go would use up both CPUs. The
//! time slices of all workers together take seconds, and the last would begin when
//! the first are about to end. This is why there is a second wait. It is also why
//! there is no lock: a worker that was preempted while it held one would hold up
//! all others for that time. The last worker to arrive opens the gate with one
//! call, and each worker that wakes reads one word.

use crate::sink::Stop;
use rustix::thread::futex::{self, Timespec};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

/// How often a waiting thread checks whether it is asked to stop.
pub const LOOK: Duration = Duration::from_millis(50);

/// The same for workers in front of the gate, which may be a thousand.
const LOOK_AT_GATE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

const SHUT: u32 = 0;
const OPEN: u32 = 1;

/// Opens when all have arrived.
#[derive(Debug)]
struct Latch {
    missing: AtomicUsize,
    /// [`SHUT`] or [`OPEN`]: what waiting threads sleep on.
    state: AtomicU32,
}

/// The two steps that all workers make together.
#[derive(Debug)]
struct Gate {
    ready: Latch,
    begun: Latch,
    /// More workers than CPUs.
    is_crowded: bool,
}

/// The right to pass a gate. It is dropped by a worker that does not pass.
#[derive(Debug)]
pub struct Ticket {
    gate: Arc<Gate>,
    is_used: bool,
}

/// Tickets for a gate that opens when all of them were used or dropped.
pub fn tickets(count: usize) -> Vec<Ticket> {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let latch = || Latch { missing: AtomicUsize::new(count), state: AtomicU32::new(SHUT) };
    let gate = Arc::new(Gate { ready: latch(), begun: latch(), is_crowded: count > cpus });
    (0..count).map(|_| Ticket { gate: gate.clone(), is_used: false }).collect()
}

impl Ticket {
    /// Waits until all others are ready too, or `stop` is requested.
    pub fn ready(&mut self, stop: &Stop) {
        self.is_used = true;
        self.gate.ready.arrive();
        self.gate.ready.wait(stop);
    }

    /// This worker has begun. Waits until all others have, where they need its
    /// CPU for that, or `stop` is requested.
    pub fn begun(self, stop: &Stop) {
        let gate = self.gate.clone();
        drop(self);
        if gate.is_crowded {
            gate.begun.wait(stop);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_used {
            self.gate.ready.arrive();
        }
        self.gate.begun.arrive();
    }
}

impl Latch {
    fn arrive(&self) {
        if self.missing.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.state.store(OPEN, Ordering::Release);
            let _ = futex::wake(&self.state, futex::Flags::PRIVATE, i32::MAX as u32);
        }
    }

    fn wait(&self, stop: &Stop) {
        while self.state.load(Ordering::Acquire) == SHUT && stop.requested().is_none() {
            // However it ends, the state says whether the gate is open.
            let _ = futex::wait(&self.state, futex::Flags::PRIVATE, SHUT, Some(&LOOK_AT_GATE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::StopReason;

    #[test]
    fn all_wait_for_the_last_and_go_on_together() {
        let (ready, begun, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), Stop::default());
        // More than any machine has CPUs.
        let count = 1500;
        std::thread::scope(|scope| {
            for (at, mut ticket) in tickets(count).into_iter().enumerate() {
                let (ready, begun, stop) = (&ready, &begun, &stop);
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_micros(10 * (at % 100) as u64));
                    ready.fetch_add(1, Ordering::SeqCst);
                    ticket.ready(stop);
                    assert_eq!(ready.load(Ordering::SeqCst), count);
                    begun.fetch_add(1, Ordering::SeqCst);
                    ticket.begun(stop);
                    assert_eq!(begun.load(Ordering::SeqCst), count);
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_dropped_ticket() {
        let mut all = tickets(1500);
        all.truncate(2);
        let (stop, mut one) = (Stop::default(), all.remove(0));
        let mut other = all.remove(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                one.ready(&stop);
                one.begun(&stop);
            });
            other.ready(&stop);
            drop(other);
        });
    }

    #[test]
    fn a_request_to_stop_opens_the_gate() {
        let (stop, mut both) = (Stop::default(), tickets(2));
        stop.request(StopReason::Interrupt);
        both[0].ready(&stop);
        both.remove(0).begun(&stop);
        assert_eq!(both.len(), 1, "the other never came");
    }
}
