//! The threads of a run, and the requests to stop them.
//!
//! They are not scoped: nothing can end a thread that is stuck in the kernel,
//! and the run must be able to end without it. So each thread owns (by `Arc`)
//! all that it uses, and what it holds open stays open as long as the thread.

use super::watchdog::Beat;
use crate::sink::{Stop, StopReason};
use crate::worker::Loan;
use crate::worker::recorder::Recorder;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// What the run and one worker's thread share.
#[derive(Debug, Default)]
pub struct Seat {
    pub stop: Stop,
    /// What the worker has measured, while it is inside a call.
    pub loan: Loan<Recorder>,
    /// The kernel's number of the thread; 0 before it runs.
    tid: AtomicI32,
}

impl Seat {
    /// Makes the calling thread the worker of this seat.
    pub fn take(&self) {
        self.tid.store(rustix::thread::gettid().as_raw_pid(), Ordering::Relaxed);
    }

    pub fn tid(&self) -> Option<i32> {
        Some(self.tid.load(Ordering::Relaxed)).filter(|&tid| tid != 0)
    }

    /// What the kernel reports about the thread; `None` before it runs, and where
    /// there is no `/proc`.
    pub fn beat(&self) -> Option<Beat> {
        let status = std::fs::read_to_string(format!("/proc/self/task/{}/status", self.tid()?)).ok()?;
        beat(&status)
    }
}

#[derive(Debug)]
pub struct Crew {
    seats: Arc<[Seat]>,
    threads: Vec<Option<JoinHandle<()>>>,
    /// The thread that lays files out before the others start.
    layout: Option<JoinHandle<()>>,
}

/// Reads `/proc/PID/task/TID/status`: state and both counts of switches.
fn beat(status: &str) -> Option<Beat> {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let count = |name: &str| field(name)?.parse::<u64>().ok();
    Some(Beat {
        is_runnable: field("State:")?.starts_with('R'),
        switches: count("voluntary_ctxt_switches:")? + count("nonvoluntary_ctxt_switches:")?,
    })
}

/// How long an unwinding run waits for its workers: as long as the slowest I/O that
/// still ends may take (see [`crate::worker::DRAIN_NS`]).
const JOIN_MAX: Duration = Duration::from_secs(32);

impl Crew {
    pub fn of(jobs: usize) -> Crew {
        Crew {
            seats: (0..jobs).map(|_| Seat::default()).collect(),
            threads: (0..jobs).map(|_| None).collect(),
            layout: None,
        }
    }

    /// The seats of all workers, for a thread to own.
    pub fn seats(&self) -> Arc<[Seat]> {
        self.seats.clone()
    }

    pub fn seat(&self, job: usize) -> &Seat {
        &self.seats[job]
    }

    pub fn spawn(&mut self, job: usize, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = Builder::new().name(format!("worker {job}")).spawn(body)?;
        self.threads[job] = Some(thread);
        Ok(())
    }

    pub fn lay_out(&mut self, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.layout = Some(Builder::new().name("layout".to_owned()).spawn(body)?);
        Ok(())
    }

    /// Waits for that thread, which has sent its last message. If it has not ended,
    /// because a target does not answer, the run goes on without it.
    pub fn end_layout(&mut self, has_ended: bool) {
        if let Some(thread) = self.layout.take().filter(|_| has_ended) {
            // A panic was caught in the thread, and reported.
            let _ = thread.join();
        }
    }

    pub fn stop_all(&self, reason: StopReason) {
        self.seats.iter().for_each(|seat| seat.stop.request(reason));
    }

    /// Waits for a worker that has sent its last message. Its files are closed
    /// then.
    pub fn join(&mut self, job: usize) {
        if let Some(thread) = self.threads[job].take() {
            // A panic was caught in the thread, and reported.
            let _ = thread.join();
        }
    }

    /// Goes on without waiting for a worker.
    pub fn leave(&mut self, job: usize) {
        self.threads[job] = None;
    }
}

impl Drop for Crew {
    /// Stops the workers when a sink panics.
    fn drop(&mut self) {
        self.stop_all(StopReason::Interrupt);
        let end = Instant::now() + JOIN_MAX;
        for thread in self.threads.drain(..).chain([self.layout.take()]).flatten() {
            while !thread.is_finished() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn the_kernel_tells_of_a_thread() {
        let seat = Seat::default();
        assert_eq!(seat.beat(), None);
        seat.take();
        let before = seat.beat().expect("this thread runs");
        std::thread::sleep(Duration::from_millis(2));
        let after = seat.beat().expect("this thread runs");
        assert!(before.is_runnable && after.switches > before.switches, "{before:?} {after:?}");
        let asleep =
            "Name:\tx\nState:\tD (disk sleep)\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(beat(asleep), Some(Beat { is_runnable: false, switches: 7 }));
    }

    #[test]
    fn a_crew_that_goes_asks_and_waits() {
        let (ended, mut crew) = (Arc::new(AtomicBool::new(false)), Crew::of(1));
        let (seats, ended_there) = (crew.seats(), ended.clone());
        crew.spawn(0, move || {
            seats[0].take();
            while seats[0].stop.requested().is_none() {
                std::thread::yield_now();
            }
            ended_there.store(true, Ordering::SeqCst);
        })
        .unwrap();
        while crew.seat(0).tid().is_none() {
            std::thread::yield_now();
        }
        drop(crew);
        assert!(ended.load(Ordering::SeqCst));
    }
}
