//! Finds out when fathom itself did not run: a thread of the run notes the time ten times a second.
//!
//! A stopped process (SIGSTOP, a debugger), a frozen control group and a paused machine have one thing in common: no thread
//! runs, and none waits for a CPU. A busy machine keeps threads waiting for a CPU, which the kernel counts for each thread; a
//! hypervisor that takes one CPU away leaves the threads on the others. The
//! beats are on the clock of the run, so a pause that this clock does not see is no pause of the figures either.

use crate::watch_thread::WatchThread;
use fathom_device::Root;
use fathom_device::sys::process_cpu_ns;
use fathom_engine::clock::Clock;
use fathom_results::Halt;
use std::time::Duration;

/// Time between two beats. A halt is known to a tenth of a second, and ten wake-ups a second cost some 100 µs of one CPU.
const BEAT: Duration = Duration::from_millis(100);
/// A beat that comes later than this without having waited for a CPU shows a halt. A wake-up takes less than a hundredth of it,
/// also from a deep idle state.
const LATE_NS_MIN: u64 = 200_000_000;
/// The same where the kernel does not count how long a thread waits for a CPU.
const LATE_NS_MIN_UNCOUNTED: u64 = 2_000_000_000;

/// A halted process uses no CPU time. Between two beats it may have run for a tenth of a second before the halt, so it is halted
/// if it used less than this share of what it usually uses in that time.
const USED_SHARE_MAX: f64 = 0.6;
/// A new beat changes the usual use by one part of this many.
const WEIGHT: f64 = 4.0;

/// One beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Beat {
    /// The clock of the run, ns since its start.
    at_ns: u64,
    /// How long the thread had waited for a CPU by then, ns; `None` where the kernel does not count it.
    waited_ns: Option<u64>,
    /// CPU time that the whole process had used by then, ns.
    used_ns: u64,
}

impl Beat {
    fn now(root: &Root, clock: Clock) -> Beat {
        let stat = root.read_text("/proc/thread-self/schedstat").unwrap_or_default();
        let waited_ns = stat.split_whitespace().nth(1).and_then(|ns| ns.parse().ok());
        let used_ns = process_cpu_ns().unwrap_or_default();
        Beat { at_ns: clock.since_origin(clock.now()), waited_ns, used_ns }
    }
}

/// The beats so far.
struct Beats {
    last: Beat,
    /// The usual use of CPU time, cores; `None` before the second beat.
    usual_cores: Option<f64>,
}

impl Beats {
    fn begin(first: Beat) -> Beats {
        Beats { last: first, usual_cores: None }
    }

    /// The halt between the last beat and this one.
    fn add(&mut self, now: Beat) -> Option<Halt> {
        let before = std::mem::replace(&mut self.last, now);
        let length_ns = now.at_ns.saturating_sub(before.at_ns);
        let cores = now.used_ns.saturating_sub(before.used_ns) as f64 / length_ns.max(1) as f64;
        let late_ns = length_ns.saturating_sub(BEAT.as_nanos() as u64);
        let is_late = match now.waited_ns.zip(before.waited_ns) {
            Some((now, then)) => late_ns.saturating_sub(now.saturating_sub(then)) >= LATE_NS_MIN,
            None => late_ns >= LATE_NS_MIN_UNCOUNTED,
        };
        // Where only the CPU of this thread was taken away, the others went on.
        if is_late && self.usual_cores.is_none_or(|usual| cores <= USED_SHARE_MAX * usual) {
            return Some(Halt { start_ns: before.at_ns, end_ns: now.at_ns });
        }
        self.usual_cores = Some(self.usual_cores.map_or(cores, |usual| usual + (cores - usual) / WEIGHT));
        None
    }
}

/// Begins to beat beside a run. Stopped, it gives the halts, in order; without its thread, halts stay unknown.
pub fn start(root: &Root, clock: Clock) -> WatchThread<Vec<Halt>> {
    let root = root.clone();
    WatchThread::start("heartbeat", move |run| {
        let now = || Beat::now(&root, clock);
        let (mut halts, mut beats) = (Vec::new(), Beats::begin(now()));
        loop {
            let goes_on = run.goes_on_after(BEAT);
            halts.extend(beats.add(now()));
            if !goes_on {
                return halts;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beats in milliseconds: when, how long the thread had waited for a CPU by then, and what all threads had used.
    fn halts(beats: &[(u64, Option<u64>, u64)]) -> Vec<(u64, u64)> {
        let ns = |ms: u64| ms * 1_000_000;
        let beat = |(at, waited, used): &(u64, Option<u64>, u64)| Beat {
            at_ns: ns(*at),
            waited_ns: waited.map(ns),
            used_ns: ns(*used),
        };
        let mut all = Beats::begin(beat(&beats[0]));
        let halts = beats[1..].iter().filter_map(|next| all.add(beat(next)));
        halts.map(|halt| (halt.start_ns / 1_000_000, halt.end_ns / 1_000_000)).collect()
    }

    #[test]
    fn a_stopped_process_is_told_from_a_busy_machine() {
        for (beats, expected) in [
            (&[(0, 0, 0), (100, 0, 50), (200, 1, 100), (301, 1, 150)][..], &[][..]),
            // Stopped for 1.2 s: it did not wait for a CPU, and used none.
            (&[(0, 0, 0), (100, 0, 50), (1_340, 0, 70), (1_440, 0, 120)], &[(100, 1_340)]),
            // Stopped twice.
            (
                &[(0, 0, 0), (100, 0, 50), (900, 0, 60), (1_000, 0, 110), (2_000, 1, 120)],
                &[(100, 900), (1_000, 2_000)],
            ),
            // As late, but the thread waited for a CPU.
            (&[(0, 0, 0), (100, 0, 50), (1_340, 1_130, 70), (1_440, 1_131, 120)], &[]),
            // It waited for a CPU for a part of the time only.
            (&[(0, 0, 0), (100, 0, 50), (1_340, 300, 70), (1_440, 300, 120)], &[(100, 1_340)]),
            // As late, but the other threads went on: the hypervisor took the CPU of this one.
            (&[(0, 0, 0), (100, 0, 50), (1_340, 0, 670), (1_440, 0, 720)], &[]),
            // A late wake-up.
            (&[(0, 0, 0), (100, 0, 50), (390, 0, 60)], &[]),
        ] {
            let counted: Vec<_> =
                beats.iter().map(|(at, waited, used)| (*at, Some(*waited), *used)).collect();
            assert_eq!(halts(&counted), expected, "{beats:?}");
        }
        // A kernel that does not count the waits: only a long gap is told.
        assert_eq!(halts(&[(0, None, 0), (100, None, 50), (1_340, None, 60)]), []);
        assert_eq!(halts(&[(0, None, 0), (100, None, 50), (2_300, None, 60)]), [(100, 2_300)]);
    }
}
