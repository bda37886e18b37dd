//! The CPU time of io_uring's kernel threads during a run, by job.
//!
//! These threads vanish with their ring, before the run learns that its worker
//! has ended. So a thread of fathom reads their time ten times a second. It looks
//! for new ones once a second, and touches nothing that a worker touches.

use crate::here::Here;
use fathom_device::kernel_workers::{Census, WorkerKind, Workers};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::Sink;
use fathom_results::{Frame, KernelWorkerKind, KernelWorkers, Phase};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
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
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    watched: Mutex<Watched>,
    over: Condvar,
}

struct Watched {
    census: Census,
    began: Instant,
    scanned: Option<Instant>,
    /// What each job's threads had used when its window began.
    before: HashMap<u32, Vec<Workers>>,
    /// The threads of jobs that have ended.
    ended: Vec<KernelWorkers>,
    is_over: bool,
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
            is_over: false,
        };
        let shared = Arc::new(Shared { watched: Mutex::new(watched), over: Condvar::new() });
        let theirs = shared.clone();
        // If no thread can be started, only the kernel threads stay unknown.
        let thread = Builder::new().name("kernel-workers".to_owned()).spawn(move || theirs.watch()).ok();
        KernelWorkerWatch { shared, thread }
    }

    /// A sink that receives every frame of the run first, and passes it on to `inner`.
    pub fn beside<'a>(&'a self, inner: &'a mut dyn Sink) -> Beside<'a> {
        Beside { shared: &self.shared, inner }
    }

    /// The kernel threads of every job that had any.
    pub fn stop(mut self) -> Vec<KernelWorkers> {
        self.shared.lock().is_over = true;
        self.shared.over.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        std::mem::take(&mut self.shared.lock().ended)
    }
}

/// Passes frames on, and notes when windows begin and end.
pub struct Beside<'a> {
    shared: &'a Shared,
    inner: &'a mut dyn Sink,
}

impl Sink for Beside<'_> {
    fn frame(&mut self, frame: &Frame) {
        match frame {
            Frame::Phase { job, phase: Phase::Measure, .. } => self.shared.lock().window_begins(*job),
            Frame::Ended(outcome) => self.shared.lock().job_ended(outcome.job),
            _ => {}
        }
        self.inner.frame(frame);
    }

    fn log(&mut self, chunk: LogChunk) {
        self.inner.log(chunk);
    }

    fn before_start(&mut self, jobs: &[usize]) {
        self.inner.before_start(jobs);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut watched = self.lock();
        while !watched.is_over {
            let pause = watched.read_due();
            watched = self.over.wait_timeout(watched, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
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
