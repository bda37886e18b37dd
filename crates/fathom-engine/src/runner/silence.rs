//! Workers that are silent: what shows that a worker lives, what is reported when nothing
//! does, and how the run goes on without a worker whose target does not answer.

use super::collector::Collector;
use super::stuck::{self, StalledIn};
use super::thread::blank;
use super::watchdog::{Expectation, Heard, Silence, WorkerState};
use crate::engine;
use crate::sink::StopReason;
use crate::worker::recorder::{LeftOpen, Recorder};
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, Event, EventKind, Frame, JobOutcome, Phase, Window};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time between two looks of the watchdog.
const LOOK: Duration = Duration::from_millis(500);

/// How many silent targets are reported at a time.
const TOLD_MAX: usize = 8;

impl Collector<'_> {
    pub(super) fn note_window(&mut self, window: &Window, in_flight: u32) {
        let job = window.job as usize;
        if window.phase == Phase::Measure {
            self.watchdog.measured(job, window.start_ns, window.end_ns);
        }
        if shows_life(window, &self.plan.jobs[job], in_flight) {
            let silent = self.watchdog.hears(job, self.now());
            self.tell_end(job, silent);
        }
    }

    /// Takes note of data written into a file that is laid out.
    pub(super) fn note_fill(&mut self, job: usize, now: Heard) {
        let silent = self.watchdog.fills(job, now);
        self.tell_end(job, silent);
    }

    pub(super) fn note_phase(&mut self, job: usize, phase: Phase, at_ns: u64) {
        let now = self.now();
        match phase {
            Phase::Prepare => {}
            Phase::Ramp => self.watchdog.works(job, now),
            Phase::Measure => {
                self.watchdog.works(job, now);
                self.watchdog.measured(job, at_ns, at_ns);
            }
            Phase::Drain => self.watchdog.syncs(job, now),
        }
    }

    /// Reports silence, and gives up the workers whose time is over.
    pub(super) fn check_silence(&mut self) {
        let now = Instant::now();
        if now < self.look_at {
            return;
        }
        self.look_at = now + LOOK;
        let is_waited_for = self.setting.interrupt.requested().is_some();
        self.ask_kernel(now, is_waited_for);
        let (plan, crew, clock) = (self.plan, &*self.crew, self.setting.clock);
        let run_ns = clock.since_origin(clock.now());
        let measured = self.watchdog.measured_from_ns();
        let wanted = |job: usize| match crew.seat(job).stop.requested() {
            Some(StopReason::Interrupt) if is_waited_for => Expectation::EndAtOnce,
            Some(StopReason::Interrupt) => Expectation::EndNow,
            Some(StopReason::Exitall | StopReason::Steady) => Expectation::End,
            None if is_past_its_time(&plan.jobs[job], measured[job], run_ns) => Expectation::End,
            None => Expectation::Work,
        };
        let silences = self.watchdog.silences(now, wanted);
        let (over, new): (Vec<Silence>, Vec<Silence>) = silences.into_iter().partition(|s| s.is_over);
        self.tell(&new);
        over.iter().for_each(|silence| self.give_up(silence));
    }

    /// Asks the kernel whether silent threads have run. The thread of a queued engine
    /// that waits for I/O is woken by the clock, which proves nothing.
    fn ask_kernel(&mut self, now: Instant, is_waited_for: bool) {
        for (job, at) in self.watchdog.quiet(now, is_waited_for) {
            let plan = &self.plan.jobs[job];
            if at == WorkerState::Filling || (at == WorkerState::Work && !is_sync(plan)) {
                continue;
            }
            let now = self.now();
            let alive = self.crew.seat(job).beat().and_then(|beat| self.watchdog.ran(job, beat, now));
            self.tell_end(job, alive);
        }
    }

    /// Reports the end of a silence that was reported.
    fn tell_end(&mut self, job: usize, silent: Option<Duration>) {
        if let Some(silent) = silent {
            self.event(job, EventKind::StallOver, stuck::answered(&self.plan.jobs[job], silent));
        }
    }

    /// Sends one event for all workers that are silent at the same targets. If a
    /// thousand targets are silent at once, they are not reported one by one.
    fn tell(&mut self, silences: &[Silence]) {
        let mut by_targets: BTreeMap<String, Vec<Silence>> = BTreeMap::new();
        for silence in silences {
            by_targets.entry(stuck::targets(&self.plan.jobs[silence.job])).or_default().push(*silence);
        }
        for same in by_targets.values().take(TOLD_MAX) {
            let (job, others) = (same[0].job, same.len() - 1);
            let tid = self.crew.seat(job).tid();
            let act = self.act(job);
            self.event(
                job,
                EventKind::Stall,
                stuck::stalled(&self.plan.jobs[job], &same[0], act, others, tid),
            );
        }
        if let Some(first) = by_targets.values().nth(TOLD_MAX) {
            let text = format!("{} more targets do not answer", by_targets.len() - TOLD_MAX);
            self.event(first[0].job, EventKind::Stall, text);
        }
    }

    /// The run ends without this worker: all others stop.
    fn give_up(&mut self, silence: &Silence) {
        let job = silence.job;
        self.keep_open_window(job);
        let (act, tid) = (self.act(job), self.crew.seat(job).tid());
        let failure = stuck::given_up(&self.plan.jobs[job], silence, act, tid);
        let outcome = JobOutcome {
            ended_by: EndedBy::Error,
            failure: Some(failure),
            measured_ns: self.watchdog.measured_ns(job),
            layout_bytes: self.laid_out(job),
            ..blank(job as u32, self.setting.clock)
        };
        self.sink.frame(&Frame::Ended(Box::new(outcome)));
        self.watchdog.ended(job);
        self.schedule.ended(job);
        self.crew.leave(job);
        if self.given_up.is_empty() {
            self.event(job, EventKind::GivenUp, stuck::ending(&self.plan.jobs[job]));
        }
        self.given_up.push(job as u32);
        self.end_all();
    }

    /// Keeps what a worker inside a call has not handed over yet.
    fn keep_open_window(&mut self, job: usize) {
        let Some(left) = self.crew.seat(job).loan.borrow(Recorder::leave_open) else { return };
        let LeftOpen { window, log } = left;
        if let Some(window) = window {
            if window.phase == Phase::Measure {
                self.watchdog.measured(job, window.start_ns, window.end_ns);
            }
            self.sink.frame(&Frame::Window(Box::new(window)));
        }
        if let Some(chunk) = log {
            self.sink.log(chunk);
        }
    }

    fn act(&self, job: usize) -> StalledIn {
        if self.laid_out.get(job).is_none() { StalledIn::Layout } else { StalledIn::Run }
    }

    fn event(&mut self, job: usize, kind: EventKind, text: String) {
        let at_ns = self.now().run_ns;
        self.sink.frame(&Frame::Event(Event { at_ns, job: Some(job as u32), kind, text }));
    }
}

