//! The CPU time of io_uring's kernel threads during a run, by job.
//!
//! These threads vanish with their ring, before the run learns that its worker
//! has ended. So a thread of fathom reads their time ten times a second. It looks
//! for new ones once a second, and touches nothing that a worker touches.

use crate::here::Here;
use crate::watch_thread::WatchThread;
use fathom_device::kernel_workers::{Census, WorkerKind, Workers};
use fathom_engine::sink::Sink;
use fathom_results::{Frame, KernelWorkerKind, KernelWorkers, Phase};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two readings: short, so that little is lost when a thread vanishes.
const READ: Duration = Duration::from_millis(100);
/// Time between two searches for new threads. In the first second, each reading is a search.
const SCAN: Duration = Duration::from_secs(1);
/// A reading of one thread takes about 3 µs. With this time for each thread, thousands
/// of threads cost less than a hundredth of a core.
const READ_EACH: Duration = Duration::from_millis(1);

/// The watch over a run.
pub struct KernelWorkerWatch {
    watched: Arc<Mutex<Watched>>,
    thread: WatchThread<()>,
}

struct Watched {
    census: Census,
    began: Instant,
    scanned: Option<Instant>,
    /// What each job's threads had used when its window began.
    before: HashMap<u32, Vec<Workers>>,
    /// The threads of jobs that have ended.
    ended: Vec<KernelWorkers>,
}

impl KernelWorkerWatch {
    /// Begins to watch.
    pub fn start(here: &Here) -> KernelWorkerWatch {
        let watched = Watched {
            census: Census::new(here.root().clone()),
            began: Instant::now(),
            scanned: None,
            before: HashMap::new(),
            ended: Vec::new(),
        };
        let watched = Arc::new(Mutex::new(watched));
        let theirs = watched.clone();
        // Without its thread, only the kernel threads stay unknown.
        let thread = WatchThread::start("kernel-workers", move |run| {
            loop {
                let pause = lock(&theirs).read_due();
                if !run.goes_on_after(pause) {
                    return;
                }
            }
        });
        KernelWorkerWatch { watched, thread }
    }

    /// A sink that receives every frame of the run first, and passes it on to `inner`.
    pub fn beside<'a>(&'a self, inner: &'a mut dyn Sink) -> Beside<'a> {
        Beside { watched: &self.watched, inner }
    }

    /// The kernel threads of every job that had any.
    pub fn stop(self) -> Vec<KernelWorkers> {
        self.thread.stop();
        std::mem::take(&mut lock(&self.watched).ended)
    }
}

fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes frames on, and notes when windows begin and end.
pub struct Beside<'a> {
    watched: &'a Mutex<Watched>,
    inner: &'a mut dyn Sink,
}

impl Sink for Beside<'_> {
    fn frame(&mut self, frame: &Frame) {
        match frame {
            Frame::Phase { job, phase: Phase::Measure, .. } => lock(self.watched).window_begins(*job),
            Frame::Ended(outcome) => lock(self.watched).job_ended(outcome.job),
            _ => {}
        }
        self.inner.frame(frame);
    }

    fn inner(&mut self) -> Option<&mut dyn Sink> {
        Some(&mut *self.inner)
    }
}

impl Watched {
    /// Reads what is due; returns the time until something is due again.
    fn read_due(&mut self) -> Duration {
        let is_new = self.began.elapsed() < SCAN;
        if is_new || self.scanned.is_none_or(|at| at.elapsed() >= SCAN) {
            self.scan();
        } else {
            self.census.refresh();
        }
        match self.census.working() {
            0 if !is_new => SCAN,
            threads => READ.max(READ_EACH * threads as u32),
        }
    }

    fn scan(&mut self) {
        // Without /proc nothing is found.
        let _ = self.census.scan();
        self.scanned = Some(Instant::now());
    }

    /// Many workers begin at the same time, so a search that was just made is not repeated.
    fn window_begins(&mut self, job: u32) {
        if self.scanned.is_none_or(|at| at.elapsed() >= READ) {
            self.scan();
        }
        let workers = self.census.workers_of(&worker(job));
        self.before.insert(job, workers);
    }

    fn job_ended(&mut self, job: u32) {
        let Some(before) = self.before.remove(&job) else { return };
        for now in self.census.workers_of(&worker(job)) {
            let then = before.iter().find(|one| one.kind == now.kind).map_or(0, |one| one.cpu_ns);
            let kind = match now.kind {
                WorkerKind::IoWq => KernelWorkerKind::IoWq,
                WorkerKind::Sqpoll => KernelWorkerKind::Sqpoll,
            };
            let cpu_ns = now.cpu_ns.saturating_sub(then);
            self.ended.push(KernelWorkers { job, kind, threads: now.threads, cpu_ns });
        }
    }
}

/// The name that the runner gives to the thread of a job.
fn worker(job: u32) -> String {
    format!("worker {job}")
}
