//! The runner in virtual time: one thread, and a clock that nothing real moves.
//!
//! All workers of the plan take turns in the calling thread, in the order of
//! virtual time (`timeline::Turns`). Everything else is what threads use: the
//! worker's body and loop, the order of jobs, the messages. Between two turns the
//! runner takes what was sent, as the collector of threads does.
//!
//! Two runs of a plan with the same seeds give the same frames, in the same order,
//! byte for byte. So nothing of this machine enters a frame: what a worker used
//! (CPU time, switches, faults) is zero, and there is no watchdog, because
//! no worker can be inside a call that does not return. A job's CPUs, memory nodes and
//! priorities have no effect, because a worker has no thread of its own.

use super::crew::Seat;
use super::thread::{Orders, blank, work};
use super::watchdog::Patience;
use super::{RunContext, Runner, RunnerEnd, startable};
use crate::clock::Clock;
use crate::engine;
use crate::schedule::{StartOrder, ends_unstarted};
use crate::simulated::SimulatedDrives;
use crate::sink::{Sink, Stop, StopReason};
use crate::target::{OpenHow, OpenTarget, SharedDrive, TargetSource, TraceBytes};
use crate::timeline::Turns;
use crate::worker::{RunnerMessage, SharedByJobs, failure, window_of};
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{EndedBy, Frame, JobFailure, JobOutcome, Phase, Window};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

/// Messages that may wait: a worker sends at most three before they are taken.
const QUEUE: usize = 16;

/// Runs a plan whose engines all live in virtual time. They have no files, so it
/// needs nothing of this machine.
#[derive(Clone, Default)]
pub struct VirtualTime {
    /// The simulated drives, as the runs before this one left them.
    pub drives: Arc<SimulatedDrives>,
    /// Where the traces of jobs come from; `None` for a plan without one.
    pub traces: Option<Arc<dyn TargetSource + Send + Sync>>,
}

impl TargetSource for VirtualTime {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        self.drives.open(path, how)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        self.drives.unlink(path)
    }

    fn traces(&self, job: u32) -> io::Result<Vec<Box<dyn TraceBytes>>> {
        self.traces.as_ref().map_or_else(|| self.drives.traces(job), |traces| traces.traces(job))
    }

    fn simulated(&self, name: &str) -> io::Result<SharedDrive> {
        self.drives.simulated(name)
    }
}

impl Runner for VirtualTime {
    fn run(&self, plan: &Arc<Plan>, interrupt: &Arc<Stop>, sink: &mut dyn Sink) -> RunnerEnd {
        self.drives.begin_run();
        Conductor::new(plan, self.clone(), interrupt, sink).conduct();
        RunnerEnd::default()
    }
}

/// Starts workers, gives them turns, and passes on what they send.
struct Conductor<'a> {
    plan: &'a Arc<Plan>,
    setting: RunContext,
    sink: &'a mut dyn Sink,
    schedule: StartOrder<'a>,
    turns: Turns,
    seats: Arc<[Seat]>,
    among_jobs: Arc<SharedByJobs>,
    out: SyncSender<RunnerMessage>,
    inbox: Receiver<RunnerMessage>,
    /// The run is ending: no further clone starts.
    is_ending: bool,
}