/// Does a window prove that the target answers? That of a synchronous engine
/// does: its loop is not inside a call. A queued engine closes windows while it
/// waits. If it neither submits nor reaps, the I/O that it has in flight does not
/// end. A paced job with nothing in flight may be between two starts.
fn shows_life(window: &Window, plan: &PlannedJob, in_flight: u32) -> bool {
    let moved = |(_, d): &(_, fathom_results::DirectionWindow)| d.ios + d.errors > 0;
    is_sync(plan)
        || in_flight == 0
        || window.submit.iter().chain(&window.complete).any(|&calls| calls > 0)
        || window.directions.iter().any(moved)
}

/// Does its engine do one I/O at a time, each within one call?
fn is_sync(plan: &PlannedJob) -> bool {
    engine::find(&plan.engine).is_none_or(|engine| engine.is_sync)
}

fn is_past_its_time(plan: &PlannedJob, from_ns: Option<u64>, now_ns: u64) -> bool {
    let end_ns = plan.end.time.zip(from_ns).map(|(time, from)| from.saturating_add(time.0));
    end_ns.is_some_and(|end| now_ns > end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;
    use fathom_results::LatencyWindow;

    fn lives(engine: &str, submit: u64, in_flight: u32) -> bool {
        let job = format!("[j]\nioengine={engine}\nfilename=/x\nrw=read\nsize=1m\n");
        let plan = planned(&job);
        let window = Window {
            job: 0,
            phase: Phase::Measure,
            start_ns: 0,
            end_ns: 1_000_000_000,
            directions: Vec::new(),
            sync: LatencyWindow::default(),
            depth: [0; 7],
            submit: [submit, 0, 0, 0, 0, 0, 0],
            complete: [0; 7],
        };
        shows_life(&window, &plan.jobs[0], in_flight)
    }

    #[test]
    fn an_empty_window_is_silence_only_where_it_means_io_in_flight() {
        assert!(lives("psync", 0, 1), "the loop is not inside a call");
        assert!(!lives("io_uring", 0, 1));
        assert!(lives("io_uring", 1, 1));
        assert!(lives("io_uring", 0, 0), "between two starts");
    }

    #[test]
    fn run_time_counts_from_the_measured_window() {
        let plan = planned("[j]\nioengine=null\nrw=read\nsize=1m\ntime_based\nruntime=10s\n");
        let past = |from, now| is_past_its_time(&plan.jobs[0], from, now);
        assert!(!past(None, u64::MAX));
        assert!(!past(Some(5_000_000_000), 15_000_000_000));
        assert!(past(Some(5_000_000_000), 15_000_000_001));
    }
}
