//! Reads the machine beside a run, once a second, and gives what it read to the spool.
//!
//! One thread does it, and touches nothing that a worker touches. Its samples wait in a queue until the next frame of the run is
//! saved. A reading is taken when the first worker begins to measure, each second after that, and when the last worker ends. So
//! each sample is either inside the measured window or outside it.
//! Each sample says what it cost. Where readings would take too much of a core, they are taken less often ([`pace`]).

mod recorder;

use crate::disks::disk_nodes;
use crate::grounds::PlanGrounds;
use crate::here::Here;
use fathom_device::Root;
use fathom_device::inventory::Disk;
use fathom_device::sampler::SampleScope;
use fathom_engine::clock::Clock;
use fathom_engine::sink::Sink;
use fathom_job::plan::Plan;
use fathom_results::sample::kind::{MEMORY, PAGING};
use fathom_results::{Frame, Phase};
use recorder::{Pace, Recorder};
use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The end of a run is sampled too, unless it is shorter than this.
const REST_NS_MIN: u64 = 100_000_000;

/// The readings beside one run.
pub struct SampleWatch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    clock: Clock,
}

#[derive(Default)]
struct State {
    /// Samples that the spool does not have yet.
    waiting: Vec<Frame>,
    /// Jobs in their measured window.
    measuring: HashSet<u32>,
    /// Readings are whole seconds from here, ns since the start of the run.
    origin_ns: u64,
    /// A window has just begun or ended.
    is_edge: bool,
    is_over: bool,
}

impl SampleWatch {
    /// Takes the first reading, and begins.
    pub fn start(here: &Here, clock: Clock, plan: &Plan, grounds: &PlanGrounds) -> SampleWatch {
        let root = here.root().clone();
        let recorder = Recorder::begin(root.clone(), &scope(&root, plan, grounds), now_ns(clock));
        let waiting = vec![Frame::SampleTables(Box::new(recorder.tables().clone()))];
        let state = Mutex::new(State { waiting, ..State::default() });
        let shared = Arc::new(Shared { state, changed: Condvar::new(), clock });
        let theirs = shared.clone();
        // If no thread can be started, the run has no samples.
        let thread = Builder::new().name("samples".to_owned()).spawn(move || theirs.watch(recorder)).ok();
        SampleWatch { shared, thread }
    }

    /// A sink that passes the frames of the run on to `inner`, with the samples among them.
    pub fn beside<'a>(&'a self, inner: &'a mut dyn Sink) -> FramesWithSamples<'a> {
        FramesWithSamples { shared: &self.shared, inner }
    }

    /// Ends; returns the samples that the spool does not have yet.
    pub fn stop(mut self) -> Vec<Frame> {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        std::mem::take(&mut self.shared.lock().waiting)
    }
}

/// What is read for this plan: the disks below its targets, the page cache if it uses it, and memory.
fn scope(root: &Root, plan: &Plan, grounds: &PlanGrounds) -> SampleScope {
    let disks = disk_nodes(root, plan, grounds).values().map(|node| Disk::of(root, node)).collect();
    let is_buffered = plan.jobs.iter().any(|job| !job.direct && job.files.iter().any(|f| f.is_on_machine()));
    SampleScope { disks, is_buffered, memory_lines: MEMORY.columns, paging_lines: PAGING.columns }
}

fn now_ns(clock: Clock) -> u64 {
    clock.since_origin(clock.now())
}

/// Passes frames on, and notes when windows begin and end.
pub struct FramesWithSamples<'a> {
    shared: &'a Shared,
    inner: &'a mut dyn Sink,
}

impl Sink for FramesWithSamples<'_> {
    fn frame(&mut self, frame: &Frame) {
        let waiting = {
            let mut state = self.shared.lock();
            match frame {
                Frame::Phase { job, phase: Phase::Measure, at_ns } => state.measures(*job, *at_ns),
                Frame::Ended(outcome) => state.ended(outcome.job),
                _ => {}
            }
            if state.is_edge {
                self.shared.changed.notify_all();
            }
            std::mem::take(&mut state.waiting)
        };
        waiting.iter().for_each(|sample| self.inner.frame(sample));
        self.inner.frame(frame);
    }

    fn inner(&mut self) -> Option<&mut dyn Sink> {
        Some(&mut *self.inner)
    }
}

impl State {
    fn measures(&mut self, job: u32, at_ns: u64) {
        if self.measuring.is_empty() {
            (self.origin_ns, self.is_edge) = (at_ns, true);
        }
        self.measuring.insert(job);
    }

    fn ended(&mut self, job: u32) {
        self.is_edge |= self.measuring.remove(&job) && self.measuring.is_empty();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, mut recorder: Recorder) {
        let mut pace = Pace::default();
        while self.wait_until_due(&recorder, &pace) {
            let sample = recorder.read(|| now_ns(self.clock));
            pace.took(sample.cost_ns);
            self.lock().waiting.push(Frame::Sample(Box::new(sample)));
        }
    }

    /// Waits until the next reading; `false` when there is none any more.
    fn wait_until_due(&self, recorder: &Recorder, pace: &Pace) -> bool {
        let mut state = self.lock();
        loop {
            let now_ns = now_ns(self.clock);
            if std::mem::take(&mut state.is_edge) {
                return true;
            }
            if state.is_over {
                return now_ns.saturating_sub(recorder.last_ns()) >= REST_NS_MIN;
            }
            let due_ns = pace.next_ns(state.origin_ns, recorder.last_ns());
            if now_ns >= due_ns {
                return true;
            }
            let pause = Duration::from_nanos(due_ns - now_ns);
            state = self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests;
