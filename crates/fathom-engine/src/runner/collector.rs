//! The collector: has files laid out, starts workers, passes on their messages, stops them.

use super::crew::{Crew, Seat};
use super::gate::{LOOK, tickets};
use super::thread::{Orders, blank, work};
use super::watchdog::{Heard, Watchdog};
use super::{RunContext, startable};
use crate::layout::{FileLayout, LayoutStep};
use crate::schedule::{StartOrder, ends_unstarted};
use crate::sink::{Sink, StopReason};
use crate::source::seed::fresh_seed;
use crate::worker::{RunnerMessage, SharedByJobs, failure, window_of};
use fathom_job::plan::Plan;
use fathom_results::{EndedBy, Frame, JobFailure, JobOutcome, Phase, Window};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub struct Collector<'a> {
    pub(super) plan: &'a Arc<Plan>,
    pub(super) setting: &'a RunContext,
    pub(super) sink: &'a mut dyn Sink,
    pub(super) crew: &'a mut Crew,
    pub(super) schedule: StartOrder<'a>,
    pub(super) watchdog: Watchdog,
    /// When the watchdog looks next.
    pub(super) look_at: Instant,
    /// Plan ids of workers that were given up.
    pub(super) given_up: Vec<u32>,
    /// For each clone whose files were laid out, in the order of the plan.
    pub(super) laid_out: LaidOut,
    /// Bytes written so far for the clone whose files are being laid out.
    pub(super) laying_bytes: u64,
    open_files_max: usize,
    among_jobs: Arc<SharedByJobs>,
    /// When the files were laid out and the first jobs could start.
    begun: Instant,
    /// The run is ending: no further clone starts.
    is_ending: bool,
}

/// A clone that can start, and how much was laid out for it.
struct Startable {
    job: usize,
    layout_bytes: u64,
}

impl<'a> Collector<'a> {
    pub fn new(
        plan: &'a Arc<Plan>,
        setting: &'a RunContext,
        sink: &'a mut dyn Sink,
        crew: &'a mut Crew,
        open_files_max: usize,
    ) -> Self {
        let now = Heard { at: Instant::now(), run_ns: 0 };
        let watchdog = Watchdog::new(plan.jobs.len(), setting.patience, now);
        Collector {
            plan,
            setting,
            sink,
            crew,
            schedule: StartOrder::new(plan),
            watchdog,
            look_at: now.at,
            given_up: Vec::new(),
            laid_out: Vec::with_capacity(plan.jobs.len()),
            laying_bytes: 0,
            open_files_max,
            among_jobs: Arc::new(SharedByJobs::new(fresh_seed())),
            begun: now.at,
            is_ending: false,
        }
    }

    /// Has files laid out, then runs the schedule to its end. Returns the plan ids of
    /// the workers that were given up.
    pub fn collect(mut self, out: &SyncSender<RunnerMessage>, inbox: &Receiver<RunnerMessage>) -> Vec<u32> {
        self.lay_out(out, inbox);
        self.begun = Instant::now();
        self.stop_if_asked();
        self.start_ready(out);
        while !self.schedule.is_over() {
            if let Some(message) = self.next(inbox)
                && let Some(ended) = self.take(message)
            {
                self.after_end(&ended);
                self.start_ready(out);
            }
            self.stop_if_asked();
            self.check_silence();
        }
        self.given_up
    }

