//! Workers that share one thread and one virtual time.
//!
//! Each worker has a stack of its own (a coroutine), so it can wait anywhere in
//! its code. The worker that is due first runs until it waits for a later time than
//! the next one. So time never goes back: whatever the workers do to something that
//! they share, such as a simulated drive, happens in the order of time.

use super::{HOLDER, Holder, MOVES, NOW_NS, Wait, now_ns, restart};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Size of a worker's stack, bytes: what Rust gives a thread. Only the pages that
/// are used take memory.
const STACK_BYTES: usize = 2 << 20;

/// A worker and its time. The field order is the order of events; the sequence
/// number makes it complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at_ns: u64,
    worker: u32,
    sequence: u64,
}

/// One worker.
struct Strand {
    coroutine: Coroutine<(), Wait, ()>,
    /// The others at the start wait for it.
    is_awaited: bool,
}

/// The workers of a thread, and whose turn it is.
pub struct Turns {
    /// By their numbers; `None` before a worker is added and after its end.
    strands: Vec<Option<Strand>>,
    due: BinaryHeap<Reverse<Due>>,
    sequence: u64,
    /// Workers that are prepared, and wait for the others at the start.
    at_start: Vec<u32>,
    /// The worker that has sent something, and goes on first.
    sent: Option<u32>,
}

impl Turns {
    /// Room for workers with the numbers `0..workers`. Virtual time begins at zero.
    pub fn new(workers: usize) -> Turns {
        restart();
        Turns {
            strands: (0..workers).map(|_| None).collect(),
            due: BinaryHeap::with_capacity(workers),
            sequence: 0,
            at_start: Vec::new(),
            sent: None,
        }
    }

    /// Adds a worker, which is due now. Fails if there is no memory for its stack.
    /// `body` must not panic.
    pub fn add(&mut self, worker: u32, body: impl FnOnce() + 'static) -> io::Result<()> {
        let stack = DefaultStack::new(STACK_BYTES)?;
        let coroutine = Coroutine::with_stack(stack, move |back, ()| {
            HOLDER.set(Holder { back, ..HOLDER.get() });
            body();
        });
        self.strands[worker as usize] = Some(Strand { coroutine, is_awaited: true });
        self.is_due(worker, now_ns());
        Ok(())
    }

    /// Runs the worker that is due first until it hands over. Returns false if none
    /// is left.
    pub fn take(&mut self) -> bool {
        let worker = match self.sent.take() {
            Some(worker) => worker,
            None => {
                let Some(Reverse(first)) = self.due.pop() else { return false };
                debug_assert!(first.at_ns >= now_ns(), "time goes forward");
                NOW_NS.set(first.at_ns);
                first.worker
            }
        };
        match self.resume(worker) {
            CoroutineResult::Yield(Wait::Until(ns)) => self.is_due(worker, ns),
            CoroutineResult::Yield(Wait::Sent) => self.sent = Some(worker),
            CoroutineResult::Yield(Wait::AtStart) => {
                self.at_start.push(worker);
                self.no_longer_awaited(worker);
            }
            CoroutineResult::Return(()) => {
                self.no_longer_awaited(worker);
                self.strands[worker as usize] = None;
            }
        }
        true
    }

    fn resume(&mut self, worker: u32) -> CoroutineResult<Wait, ()> {
        let next = self.due.peek().map_or(Holder::NONE.next, |Reverse(due)| (due.at_ns, due.worker));
        let Some(strand) = &mut self.strands[worker as usize] else {
            unreachable!("worker {worker} is due, and has ended")
        };
        HOLDER.set(Holder { worker, next, moves_left: MOVES, ..Holder::NONE });
        let _cleared = Cleared;
        strand.coroutine.resume(())
    }

    fn is_due(&mut self, worker: u32, at_ns: u64) {
        self.due.push(Reverse(Due { at_ns, worker, sequence: self.sequence }));
        self.sequence += 1;
    }

    /// Opens the start when it is the last one that the others have waited for.
    fn no_longer_awaited(&mut self, worker: u32) {
        if let Some(strand) = &mut self.strands[worker as usize] {
            strand.is_awaited = false;
        }
        if self.strands.iter().flatten().all(|strand| !strand.is_awaited) {
            for worker in std::mem::take(&mut self.at_start) {
                self.is_due(worker, now_ns());
            }
        }
    }
}

/// Ends the turn when it is dropped.
struct Cleared;

impl Drop for Cleared {
    fn drop(&mut self) {
        HOLDER.set(Holder::NONE);
    }
}

#[cfg(test)]
mod tests;
