//! Virtual time: one number for each thread. It moves only when a worker waits.
//!
//! A worker that waits calls [`wait_until`]. If the thread has several workers, it
//! runs one at a time ([`Turns`]), and the call returns when no other worker is due
//! earlier. To the worker this looks like a sleep, so its loop is the one that runs
//! in real time. A thread without [`Turns`] has one worker, for which time moves
//! at once.

mod turns;

pub use turns::Turns;

use corosensei::Yielder;
use std::cell::Cell;
use std::ptr::null;

/// How often a worker may move the time in one turn. A turn that is longer would
/// delay the answer to a request to stop; the order of events does not depend on it.
const MOVES: u32 = 1024;

/// Why a worker hands its turn over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// It waits for this time, ns.
    Until(u64),
    /// It is prepared, and waits for the others that start with it.
    AtStart,
    /// It has sent something, and goes on when that is taken.
    Sent,
}

/// The worker whose turn it is, and how far it may go.
#[derive(Clone, Copy, Debug)]
struct Holder {
    /// The worker's way back to the scheduler; null if no worker has a turn.
    back: *const Yielder<(), Wait>,
    worker: u32,
    /// Time and number of the worker that is due next.
    next: (u64, u32),
    moves_left: u32,
}

impl Holder {
    const NONE: Holder = Holder { back: null(), worker: 0, next: (u64::MAX, u32::MAX), moves_left: 0 };
}

thread_local! {
    static NOW_NS: Cell<u64> = const { Cell::new(0) };
    static HOLDER: Cell<Holder> = const { Cell::new(Holder::NONE) };
}

/// The virtual time of this thread, ns.
#[inline(always)]
pub fn now_ns() -> u64 {
    NOW_NS.get()
}

/// Virtual time begins at zero.
pub fn restart() {
    NOW_NS.set(0);
}

/// Returns when it is `ns`, or at once when that has passed. Other workers that are
/// due earlier go first; of two that are due at the same time, the one with the lower
/// number.
#[cold]
#[inline(never)]
pub fn wait_until(ns: u64) {
    let to = NOW_NS.get().max(ns);
    let turn = HOLDER.get();
    if turn.back.is_null() {
        NOW_NS.set(to);
    } else if (to, turn.worker) < turn.next && turn.moves_left > 0 {
        HOLDER.set(Holder { moves_left: turn.moves_left - 1, ..turn });
        NOW_NS.set(to);
    } else {
        hand_over(Wait::Until(to));
    }
}

/// Returns when all workers that start together have called this, or have ended.
pub fn line_up() {
    hand_over(Wait::AtStart);
}

/// Lets the thread take what the worker has sent. No other worker goes in between.
#[cold]
#[inline(never)]
pub fn let_take() {
    hand_over(Wait::Sent);
}

/// Ends the turn of this worker; returns in its next turn. Does nothing if no worker
/// has a turn.
fn hand_over(wait: Wait) {
    let back = HOLDER.get().back;
    // SAFETY: it is null, or points to the `Yielder` of the worker that runs now:
    // `Turns` clears it when a turn ends, and it is set again below, or where the worker
    // begins. That value lives as long as the worker's stack, which we are on.
    if let Some(way) = unsafe { back.as_ref() } {
        way.suspend(wait);
        HOLDER.set(Holder { back, ..HOLDER.get() });
    }
}
