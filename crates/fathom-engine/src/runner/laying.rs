//! Files are laid out on a thread of its own, which is watched like a worker: a
//! target may stop answering before anything is measured.

use super::Setting;
use super::collector::Collector;
use super::crew::Seat;
use crate::layout::{Layout, Step};
use crate::worker::failure;
use crate::worker::message::Message;
use fathom_job::plan::Plan;
use fathom_results::{JobFailure, Phase};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

/// Per clone: bytes laid out, or why that failed.
pub type LaidOut = Vec<Result<u64, JobFailure>>;

/// What the thread is given, all of it its own: see [`super::crew`].
struct Orders {
    plan: Arc<Plan>,
    setting: Setting,
    seats: Arc<[Seat]>,
    out: SyncSender<Message>,
}

impl Collector<'_> {
    /// Has the files of all clones laid out, one clone after the other. Ends
    /// early when a target does not answer; then the run is over.
    pub(super) fn lay_out(&mut self, out: &SyncSender<Message>, inbox: &Receiver<Message>) {
        self.pass_interrupt_on();
        let (plan, setting) = (self.plan.clone(), self.setting.clone());
        let orders = Orders { plan, setting, seats: self.crew.seats(), out: out.clone() };
        if let Err(e) = self.crew.lay_out(move || work(orders)) {
            let why = failure(e.raw_os_error().unwrap_or(0), format!("no thread to lay files out: {e}"));
            self.laid_out = vec![Err(why); self.plan.jobs.len()];
        }
        while self.laid_out.len() < self.plan.jobs.len() && self.given_up.is_empty() {
            match self.next(inbox) {
                Some(Message::LaysOut { job, step }) => self.hear_layout(job as usize, step),
                Some(other) => drop(self.take(other)),
                None => {}
            }
            self.pass_interrupt_on();
            self.look_after();
        }
        self.crew.end_layout(self.given_up.is_empty());
    }

    /// A request to stop reaches the layout of every clone.
    fn pass_interrupt_on(&self) {
        if let Some(reason) = self.setting.interrupt.requested() {
            self.crew.stop_all(reason);
        }
    }

    /// Takes note of a step.
    fn hear_layout(&mut self, job: usize, step: Step) {
        let now = self.now();
        match step {
            Step::Opens => self.watchdog.prepares(job, now),
            Step::Fills { bytes } => {
                self.laying_bytes = bytes;
                self.hear_fill(job, now);
            }
            Step::Syncs => self.watchdog.syncs(job, now),
            Step::Ends(result) => {
                self.watchdog.rests(job);
                self.laid_out.push(result);
                self.laying_bytes = 0;
            }
        }
    }
}

/// Lays everything out. It tells of every clone, since the collector waits for
/// that: a panic, which is a defect of ours, fails its job alone.
fn work(orders: Orders) {
    let Orders { plan, setting, seats, out } = orders;
    let mut layout = Layout::default();
    for (job, planned) in plan.jobs.iter().enumerate() {
        seats[job].take();
        let (job_id, at_ns) = (job as u32, setting.clock.since_origin(setting.clock.now()));
        let _ = out.send(Message::Phase { job: job_id, phase: Phase::Prepare, at_ns });
        let tell = |step| {
            let _ = out.send(Message::LaysOut { job: job_id, step });
        };
        let one = AssertUnwindSafe(|| layout.prepare(planned, &*setting.targets, &seats[job].stop, &tell));
        let result = catch_unwind(one).unwrap_or_else(|_| {
            Err(failure(0, "laying out panicked: this is a defect of fathom".to_owned()))
        });
        tell(Step::Ends(result));
    }
}
