//! A queue that ends with I/O in flight: its buffers and its engine stay.
//!
//! The kernel may still write into the buffers, even after the worker has ended.
//! If they were unmapped, the kernel could write into memory that the process
//! uses for something else by then. Closing an AIO context waits for its I/O, which
//! may never end. So both are kept until the process ends.

use super::Worker;
use crate::engine::AsyncEngine;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Leaves the buffers and the engine to the kernel, which has I/O in flight.
#[cold]
pub fn abandon<E: AsyncEngine>(worker: &mut Worker<'_>, engine: E) {
    worker.buffers.leave_mapped();
    std::mem::forget(engine);
}

/// Does the work of a queue, and returns the engine with the result. A panic
/// goes on, but the engine and the buffers are kept, because it is not known what
/// is in flight then.
pub fn or_abandon<E: AsyncEngine, R>(
    worker: &mut Worker<'_>,
    mut engine: E,
    work: impl FnOnce(&mut Worker<'_>, &mut E) -> R,
) -> (E, R) {
    match catch_unwind(AssertUnwindSafe(|| work(worker, &mut engine))) {
        Ok(result) => (engine, result),
        Err(panic) => {
            abandon(worker, engine);
            resume_unwind(panic)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::Desc;
    use crate::engine::{Context, EngineError, Replacement, Staged};
    use crate::fixture::run_worker;
    use crate::worker::async_loop;
    use std::cell::Cell;
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    /// The first content of the buffers, as if the kernel had written it.
    const PATTERN: [u8; 16] = *b"written in there";

    thread_local! {
        /// Where the buffers of this thread's engine are.
        static BUFFERS: Cell<u64> = const { Cell::new(0) };
        static WAS_CLOSED: Cell<bool> = const { Cell::new(false) };
    }

    /// This process' memory: a read where nothing is mapped is an error.
    fn memory() -> File {
        File::options().read(true).write(true).open("/proc/self/mem").unwrap()
    }

    /// Accepts everything, completes nothing, and panics at its third submit call.
    struct Fragile {
        calls: u32,
    }

    impl AsyncEngine for Fragile {
        fn open(context: &Context<'_>) -> Result<Self, EngineError> {
            BUFFERS.set(context.buffers.slot(0, false) as u64);
            memory().write_all_at(&PATTERN, BUFFERS.get()).unwrap();
            Ok(Fragile { calls: 0 })
        }
        fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
            Ok(())
        }
        fn stage(&mut self, _slot: u32, _desc: &Desc) {}
        fn control(&mut self, _slot: u32, _desc: &Desc) -> Staged {
            Staged::Queued
        }
        fn submit(&mut self, _wait: u32, _timeout_ns: u64) -> io::Result<u32> {
            self.calls += 1;
            assert!(self.calls < 3, "a defect");
            Ok(0)
        }
        fn available(&mut self) -> usize {
            0
        }
        fn reap(&mut self, _count: usize, _done: impl FnMut(u64, i32)) {}
    }

    impl Drop for Fragile {
        fn drop(&mut self) {
            WAS_CLOSED.set(true);
        }
    }

    #[test]
    fn a_worker_that_panics_with_io_in_flight_leaves_its_buffers() {
        let job = "[j]\nioengine=null\nrw=read\nsize=1m\niodepth=4\n";
        let ended = catch_unwind(|| run_worker(job, async_loop::run::<Fragile>));
        assert!(ended.is_err(), "the panic goes on");
        let mut seen = [0; PATTERN.len()];
        memory().read_exact_at(&mut seen, BUFFERS.get()).expect("it is still mapped");
        assert_eq!(seen, PATTERN);
        assert!(!WAS_CLOSED.get(), "closing it might never end");
    }
}
