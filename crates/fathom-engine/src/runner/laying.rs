//! Files are laid out by a thread of its own, which is watched like a worker: a
//! target may stop answering before anything is measured.

use super::RunContext;
use super::collector::Collector;
use super::crew::Seat;
use crate::layout::{FileLayout, LayoutStep};
use crate::worker::failure;
use crate::worker::message::RunnerMessage;
use fathom_job::plan::Plan;
use fathom_results::{JobFailure, Phase};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};

/// Per clone: bytes laid out, or why that failed.
pub type LaidOut = Vec<Result<u64, JobFailure>>;

/// What the thread needs. The thread owns all of it: see [`super::crew`].
struct Orders {
    plan: Arc<Plan>,
    setting: RunContext,
    seats: Arc<[Seat]>,
    last_step: Arc<LastStep>,
    out: SyncSender<RunnerMessage>,
}

/// What the thread does now. It changes for each file, so the thread does not send
/// it: the collector reads it from here.
#[derive(Debug, Default)]
struct LastStep(Mutex<Told>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    count: u64,
    job: usize,
    step: Option<LayoutStep>,
}

impl LastStep {
    fn tell(&self, job: usize, step: LayoutStep) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *told = Told { count: told.count + 1, job, step: Some(step) };
    }

    /// The last step, if it came after the step that was seen last.
    fn new_since(&self, seen: &mut u64) -> Option<(usize, LayoutStep)> {
        let told = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = std::mem::replace(seen, told.count) != told.count;
        told.step.filter(|_| is_new).map(|step| (told.job, step))
    }
}

impl Collector<'_> {
    /// Has the files of all clones laid out, one clone after the other. Ends
    /// early when a target does not answer; then the run is over.
    pub(super) fn lay_out(&mut self, out: &SyncSender<RunnerMessage>, inbox: &Receiver<RunnerMessage>) {
        self.pass_interrupt_on();
        let (plan, setting) = (self.plan.clone(), self.setting.clone());
        let (last_step, mut seen) = (Arc::<LastStep>::default(), 0);
        let orders = Orders {
            plan,
            setting,
            seats: self.crew.seats(),
            last_step: last_step.clone(),
            out: out.clone(),
        };
        if let Err(e) = self.crew.lay_out(move || work(orders)) {
            let why = failure(e.raw_os_error().unwrap_or(0), format!("cannot start the layout thread: {e}"));
            self.laid_out = vec![Err(why); self.plan.jobs.len()];
        }
        while self.laid_out.len() < self.plan.jobs.len() && self.given_up.is_empty() {
            match self.next(inbox) {
                Some(RunnerMessage::LaidOut { job, result }) => {
                    self.watchdog.rests(job as usize);
                    self.laid_out.push(result);
                    self.laying_bytes = 0;
                }
                Some(other) => drop(self.take(other)),
                None => {}
            }
            // The reported step may be older or newer than the message.
            let told = last_step.new_since(&mut seen).filter(|(job, _)| *job == self.laid_out.len());
            if let Some((job, step)) = told {
                self.hear_layout(job, step);
            }
            self.pass_interrupt_on();
            self.check_silence();
        }
        self.crew.end_layout(self.given_up.is_empty());
    }

    /// Passes a request to stop on to the layout of every clone.
    fn pass_interrupt_on(&self) {
        if let Some(reason) = self.setting.interrupt.requested() {
            self.crew.stop_all(reason);
        }
    }

    fn hear_layout(&mut self, job: usize, step: LayoutStep) {
        let now = self.now();
        match step {
            LayoutStep::Opens => self.watchdog.prepares(job, now),
            LayoutStep::Fills { bytes } => {
                self.laying_bytes = bytes;
                self.note_fill(job, now);
            }
            LayoutStep::Syncs => self.watchdog.syncs(job, now),
        }
    }
}

/// Lays everything out. It reports the result of every clone, because the collector
/// waits for that: a panic, which is a defect of fathom, fails its job alone.
fn work(orders: Orders) {
    let Orders { plan, setting, seats, last_step, out } = orders;
    let mut layout = FileLayout::default();
    for (job, planned) in plan.jobs.iter().enumerate() {
        seats[job].take();
        let (job_id, at_ns) = (job as u32, setting.clock.since_origin(setting.clock.now()));
        let _ = out.send(RunnerMessage::Phase { job: job_id, phase: Phase::Prepare, at_ns });
        let tell = |step| last_step.tell(job, step);
        let one = AssertUnwindSafe(|| layout.prepare(planned, &*setting.targets, &seats[job].stop, &tell));
        let result = catch_unwind(one).unwrap_or_else(|_| {
            Err(failure(0, "the layout of files panicked: this is a defect of fathom".to_owned()))
        });
        let _ = out.send(RunnerMessage::LaidOut { job: job_id, result });
    }
}
