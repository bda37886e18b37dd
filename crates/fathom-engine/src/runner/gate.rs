//! The common start: nobody begins before everybody is ready.
//!
//! A barrier from which one can step back: a worker that cannot be prepared,
//! or not even started, drops its [`Ticket`], and the others do not wait for
//! it. Nor does one wait on when it is asked to stop.

use crate::sink::Stop;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often who waits looks whether it is asked to stop.
pub const LOOK: Duration = Duration::from_millis(50);

/// How many are still to come.
#[derive(Debug)]
struct Gate {
    missing: Mutex<usize>,
    opened: Condvar,
}

/// The right to pass a gate, and the duty to say so when one does not.
#[derive(Debug)]
pub struct Ticket(Arc<Gate>);

/// Tickets for a gate that opens when all of them were used or dropped.
pub fn tickets(count: usize) -> Vec<Ticket> {
    let gate = Arc::new(Gate { missing: Mutex::new(count), opened: Condvar::new() });
    (0..count).map(|_| Ticket(gate.clone())).collect()
}

impl Ticket {
    /// Waits until all others are there too, or `stop` is requested.
    pub fn wait(self, stop: &Stop) {
        let gate = self.0.clone();
        drop(self);
        let mut missing = gate.missing.lock().unwrap_or_else(PoisonError::into_inner);
        while *missing > 0 && stop.requested().is_none() {
            missing = gate.opened.wait_timeout(missing, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        *self.0.missing.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::StopReason;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_wait_for_the_last() {
        let (ready, stop) = (AtomicUsize::new(0), Stop::default());
        std::thread::scope(|scope| {
            for (delay, ticket) in tickets(4).into_iter().enumerate() {
                let (ready, stop) = (&ready, &stop);
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(10 * delay as u64));
                    ready.fetch_add(1, Ordering::SeqCst);
                    ticket.wait(stop);
                    assert_eq!(ready.load(Ordering::SeqCst), 4);
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_dropped_ticket() {
        let mut both = tickets(2);
        drop(both.pop());
        both.remove(0).wait(&Stop::default());
    }

    #[test]
    fn a_request_to_stop_opens_the_gate() {
        let (stop, mut both) = (Stop::default(), tickets(2));
        stop.request(StopReason::Interrupt);
        both.remove(0).wait(&stop);
        assert_eq!(both.len(), 1, "the other never came");
    }
}
