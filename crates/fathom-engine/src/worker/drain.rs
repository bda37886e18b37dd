//! The end of a worker: waiting for what is still in flight, or leaving it to the kernel, and the last sync.

use super::fio_order::FioOrder;
use super::queue::Queue;
use super::reap::{take, takeable};
use super::{Worker, failure};
use crate::engine::AsyncEngine;
use crate::target;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The time without any completion, after a job's last submit, after which what is
/// in flight is given up, ns. The block layer's own time-out of one request is
/// 30 s. A slow device with a deep queue may take longer for all of its I/Os, if
/// some of them complete in between.
pub const DRAIN_NS: u64 = 30_000_000_000;

/// How long one wait lasts, ns.
const WAIT_NS: u64 = 100_000_000;

/// Waits for what is in flight. It was started in the window, so it counts. Where
/// nothing completes for `patience_ns`, the target is given up, and the queue keeps
/// its I/O in flight.
pub fn drain<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    patience_ns: u64,
) -> Result<(), JobFailure> {
    let clock = worker.recorder.clock;
    let mut progress = Progress { in_flight: queue.in_flight, since: clock.now(), is_first: true };
    let mut outcome = Ok(());
    queue.is_dry = true;
    worker.recorder.begin_drain();
    let as_fio = worker.plan.compat_fio.then(|| FioOrder::of(worker.plan));
    while queue.in_flight > 0 {
        wait(worker, engine, queue, as_fio.as_ref(), WAIT_NS.min(patience_ns))?;
        let (count, reaped_at) = takeable(engine, queue, &clock);
        worker.recorder.tally().in_flight = queue.in_flight;
        worker.recorder.turn_in_drain(reaped_at);
        let taken = take::<E, true>(worker, engine, queue, count, reaped_at);
        outcome = worker.tolerance.both(outcome, taken);
        let idle_ns = clock.nanos(progress.idle(queue.in_flight, reaped_at));
        if queue.in_flight > 0 && idle_ns > patience_ns {
            return worker.tolerance.both(outcome, Err(progress.too_late(patience_ns)));
        }
    }
    // Nothing is in flight, so nothing may have completed.
    let (count, reaped_at) = takeable(engine, queue, &clock);
    let taken = take::<E, true>(worker, engine, queue, count, reaped_at);
    worker.tolerance.both(outcome, taken)
}

fn wait<E: AsyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    queue: &mut Queue,
    as_fio: Option<&FioOrder>,
    left_ns: u64,
) -> Result<(), JobFailure> {
    let waited = match as_fio {
        Some(order) => {
            queue.batching.reap_max = usize::MAX;
            order.last_events(queue, left_ns).wait(worker, engine)
        }
        None => worker.lend(|| engine.submit(1, left_ns)).map(drop),
    };
    waited.map_err(|e| failure(e.raw_os_error().unwrap_or(0), format!("waiting for I/O in flight: {e}")))
}

/// Since when no I/O has completed.
struct Progress {
    in_flight: u32,
    /// Stamp of the last completion, or of the end of the job if nothing has
    /// completed since then.
    since: u64,
    is_first: bool,
}

impl Progress {
    /// Takes note that `in_flight` I/Os are in flight at `now`. Returns the ticks since
    /// that number last fell.
    fn idle(&mut self, in_flight: u32, now: u64) -> u64 {
        if in_flight < self.in_flight {
            *self = Progress { in_flight, since: now, is_first: false };
        }
        now.saturating_sub(self.since)
    }

    fn too_late(&self, patience_ns: u64) -> JobFailure {
        let (in_flight, seconds) = (self.in_flight, patience_ns as f64 / 1e9);
        let of = match self.is_first {
            true => "the end of the job",
            false => "the last completion after the end of the job",
        };
        failure(libc::ETIMEDOUT, format!("{in_flight} I/Os did not complete within {seconds} s of {of}"))
    }
}

// A queue that ends with I/O in flight: its buffers and its engine stay.
//
// The kernel may still write into the buffers, even after the worker has ended.
// If they were unmapped, the kernel could write into memory that the process
// uses for something else by then. Closing an AIO context waits for its I/O, which
// may never end. So both are kept until the process ends.

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

// The end of a worker: `end_fsync`, `fsync_on_close`.
//
// They belong to the measured window, as in fio: a buffered write job that is
// asked to sync at its end is finished only when the data is safe.

