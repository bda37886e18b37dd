//! Do the time-stamp counters of all CPUs agree?
//!
//! Two CPUs pass a stamp to each other, and the receiver must read a later one.
//! The check finds the case that would spoil a latency: an I/O that begins on one
//! CPU and is seen on another, with an end before its start. The kernel's own
//! watchdog compares counters too, but at boot, and not below a microsecond.

use crate::cpu;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How many times the stamp goes there and back between two CPUs. fio compares as
/// many as fit into one second; these are enough to find a difference that occurs
/// once in a hundred times.
const ROUNDS: u64 = 400;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// CPUs that were compared, including the first, with which the others are compared.
    pub compared: u16,
    pub cpus: u16,
    /// The largest number of ticks by which a later stamp was smaller than an earlier
    /// one; 0 if there was none.
    pub backwards: u64,
}

/// Compares every CPU that this process may use with the first of them, until
/// `time` is over.
pub fn compare(read: fn() -> u64, time: Duration) -> Agreement {
    let deadline = Instant::now() + time;
    let cpus = cpu::allowed();
    let mut found = Agreement { compared: 0, cpus: cpus.len() as u16, backwards: 0 };
    let Some((&first, others)) = cpus.split_first() else { return found };
    found.compared = 1;
    for &other in others {
        let Some(backwards) = bounce(read, [first, other], deadline) else { return found };
        found.compared += 1;
        found.backwards = found.backwards.max(backwards);
    }
    found
}

/// Passes the stamp to and fro between two CPUs. Returns by how many ticks it went
/// backwards at most; `None` when the time is over, or a CPU cannot be used.
fn bounce(read: fn() -> u64, cpus: [usize; 2], deadline: Instant) -> Option<u64> {
    // The stamp, and in its lowest bit the side whose turn it is.
    let (ball, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let play = |side: u64| -> Option<u64> {
        if cpu::set_affinity(&[cpus[side as usize]]).is_err() {
            is_over.store(true, Ordering::Relaxed);
            return None;
        }
        let mut backwards = 0;
        for _ in 0..ROUNDS {
            let mut came = ball.load(Ordering::Acquire);
            while came & 1 != side {
                if is_over.load(Ordering::Relaxed) || Instant::now() > deadline {
                    is_over.store(true, Ordering::Relaxed);
                    return None;
                }
                std::hint::spin_loop();
                came = ball.load(Ordering::Acquire);
            }
            let now = read();
            backwards = backwards.max((came >> 1).saturating_sub(now));
            ball.store(now << 1 | (1 - side), Ordering::Release);
        }
        Some(backwards)
    };
    std::thread::scope(|scope| {
        // Without a second thread there is nothing to compare with.
        let other = Builder::new().spawn_scoped(scope, || play(1)).ok()?;
        let one = Builder::new().spawn_scoped(scope, || play(0));
        if one.is_err() {
            is_over.store(true, Ordering::Relaxed);
        }
        let one = one.ok().and_then(|thread| thread.join().ok().flatten());
        Some(other.join().ok().flatten()?.max(one?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_counter_that_all_cpus_share_agrees() {
        static SHARED: AtomicU64 = AtomicU64::new(1);
        let found = compare(|| SHARED.fetch_add(1, Ordering::SeqCst), LONG);
        assert_eq!((found.compared, found.backwards), (found.cpus, 0));
        assert!(found.cpus >= 1);
    }

    #[test]
    fn a_counter_that_is_ahead_on_one_cpu_is_found() {
        thread_local!(static AHEAD: Cell<Option<u64>> = const { Cell::new(None) });
        static THREADS: AtomicU64 = AtomicU64::new(0);
        static TIME: AtomicU64 = AtomicU64::new(1 << 20);
        fn skewed() -> u64 {
            let ahead = AHEAD.get().unwrap_or_else(|| {
                let ahead = THREADS.fetch_add(1, Ordering::SeqCst) * 5_000;
                AHEAD.set(Some(ahead));
                ahead
            });
            TIME.fetch_add(1, Ordering::SeqCst) + ahead
        }
        if let [first, second, ..] = cpu::allowed()[..] {
            let backwards = bounce(skewed, [first, second], Instant::now() + LONG).unwrap();
            assert!((4_000..=5_000).contains(&backwards), "{backwards}");
        }
    }

    #[test]
    fn it_ends_with_its_time() {
        let found = compare(|| 7, Duration::ZERO);
        assert!(found.compared <= 1);
    }
}