impl<'a> Conductor<'a> {
    fn new(
        plan: &'a Arc<Plan>,
        targets: VirtualTime,
        interrupt: &Arc<Stop>,
        sink: &'a mut dyn Sink,
    ) -> Conductor<'a> {
        let (out, inbox) = sync_channel(QUEUE);
        Conductor {
            plan,
            setting: RunContext {
                targets: Arc::new(targets),
                clock: Clock::virtual_time(),
                interrupt: interrupt.clone(),
                patience: Patience::USUAL,
            },
            sink,
            schedule: StartOrder::new(plan),
            turns: Turns::new(plan.jobs.len()),
            seats: plan.jobs.iter().map(|_| Seat::default()).collect(),
            among_jobs: Arc::new(SharedByJobs::new(0)),
            out,
            inbox,
            is_ending: false,
        }
    }

    fn conduct(mut self) {
        for job in 0..self.plan.jobs.len() as u32 {
            self.sink.frame(&Frame::Phase { job, phase: Phase::Prepare, at_ns: 0 });
        }
        self.stop_if_asked();
        self.start_ready();
        while !self.schedule.is_over() {
            if !self.turns.take() {
                self.end_waiting();
            }
            while let Ok(message) = self.inbox.try_recv() {
                self.pass_on(message);
            }
            self.stop_if_asked();
        }
    }

    fn pass_on(&mut self, message: RunnerMessage) {
        match message {
            RunnerMessage::Window { job, phase, start_ns, end_ns, tally, back } => {
                let window = window_of(job, phase, (start_ns, end_ns), tally, &back);
                self.sink.frame(&Frame::Window(Box::new(window)));
                self.end_steady();
            }
            RunnerMessage::Quiet { job, phase, start_ns, end_ns, .. } => {
                let window = Window::quiet(job, phase, start_ns, end_ns);
                self.sink.frame(&Frame::Window(Box::new(window)));
                self.end_steady();
            }
            RunnerMessage::Phase { job, phase, at_ns } => {
                self.sink.frame(&Frame::Phase { job, phase, at_ns });
            }
            RunnerMessage::WrongBlock(block) => self.sink.wrong_block(&block),
            RunnerMessage::Log(chunk) => self.sink.log(chunk),
            RunnerMessage::VerifyState { job, bytes } => self.sink.verify_state(job, bytes),
            RunnerMessage::LaidOut { .. } => {}
            RunnerMessage::Ended(outcome) => {
                self.sink.frame(&Frame::Ended(outcome.clone()));
                self.end_steady();
                self.after_end(&outcome);
                self.start_ready();
            }
        }
    }

    /// Asks the jobs to stop that the sink says need not go on.
    fn end_steady(&mut self) {
        for job in self.sink.ends() {
            self.seats[job as usize].stop.request(StopReason::Steady);
        }
    }

    fn stop_if_asked(&mut self) {
        if self.is_ending || self.setting.interrupt.requested().is_none() {
            return;
        }
        self.is_ending = true;
        self.seats.iter().for_each(|seat| seat.stop.request(StopReason::Interrupt));
        for job in self.schedule.abandon() {
            self.never_started(job, EndedBy::Interrupt, None);
        }
    }

    /// Nobody runs, and jobs still wait: nothing will ever start them.
    #[cold]
    fn end_waiting(&mut self) {
        for job in self.schedule.abandon() {
            let why = "it waits for jobs that never end: this is a defect of fathom";
            self.never_started(job, EndedBy::Error, Some(failure(0, why.to_owned())));
        }
    }

    fn start_ready(&mut self) {
        while let Some(ready) = startable(&mut self.schedule, self.sink) {
            ready.into_iter().for_each(|job| self.start(job));
        }
    }

    fn start(&mut self, job: usize) {
        let stopped = self.seats[job].stop.requested();
        if let Some(rule) = ends_unstarted(&self.plan.jobs[job], stopped) {
            self.schedule.ended(job);
            return self.never_started(job, rule, None);
        }
        if let Err(why) = self.add_worker(job) {
            let outcome = self.outcome_of_unstarted(job, EndedBy::Error, Some(why));
            self.sink.frame(&Frame::Ended(Box::new(outcome.clone())));
            self.after_end(&outcome);
        }
    }

    fn add_worker(&mut self, job: usize) -> Result<(), JobFailure> {
        let PlannedJob { engine, .. } = &self.plan.jobs[job];
        if !engine::is_virtual(&self.plan.jobs[job]) {
            // It would never wait, and so never end.
            return Err(failure(0, format!("the engine {engine} cannot run in virtual time")));
        }
        let orders = Orders {
            plan: self.plan.clone(),
            job,
            setting: self.setting.clone(),
            open_files_max: usize::MAX,
            seats: self.seats.clone(),
            among_jobs: self.among_jobs.clone(),
            out: self.out.clone(),
            begun: Instant::now(),
            ticket: None,
        };
        self.turns
            .add(job as u32, move || work(orders, 0))
            .map_err(|e| failure(e.raw_os_error().unwrap_or(0), format!("cannot start a worker: {e}")))
    }

    fn after_end(&mut self, outcome: &JobOutcome) {
        let job = outcome.job as usize;
        self.schedule.ended(job);
        for other in self.schedule.exits_with(job, outcome.failure.is_some()) {
            self.seats[other].stop.request(StopReason::Exitall);
        }
    }

    fn never_started(&mut self, job: usize, ended_by: EndedBy, failure: Option<JobFailure>) {
        let outcome = self.outcome_of_unstarted(job, ended_by, failure);
        self.sink.frame(&Frame::Ended(Box::new(outcome)));
    }

    fn outcome_of_unstarted(&self, job: usize, ended_by: EndedBy, failure: Option<JobFailure>) -> JobOutcome {
        JobOutcome { ended_by, failure, ..blank(job as u32, self.setting.clock) }
    }
}

impl Drop for Conductor<'_> {
    /// Ends the workers when a sink panics.
    fn drop(&mut self) {
        self.seats.iter().for_each(|seat| seat.stop.request(StopReason::Interrupt));
        while self.turns.take() {
            for message in self.inbox.try_iter() {
                if let RunnerMessage::Window { tally, back, .. } = message {
                    // The worker waits for it.
                    let _ = back.try_send(tally);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{FRAGILE, planned};
    use crate::log::LogChunk;

    #[derive(Default)]
    struct Ends(Vec<JobOutcome>);

    impl Sink for Ends {
        fn frame(&mut self, frame: &Frame) {
            if let Frame::Ended(outcome) = frame {
                self.0.push((**outcome).clone());
            }
        }
        fn log(&mut self, _: LogChunk) {}
    }

    #[test]
    fn a_job_in_real_time_is_refused() {
        let mut ends = Ends::default();
        let plan = planned("[j]\nioengine=null\nrw=read\nsize=1m\ntime_based\nruntime=1s\n");
        VirtualTime::default().run(&Arc::new(plan), &Arc::default(), &mut ends);
        let why = ends.0[0].failure.as_ref().expect("it has no virtual clock");
        assert_eq!(why.message, "the engine null cannot run in virtual time");
    }

    #[test]
    fn a_panic_in_an_engine_is_an_error_of_that_job() {
        let sections = "[a]\niodepth=4\n[b]\nnumber_ios=100\n[c]\nstonewall\nnumber_ios=1\n";
        let job = format!("[global]\nioengine=oracle\noracle_clock=virtual\nrw=read\nsize=1g\n{sections}");
        let mut plan = planned(&job);
        plan.jobs[0].engine = FRAGILE.def.name.to_owned();
        let mut ends = Ends::default();
        VirtualTime::default().run(&Arc::new(plan), &Arc::default(), &mut ends);
        let [a, b, c] = ends.0.as_slice() else { panic!("three jobs end: {:?}", ends.0) };
        let why = &a.failure.as_ref().expect("it failed").message;
        assert_eq!((a.job, why.as_str()), (0, "the worker panicked: this is a defect of fathom"));
        // The panic came when the tenth I/O was due; the others went on.
        assert_eq!((a.at_ns, b.at_ns, c.at_ns), (900_000, 10_000_000, 10_100_000));
        assert_eq!((b.ended_by, c.ended_by), (EndedBy::Ios, EndedBy::Ios));
    }
}