pub fn syncs(plan: &PlannedJob) -> bool {
    syncs_files(plan) || syncs_file_systems(plan)
}

fn syncs_file_systems(plan: &PlannedJob) -> bool {
    plan.writes() && plan.job.get(&opt::END_SYNCFS)
}

/// Is a file synced before it is closed?
pub fn syncs_files(plan: &PlannedJob) -> bool {
    plan.writes() && (plan.job.get(&opt::END_FSYNC) || plan.job.get(&opt::FSYNC_ON_CLOSE))
}

pub fn sync_at_end(worker: &mut Worker<'_>) -> Result<(), JobFailure> {
    if !syncs(worker.plan) {
        return Ok(());
    }
    if syncs_files(worker.plan) {
        (0..worker.files.len()).try_for_each(|entry| sync(worker, entry))?;
    }
    if syncs_file_systems(worker.plan) {
        sync_file_systems(worker)?;
    }
    worker.recorder.end_usage();
    Ok(())
}

/// Syncs each file system of the open files once.
fn sync_file_systems(worker: &mut Worker<'_>) -> Result<(), JobFailure> {
    let mut done = Vec::new();
    for entry in 0..worker.files.len() {
        let number = rustix::fs::fstat(&worker.files[entry].fd).map(|stat| stat.st_dev);
        if done.contains(&number) {
            continue;
        }
        done.push(number);
        sync_by(worker, entry, "syncfs", |fd| rustix::fs::syncfs(fd))?;
    }
    Ok(())
}

/// Syncs one of the open files, which is to be closed.
pub fn sync(worker: &mut Worker<'_>, entry: usize) -> Result<(), JobFailure> {
    let commands = worker.files[entry].commands;
    sync_by(worker, entry, "fsync", |fd| target::sync(fd, commands))
}

fn sync_by(
    worker: &mut Worker<'_>,
    entry: usize,
    call: &str,
    sync: impl FnOnce(BorrowedFd<'_>) -> rustix::io::Result<()>,
) -> Result<(), JobFailure> {
    let start = worker.recorder.clock.now();
    let fd = worker.files[entry].fd.as_raw_fd();
    // SAFETY: the worker keeps the file open.
    worker.lend(|| sync(unsafe { BorrowedFd::borrow_raw(fd) })).map_err(|e| {
        let path = &worker.plan.files[worker.file_of(entry as u32) as usize].path;
        failure(e.raw_os_error(), format!("{path}: {call} at the end: {e}"))
    })?;
    let reaped_at = worker.recorder.clock.now_ordered();
    worker.recorder.add_sync(start, reaped_at);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::async_loop::run_with_patience;
    use super::*;
    use crate::desc::Desc;
    use crate::engine::{Context, EngineError, Replacement, Staged};
    use crate::fixture::run_worker;
    use crate::worker::{WorkerEnd, async_loop};
    use std::cell::Cell;
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Accepts everything and completes nothing. With `REFUSES`, the first submit
    /// call after that fails.
    struct Stuck<const REFUSES: bool>;

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    impl<const REFUSES: bool> AsyncEngine for Stuck<REFUSES> {
        fn open(_context: &Context<'_>) -> Result<Self, EngineError> {
            Ok(Stuck)
        }
        fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
            Ok(())
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
        fn reap(&mut self, _count: usize, _done: impl FnMut(u64, i32)) {}
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

    /// The first content of the buffers, as if the kernel had written it.
    const PATTERN: [u8; 16] = *b"written in there";

    thread_local! {
        /// Where the buffers of this thread's engine are.
        static BUFFERS: Cell<u64> = const { Cell::new(0) };
        static WAS_DROPPED: Cell<bool> = const { Cell::new(false) };
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
            WAS_DROPPED.set(true);
        }
    }

    #[test]
    fn a_worker_that_panics_with_io_in_flight_leaves_its_buffers() {
        let job = "[j]\nioengine=null\nrw=read\nsize=1m\niodepth=4\n";
        let ended = catch_unwind(|| run_worker(job, async_loop::run::<Fragile>));
        assert!(ended.is_err(), "the panic goes on");
        let mut kept = [0; PATTERN.len()];
        memory().read_exact_at(&mut kept, BUFFERS.get()).expect("it is still mapped");
        assert_eq!(kept, PATTERN);
        assert!(!WAS_DROPPED.get(), "closing it might never end");
    }
}
