//! Runs a plan on this machine: layout, start, collect, end.
//!
//! One thread a clone; the calling thread is the collector, which alone owns
//! the [`Sink`]. A worker that ends frees those that wait for it; nothing here
//! is shared with the loops but the byte that asks them to stop.

use crate::clock::Clock;
use crate::engine::{self, EngineEntry};
use crate::finish;
use crate::layout::Layout;
use crate::open;
use crate::schedule::Schedule;
use crate::sink::{Sink, Stop, StopReason};
use crate::target::TargetSource;
use crate::worker::recorder::Message;
use crate::worker::{Shared, Worker, failure};
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{EndedBy, Event, Frame, JobFailure, JobOutcome, Phase, Usage};
use std::sync::Barrier;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Scope;
use std::time::Duration;

/// What a run needs besides its plan.
pub struct Setting<'a> {
    /// Where targets come from.
    pub targets: &'a dyn TargetSource,
    /// The clock.
    pub clock: Clock,
    /// Asked to stop from outside (a signal).
    pub interrupt: &'a Stop,
}

/// How often the collector looks whether it is asked to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Messages that may wait for the collector: 16 windows of 1,024 workers would
/// be a collector seconds behind; then workers go on in their open window.
const QUEUE: usize = 4096;

/// Runs every job of the plan; returns when all have ended. How each ended
/// goes to the sink as [`Frame::Ended`].
pub fn run(plan: &Plan, setting: &Setting<'_>, sink: &mut dyn Sink) {
    let (out, inbox) = sync_channel(QUEUE);
    let stops: Vec<Stop> = plan.jobs.iter().map(|_| Stop::default()).collect();
    let laid_out = lay_out(plan, setting, sink);
    std::thread::scope(|scope| {
        let mut collector =
            Collector { plan, setting, sink, stops: &stops, schedule: Schedule::new(plan), laid_out };
        collector.collect(scope, &out, &inbox);
    });
    for job in plan.jobs.iter().filter(|j| j.job.get(&opt::UNLINK)) {
        for file in &job.files {
            if let Err(e) = setting.targets.unlink(&file.path) {
                let text = format!("{}: not removed: {e}", file.path);
                sink.frame(&Frame::Event(Event { at_ns: 0, job: Some(job.id), kind: "unlink".into(), text }));
            }
        }
    }
}

/// Per clone: bytes laid out, or why that failed.
type LaidOut = Vec<Result<u64, JobFailure>>;

fn lay_out(plan: &Plan, setting: &Setting<'_>, sink: &mut dyn Sink) -> LaidOut {
    let mut layout = Layout::default();
    let mut one = |job: &PlannedJob| {
        let at_ns = setting.clock.since_origin(setting.clock.now());
        sink.frame(&Frame::Phase { job: job.id, phase: Phase::Prepare, at_ns });
        layout.prepare(job, setting.targets, setting.interrupt)
    };
    plan.jobs.iter().map(&mut one).collect()
}

struct Collector<'a, 'env> {
    plan: &'env Plan,
    setting: &'env Setting<'env>,
    sink: &'a mut dyn Sink,
    stops: &'env [Stop],
    schedule: Schedule<'env>,
    laid_out: LaidOut,
}

