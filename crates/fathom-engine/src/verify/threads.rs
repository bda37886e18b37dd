//! Threads that check what a worker reads (`verify_async`), so that an expensive method does not hold up its I/O.
//!
//! The worker copies what it has read into a buffer of a pool and goes on. When every buffer is in use, it checks
//! the I/O itself instead of waiting for one. The threads sleep while there is nothing to check. In fio, an I/O that is being
//! checked keeps its place in the queue, so the worker of fio waits for the threads when they have `iodepth` I/Os; here
//! the queue of the target stays full.

use super::judge::{Judge, Judged, Task};
use crate::cpu;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Buffers of the pool for each thread: one that is checked, and one that waits.
const BUFFERS_PER_THREAD: usize = 2;

/// The threads of a worker, and the buffers that they share with it.
pub(super) struct Checkers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Buffers that are not in use, each with room for any I/O of the job.
    spare: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to check, or nothing more will come.
    work: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Task, Vec<u8>)>,
    checked: Vec<(Judged, Vec<u8>)>,
    is_closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next I/O to check; `None` when no more will come.
    fn next(&self) -> Option<(Task, Vec<u8>)> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop_front() {
                return Some(task);
            }
            if state.is_closed {
                return None;
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.work.notify_all();
    }
}

impl Checkers {
    /// Starts the threads, on their CPUs, with a buffer for each I/O that may be with them.
    pub fn start(
        plan: &PlannedJob,
        threads: u32,
        cpus: Option<&[usize]>,
        judge: &Judge,
    ) -> Result<Checkers, JobFailure> {
        let keeps = plan.verify.as_ref().is_some_and(|verify| verify.dumps);
        let buffers = (threads as usize * BUFFERS_PER_THREAD).max(plan.depth.reachable as usize);
        let bytes = plan.transfer_max().0 as usize;
        let spare = (0..buffers).map(|_| vec![0; bytes]).collect();
        let mut checkers = Checkers { shared: Arc::default(), threads: Vec::new(), spare };
        for n in 0..threads {
            let (shared, judge) = (checkers.shared.clone(), judge.clone());
            let cpus = cpus.map(<[usize]>::to_vec);
            let body = move || {
                // The CPUs were found in the plan, so what fails here is a change of the machine since then.
                let _ = cpus.as_deref().map(cpu::set_affinity);
                check_all(&shared, &judge, keeps);
            };
            let builder = std::thread::Builder::new().name(format!("verify-{n}"));
            let thread = builder.spawn(body).map_err(|e| JobFailure {
                errno: e.raw_os_error().unwrap_or(0),
                message: format!("verify_async={threads}: thread {n} cannot be started: {e}"),
                direction: None,
                offset: None,
            })?;
            checkers.threads.push(thread);
        }
        Ok(checkers)
    }

    /// Gives an I/O to the threads, if a buffer is free.
    pub fn give(&mut self, task: Task, data: &[u8]) -> bool {
        let Some(mut buffer) = self.spare.pop() else { return false };
        buffer.clear();
        buffer.extend_from_slice(data);
        self.shared.lock().waiting.push_back((task, buffer));
        self.shared.work.notify_one();
        true
    }

    /// Takes what was checked since the last time.
    pub fn collect(&mut self, mut each: impl FnMut(Judged)) {
        let checked = std::mem::take(&mut self.shared.lock().checked);
        for (judged, buffer) in checked {
            self.spare.push(buffer);
            each(judged);
        }
    }

    /// Waits until all is checked, and takes it.
    pub fn finish(mut self, each: impl FnMut(Judged)) {
        self.join();
        self.collect(each);
    }

    fn join(&mut self) {
        self.shared.close();
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

impl Drop for Checkers {
    fn drop(&mut self) {
        self.join();
    }
}

fn check_all(shared: &Shared, judge: &Judge, keeps: bool) {
    while let Some((task, mut buffer)) = shared.next() {
        // A panic is a defect of fathom. The I/O then counts as not read back, and the thread goes on.
        let judged = catch_unwind(AssertUnwindSafe(|| judge.judge(task, &mut buffer, keeps)));
        if let Ok(judged) = judged {
            shared.lock().checked.push((judged, buffer));
        }
    }
}
