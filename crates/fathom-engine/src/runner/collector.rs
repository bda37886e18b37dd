//! The collector: starts workers, passes on what they say, stops them.

use super::Setting;
use super::gate::{LOOK, tickets};
use super::thread::{Orders, blank, work};
use crate::schedule::Schedule;
use crate::sink::{Sink, Stop, StopReason};
use crate::worker::failure;
use crate::worker::message::Message;
use fathom_job::options as opt;
use fathom_job::plan::Plan;
use fathom_results::{EndedBy, Frame, JobFailure, JobOutcome};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread::{Builder, Scope};

/// Per clone: bytes laid out, or why that failed.
pub type LaidOut = Vec<Result<u64, JobFailure>>;

/// What the collecting thread knows.
pub struct Collector<'a, 'env> {
    plan: &'env Plan,
    setting: &'env Setting<'env>,
    sink: &'a mut dyn Sink,
    stops: &'env [Stop],
    schedule: Schedule<'env>,
    laid_out: LaidOut,
}

/// A clone about to start, and how much was laid out for it.
struct Startable {
    job: usize,
    layout_bytes: u64,
}

impl<'a, 'env> Collector<'a, 'env> {
    /// Nothing has started.
    pub fn new(
        plan: &'env Plan,
        setting: &'env Setting<'env>,
        sink: &'a mut dyn Sink,
        stops: &'env [Stop],
        laid_out: LaidOut,
    ) -> Self {
        Collector { plan, setting, sink, stops, schedule: Schedule::new(plan), laid_out }
    }

    /// Runs the schedule to its end.
    pub fn collect<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        out: &SyncSender<Message>,
        inbox: &Receiver<Message>,
    ) {
        self.stop_if_asked();
        self.start_ready(scope, out);
        while !self.schedule.is_over() {
            match inbox.recv_timeout(LOOK) {
                Ok(message) => {
                    if let Some(ended) = self.take(message) {
                        self.after_end(&ended);
                        self.start_ready(scope, out);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.stop_if_asked();
        }
    }

    fn stop_if_asked(&mut self) {
        if self.setting.interrupt.requested().is_none() {
            return;
        }
        for stop in self.stops {
            stop.request(StopReason::Interrupt);
        }
        for job in self.schedule.abandon() {
            self.never_started(job, EndedBy::Interrupt, None);
        }
    }

    /// Passes a message on; returns the outcome if a worker ended.
    fn take(&mut self, message: Message) -> Option<JobOutcome> {
        match message {
            Message::Window { job, phase, start_ns, end_ns, mut tally, back } => {
                let window = tally.window(job, phase, start_ns, end_ns);
                tally.clear();
                let _ = back.try_send(tally);
                self.sink.frame(&Frame::Window(Box::new(window)));
            }
            Message::Phase { job, phase, at_ns } => self.sink.frame(&Frame::Phase { job, phase, at_ns }),
            Message::Log(chunk) => self.sink.log(&chunk),
            Message::Ended(outcome) => {
                self.sink.frame(&Frame::Ended(outcome.clone()));
                return Some(*outcome);
            }
        }
        None
    }

    fn after_end(&mut self, outcome: &JobOutcome) {
        let job = outcome.job as usize;
        self.schedule.ended(job);
        for other in self.schedule.exits_with(job, outcome.failure.is_some()) {
            self.stops[other].request(StopReason::Exitall);
        }
    }

    fn start_ready<'scope>(&mut self, scope: &'scope Scope<'scope, 'env>, out: &SyncSender<Message>) {
        loop {
            let ready = self.schedule.start();
            if ready.is_empty() {
                return;
            }
            let startable: Vec<Startable> = ready.into_iter().filter_map(|job| self.startable(job)).collect();
            self.spawn(scope, out, startable);
        }
    }

    /// The clone if it can start; else how it ended without.
    fn startable(&mut self, job: usize) -> Option<Startable> {
        let creates_only = self.plan.jobs[job].job.get(&opt::CREATE_ONLY);
        let is_stopped = self.stops[job].requested().is_some();
        match self.laid_out[job].clone() {
            Err(why) => self.end_unstarted(job, EndedBy::Error, Some(why)),
            Ok(_) if is_stopped => self.end_unstarted(job, EndedBy::Exitall, None),
            Ok(_) if creates_only => self.end_unstarted(job, EndedBy::Size, None),
            Ok(layout_bytes) => return Some(Startable { job, layout_bytes }),
        }
        None
    }

    /// Threads for the clones, with a common start.
    fn spawn<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        out: &SyncSender<Message>,
        startable: Vec<Startable>,
    ) {
        let tickets = tickets(startable.len());
        for (Startable { job, layout_bytes }, ticket) in startable.into_iter().zip(tickets) {
            let (plan, stop) = (&self.plan.jobs[job], &self.stops[job]);
            let orders = Orders { plan, setting: self.setting, stop, out: out.clone(), ticket };
            if let Err(e) = Builder::new().spawn_scoped(scope, move || work(orders, layout_bytes)) {
                let why = failure(e.raw_os_error().unwrap_or(0), format!("no thread for a worker: {e}"));
                self.end_unstarted(job, EndedBy::Error, Some(why));
            }
        }
    }

    fn end_unstarted(&mut self, job: usize, rule: EndedBy, why: Option<JobFailure>) {
        let outcome = self.never_started(job, rule, why);
        if outcome.failure.is_some() {
            self.after_end(&outcome);
        } else {
            self.schedule.ended(job);
        }
    }

    fn never_started(&mut self, job: usize, ended_by: EndedBy, failure: Option<JobFailure>) -> JobOutcome {
        let layout_bytes = self.laid_out[job].as_ref().map_or(0, |b| *b);
        let blank = blank(job as u32, self.setting.clock);
        let outcome = JobOutcome { layout_bytes, ended_by, failure, ..blank };
        self.sink.frame(&Frame::Ended(Box::new(outcome.clone())));
        outcome
    }
}

impl Drop for Collector<'_, '_> {
    /// A sink that panics must not leave workers running: the scope waits for
    /// them.
    fn drop(&mut self) {
        for stop in self.stops {
            stop.request(StopReason::Interrupt);
        }
    }
}