    /// The next message; waits for it for a short time.
    pub(super) fn next(&mut self, inbox: &Receiver<RunnerMessage>) -> Option<RunnerMessage> {
        let now = Instant::now();
        match inbox.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Empty) => {
                self.watchdog.caught_up(now);
                let received = inbox.recv_timeout(LOOK).ok();
                if let Some(halt) = halt(now.elapsed()) {
                    self.watchdog.halted(halt);
                }
                received
            }
            Err(TryRecvError::Disconnected) => None,
        }
    }

    fn stop_if_asked(&mut self) {
        if !self.is_ending && self.setting.interrupt.requested().is_some() {
            self.end_all();
        }
    }

    /// Asks everything that runs to stop; no further clone starts.
    pub(super) fn end_all(&mut self) {
        self.is_ending = true;
        self.crew.stop_all(StopReason::Interrupt);
        for job in self.schedule.abandon() {
            self.never_started(job, EndedBy::Interrupt, None);
        }
    }

    /// Passes a message on; returns the outcome if a worker ended.
    pub(super) fn take(&mut self, message: RunnerMessage) -> Option<JobOutcome> {
        match message {
            RunnerMessage::Window { job, phase, start_ns, end_ns, tally, back } => {
                let in_flight = tally.in_flight;
                let window = window_of(job, phase, (start_ns, end_ns), tally, &back);
                self.pass_on(window, in_flight);
            }
            RunnerMessage::Quiet { job, phase, start_ns, end_ns, in_flight } => {
                self.pass_on(Window::quiet(job, phase, start_ns, end_ns), in_flight);
            }
            RunnerMessage::Phase { job, phase, at_ns } if self.listens_to(job) => {
                self.note_phase(job as usize, phase, at_ns);
                self.sink.frame(&Frame::Phase { job, phase, at_ns });
            }
            RunnerMessage::WrongBlock(block) => self.sink.wrong_block(&block),
            RunnerMessage::Log(chunk) if self.listens_to(chunk.job) => self.sink.log(chunk),
            RunnerMessage::VerifyState { job, bytes } if self.listens_to(job) => {
                self.sink.verify_state(job, bytes)
            }
            RunnerMessage::Ended(outcome) if self.listens_to(outcome.job) => {
                self.watchdog.ended(outcome.job as usize);
                self.crew.join(outcome.job as usize);
                self.sink.frame(&Frame::Ended(outcome.clone()));
                self.end_steady();
                return Some(*outcome);
            }
            RunnerMessage::Phase { .. }
            | RunnerMessage::Log(_)
            | RunnerMessage::VerifyState { .. }
            | RunnerMessage::Ended(_)
            | RunnerMessage::LaidOut { .. } => {}
        }
        None
    }

    fn pass_on(&mut self, window: Window, in_flight: u32) {
        if self.listens_to(window.job) {
            self.note_window(&window, in_flight);
            self.sink.frame(&Frame::Window(Box::new(window)));
            self.end_steady();
        }
    }

    /// Asks the jobs to stop that the sink says need not go on.
    fn end_steady(&mut self) {
        for job in self.sink.ends() {
            self.crew.seat(job as usize).stop.request(StopReason::Steady);
        }
    }

    /// Are messages of this worker used? Not after it was given up.
    fn listens_to(&self, job: u32) -> bool {
        !self.watchdog.has_ended(job as usize)
    }

    /// The present time on both clocks.
    pub(super) fn now(&self) -> Heard {
        let clock = self.setting.clock;
        Heard { at: Instant::now(), run_ns: clock.since_origin(clock.now()) }
    }

    fn after_end(&mut self, outcome: &JobOutcome) {
        let job = outcome.job as usize;
        self.schedule.ended(job);
        for other in self.schedule.exits_with(job, outcome.failure.is_some()) {
            self.crew.seat(other).stop.request(StopReason::Exitall);
        }
    }

    fn start_ready(&mut self, out: &SyncSender<RunnerMessage>) {
        while let Some(ready) = startable(&mut self.schedule, self.sink) {
            let startable: Vec<Startable> = ready.into_iter().filter_map(|job| self.startable(job)).collect();
            self.spawn(out, startable);
        }
    }

    /// The clone if it can start; otherwise reports why it ended without a start.
    fn startable(&mut self, job: usize) -> Option<Startable> {
        let stopped = self.crew.seat(job).stop.requested();
        match self.laid_out[job].clone() {
            Err(why) => self.end_unstarted(job, EndedBy::Error, Some(why)),
            Ok(layout_bytes) => match ends_unstarted(&self.plan.jobs[job], stopped) {
                Some(rule) => self.end_unstarted(job, rule, None),
                None => return Some(Startable { job, layout_bytes }),
            },
        }
        None
    }

    /// Starts threads for the clones, with a common start.
    fn spawn(&mut self, out: &SyncSender<RunnerMessage>, startable: Vec<Startable>) {
        let tickets = tickets(startable.len());
        for (Startable { job, layout_bytes }, ticket) in startable.into_iter().zip(tickets) {
            let (plan, setting, seats) = (self.plan.clone(), self.setting.clone(), self.crew.seats());
            let (open_files_max, among_jobs, out) =
                (self.open_files_max, self.among_jobs.clone(), out.clone());
            let (begun, ticket) = (self.begun, Some(ticket));
            let orders = Orders { plan, job, setting, open_files_max, seats, among_jobs, out, begun, ticket };
            self.watchdog.prepares(job, self.now());
            if let Err(e) = self.crew.spawn(job, move || work(orders, layout_bytes)) {
                let why = failure(e.raw_os_error().unwrap_or(0), format!("cannot start a worker: {e}"));
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
            let loads = self.schedule.loads_without_io();
            loads.into_iter().for_each(|load| self.crew.seat(load).stop.request(StopReason::Exitall));
        }
    }

    fn never_started(&mut self, job: usize, ended_by: EndedBy, failure: Option<JobFailure>) -> JobOutcome {
        self.watchdog.ended(job);
        let layout_bytes = self.laid_out(job);
        let blank = blank(job as u32, self.setting.clock);
        let outcome = JobOutcome { layout_bytes, ended_by, failure, ..blank };
        self.sink.frame(&Frame::Ended(Box::new(outcome.clone())));
        outcome
    }

    pub(super) fn laid_out(&self, job: usize) -> u64 {
        match self.laid_out.get(job) {
            Some(result) => result.as_ref().map_or(0, |bytes| *bytes),
            None if job == self.laid_out.len() => self.laying_bytes,
            None => 0,
        }
    }
}