impl<'env> Collector<'_, 'env> {
    fn collect<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
        out: &SyncSender<Message>,
        inbox: &Receiver<Message>,
    ) {
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
            if self.setting.interrupt.requested().is_some() {
                self.stop_all();
            }
        }
    }

    fn stop_all(&mut self) {
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
            Message::Event(event) => self.sink.frame(&Frame::Event(event)),
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
            let mut startable = Vec::new();
            for job in ready {
                match &self.laid_out[job] {
                    Err(e) => {
                        let (rule, why) = match self.setting.interrupt.requested() {
                            Some(_) => (EndedBy::Interrupt, None),
                            None => (EndedBy::Error, Some(e.clone())),
                        };
                        self.end_unstarted(job, rule, why);
                    }
                    Ok(_) if self.stops[job].requested().is_some() => {
                        self.end_unstarted(job, EndedBy::Exitall, None)
                    }
                    Ok(_) if self.plan.jobs[job].job.get(&opt::CREATE_ONLY) => {
                        self.end_unstarted(job, EndedBy::Size, None);
                    }
                    Ok(bytes) => startable.push((job, *bytes)),
                }
            }
            self.spawn(scope, out, startable);
        }
    }

    fn end_unstarted(&mut self, job: usize, rule: EndedBy, why: Option<JobFailure>) {
        self.never_started(job, rule, why);
        self.schedule.ended(job);
    }

    fn spawn<'scope>(
        &self,
        scope: &'scope Scope<'scope, 'env>,
        out: &SyncSender<Message>,
        jobs: Vec<(usize, u64)>,
    ) {
        let barrier = std::sync::Arc::new(Barrier::new(jobs.len()));
        for (job, layout_bytes) in jobs {
            let plan = &self.plan.jobs[job];
            let (setting, stop, out, barrier) =
                (self.setting, &self.stops[job], out.clone(), barrier.clone());
            scope.spawn(move || {
                let mut outcome = run_worker(plan, setting, stop, &out, &barrier);
                outcome.layout_bytes = layout_bytes;
                let _ = out.send(Message::Ended(Box::new(outcome)));
            });
        }
    }

    fn never_started(&mut self, job: usize, ended_by: EndedBy, failure: Option<JobFailure>) {
        let mut outcome = blank(job as u32, self.setting.clock);
        outcome.layout_bytes = self.laid_out[job].as_ref().map_or(0, |b| *b);
        outcome.ended_by = ended_by;
        outcome.failure = failure;
        self.sink.frame(&Frame::Ended(Box::new(outcome)));
    }
}

fn blank(job: u32, clock: Clock) -> JobOutcome {
    JobOutcome {
        job,
        at_ns: clock.since_origin(clock.now()),
        ended_by: EndedBy::Error,
        failure: None,
        measured_ns: None,
        usage: Usage::default(),
        layout_bytes: 0,
        sizes: Default::default(),
        notes: Vec::new(),
    }
}

/// The body of a worker's thread.
fn run_worker(
    plan: &PlannedJob,
    setting: &Setting<'_>,
    stop: &Stop,
    out: &SyncSender<Message>,
    barrier: &Barrier,
) -> JobOutcome {
    let mut outcome = blank(plan.id, setting.clock);
    let shared = Shared { targets: setting.targets, clock: setting.clock, out: out.clone(), stop };
    let delay = Duration::from_nanos(plan.start_delay.0);
    let at_start = Box::new(move || {
        barrier.wait();
        sleep_unless(delay, stop);
    });
    let ready = ready(plan, &shared, at_start);
    let (entry, mut worker) = match ready {
        Ok(ready) => ready,
        Err(why) => {
            // The others wait for everybody.
            barrier.wait();
            outcome.failure = Some(why);
            return outcome;
        }
    };
    let end = (entry.run)(&mut worker);
    let synced = finish::sync_at_end(&mut worker);
    let measured = worker.recorder.finish();
    outcome.at_ns = setting.clock.since_origin(setting.clock.now());
    outcome.failure = end.failure.or_else(|| synced.err());
    outcome.ended_by = if outcome.failure.is_some() { EndedBy::Error } else { end.ended_by };
    outcome.measured_ns = measured.window_ns;
    outcome.usage = measured.usage;
    outcome.sizes = worker.source.sizes_drawn();
    outcome.notes = end.notes;
    outcome.notes.push(("clock".into(), setting.clock.name().into()));
    outcome.notes.push(("buffers.huge_pages".into(), worker.buffers.is_huge().to_string()));
    outcome
}

fn ready<'a>(
    plan: &'a PlannedJob,
    shared: &Shared<'a>,
    at_start: Box<dyn FnOnce() + Send + 'a>,
) -> Result<(&'static EngineEntry, Worker<'a>), JobFailure> {
    let entry = engine::find(&plan.engine).ok_or_else(|| failure(0, format!("no engine {}", plan.engine)))?;
    let worker = Worker::prepare(plan, entry, shared, at_start)?;
    open::settle_cache(plan, &worker.files).map_err(|e| {
        failure(e.raw_os_error().unwrap_or(0), format!("reading the files into the cache: {e}"))
    })?;
    Ok((entry, worker))
}

/// `startdelay`, cut short when somebody asks to stop.
fn sleep_unless(delay: Duration, stop: &Stop) {
    let end = std::time::Instant::now() + delay;
    while stop.requested().is_none() {
        let left = end.saturating_duration_since(std::time::Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK));
    }
}
