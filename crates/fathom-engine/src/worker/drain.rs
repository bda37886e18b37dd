//! The end of a queue: waiting for what is still in flight.

use super::fio_order::FioOrder;
use super::queue::Queue;
use super::reap::reap;
use super::{Worker, failure};
use crate::engine::AsyncEngine;
use fathom_results::JobFailure;

/// How long I/O may take to end after a job's last submit before it is given
/// up, ns: the block layer's own time-out of one request is 30 s.
pub const DRAIN_NS: u64 = 30_000_000_000;

/// How long one wait lasts, ns.
const WAIT_NS: u64 = 100_000_000;

/// Waits for what is in flight; it was started in the window and counts. A
/// target that does not answer within `patience_ns` is given up, and the queue
/// is left with I/O in flight.
pub fn drain<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    patience_ns: u64,
) -> Result<(), JobFailure> {
    let clock = worker.recorder.clock;
    let start = clock.now();
    let mut outcome = Ok(());
    queue.is_dry = true;
    let as_fio = worker.plan.compat_fio.then(|| FioOrder::of(worker.plan));
    while queue.in_flight > 0 {
        let left_ns = WAIT_NS.min(patience_ns);
        let waited = match &as_fio {
            Some(order) => {
                queue.batching.reap_max = usize::MAX;
                order.last_look(queue, left_ns).wait(worker, engine)
            }
            None => engine.submit(1, left_ns).map(drop),
        };
        waited
            .map_err(|e| failure(e.raw_os_error().unwrap_or(0), format!("waiting for I/O in flight: {e}")))?;
        outcome = outcome.and(reap::<E, true>(worker, engine, queue, &clock).map(drop));
        if queue.in_flight > 0 && clock.nanos(clock.now().saturating_sub(start)) > patience_ns {
            return outcome.and(Err(too_late(queue.in_flight, patience_ns)));
        }
    }
    outcome
}

fn too_late(in_flight: u32, patience_ns: u64) -> JobFailure {
    let seconds = patience_ns as f64 / 1e9;
    let message = format!("{in_flight} I/Os did not complete within {seconds} s of the end of the job");
    failure(libc::ETIMEDOUT, message)
}

#[cfg(test)]
mod tests {
    use super::super::async_loop::run_with_patience;
    use super::*;
    use crate::desc::Desc;
    use crate::engine::{Context, EngineError, Staged};
    use crate::fixture::run_worker;
    use crate::worker::WorkerEnd;
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Takes everything, completes nothing; `REFUSES` fails the first submit
    /// call after that.
    struct Stuck<const REFUSES: bool>;

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    impl<const REFUSES: bool> AsyncEngine for Stuck<REFUSES> {
        fn open(_context: &Context<'_>) -> Result<Self, EngineError> {
            Ok(Stuck)
        }
        fn stage(&mut self, _slot: u32, _desc: &Desc) {}
        fn control(&mut self, _slot: u32, _desc: &Desc) -> Staged {
            Staged::Queued
        }
        fn submit(&mut self, _wait: u32, timeout_ns: u64) -> io::Result<u32> {
            if REFUSES {
                return Err(io::Error::from_raw_os_error(libc::ENXIO));
            }
            std::thread::sleep(std::time::Duration::from_nanos(timeout_ns.min(1_000_000)));
            Ok(0)
        }
        fn available(&mut self) -> usize {
            0
        }
        fn reap(&mut self, _count: usize, _done: impl FnMut(u32, i32)) {}
    }

    impl<const REFUSES: bool> Drop for Stuck<REFUSES> {
        fn drop(&mut self) {
            WAS_CLOSED.store(true, Ordering::SeqCst);
        }
    }

    fn ended<E: AsyncEngine>() -> WorkerEnd {
        let job = "[j]\nioengine=null\nrw=read\nsize=1m\niodepth=4\ntime_based\nruntime=20ms\n";
        run_worker(job, |worker| run_with_patience::<E>(worker, 30_000_000))
    }

    #[test]
    fn io_that_never_ends_is_given_up_and_named() {
        let end = ended::<Stuck<false>>();
        let failure = end.failure.expect("it fails");
        assert_eq!(failure.errno, libc::ETIMEDOUT);
        assert_eq!(failure.message, "4 I/Os did not complete within 0.03 s of the end of the job");
        let end = ended::<Stuck<true>>();
        let failure = end.failure.expect("it fails");
        assert_eq!(failure.errno, libc::ENXIO);
        assert!(failure.message.starts_with("submitting 4 I/Os: "), "{}", failure.message);
        assert!(!WAS_CLOSED.load(Ordering::SeqCst), "closing it would wait for what never ends");
    }

    #[test]
    fn the_null_engine_leaves_nothing_to_drain() {
        let end = ended::<crate::engine::null::Null>();
        assert!(end.failure.is_none(), "{end:?}");
        assert_eq!(end.ended_by, fathom_results::EndedBy::Time);
    }
}