/// A wait that is over by so much later than it should be was a halt of the whole process.
const HALT_MIN: Duration = Duration::from_millis(500);

/// The halt in a wait that took so long.
fn halt(waited: Duration) -> Option<Duration> {
    Some(waited.saturating_sub(LOOK)).filter(|late| *late >= HALT_MIN)
}

// Files are laid out by a thread of its own, which is watched like a worker: a target may stop answering
// before anything is measured.

/// Per clone: bytes laid out, or why that failed.
pub type LaidOut = Vec<Result<u64, JobFailure>>;

/// What the layout thread needs. The thread owns all of it: see [`super::crew`].
struct LayoutOrders {
    plan: Arc<Plan>,
    setting: RunContext,
    seats: Arc<[Seat]>,
    last_step: Arc<LastStep>,
    out: SyncSender<RunnerMessage>,
}

/// What the thread does now. It changes for each file, so the thread does not send
/// it: the collector reads it from here.
#[derive(Debug, Default)]
struct LastStep(Mutex<NumberedStep>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NumberedStep {
    count: u64,
    job: usize,
    step: Option<LayoutStep>,
}

impl LastStep {
    fn set(&self, job: usize, step: LayoutStep) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = NumberedStep { count: last.count + 1, job, step: Some(step) };
    }

    /// The last step, if it came after the step with that count.
    fn new_since(&self, count: &mut u64) -> Option<(usize, LayoutStep)> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = std::mem::replace(count, last.count) != last.count;
        last.step.filter(|_| is_new).map(|step| (last.job, step))
    }
}

impl Collector<'_> {
    /// Has the files of all clones laid out, one clone after the other. Ends
    /// early when a target does not answer; then the run is over.
    pub(super) fn lay_out(&mut self, out: &SyncSender<RunnerMessage>, inbox: &Receiver<RunnerMessage>) {
        self.pass_interrupt_on();
        let (plan, setting) = (self.plan.clone(), self.setting.clone());
        let (last_step, mut count) = (Arc::<LastStep>::default(), 0);
        let orders = LayoutOrders {
            plan,
            setting,
            seats: self.crew.seats(),
            last_step: last_step.clone(),
            out: out.clone(),
        };
        if let Err(e) = self.crew.lay_out(move || lay_out_all(orders)) {
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
            let step = last_step.new_since(&mut count).filter(|(job, _)| *job == self.laid_out.len());
            if let Some((job, step)) = step {
                self.note_layout(job, step);
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

    fn note_layout(&mut self, job: usize, step: LayoutStep) {
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
fn lay_out_all(orders: LayoutOrders) {
    let LayoutOrders { plan, setting, seats, last_step, out } = orders;
    let mut layout = FileLayout::default();
    for (job, planned) in plan.jobs.iter().enumerate() {
        seats[job].take();
        let (job_id, at_ns) = (job as u32, setting.clock.since_origin(setting.clock.now()));
        let _ = out.send(RunnerMessage::Phase { job: job_id, phase: Phase::Prepare, at_ns });
        let note = |step| last_step.set(job, step);
        let one = AssertUnwindSafe(|| layout.prepare(planned, &*setting.targets, &seats[job].stop, &note));
        let result = catch_unwind(one).unwrap_or_else(|_| {
            Err(failure(0, "the layout of files panicked: this is a defect of fathom".to_owned()))
        });
        let _ = out.send(RunnerMessage::LaidOut { job: job_id, result });
    }
}
