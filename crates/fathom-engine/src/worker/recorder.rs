//! A worker's bookkeeping: tallies, windows, phases, logs.
//!
//! The loop calls [`Recorder::add`] for each completion and, when a stamp has
//! passed [`Recorder::next_stamp`], [`Recorder::turn`]; everything else happens
//! once a window. Equal completions in a row (same batch, same length) are
//! recorded together: one histogram step for the lot.

use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::log::{LogBuffer, LogChunk, Logged};
use crate::tally::Tally;
use crate::usage;
use fathom_results::{Event, JobOutcome, Phase, Usage};
use std::sync::mpsc::{Receiver, SyncSender};

/// What a worker tells the collector.
#[derive(Debug)]
pub enum Message {
    /// A closed window.
    Window {
        /// Plan id.
        job: u32,
        /// Ramp or measure.
        phase: Phase,
        /// First instant, ns since the run began.
        start_ns: u64,
        /// First instant after it.
        end_ns: u64,
        /// The counts, to be returned empty.
        tally: Box<Tally>,
        /// Where to return it.
        back: SyncSender<Box<Tally>>,
    },
    /// A phase begins.
    Phase {
        /// Plan id.
        job: u32,
        /// Which.
        phase: Phase,
        /// When.
        at_ns: u64,
    },
    /// Log lines.
    Log(LogChunk),
    /// A remark.
    Event(Event),
    /// The worker's end.
    Ended(Box<JobOutcome>),
}

/// Length of a window of the series: one second, as in `iostat 1`.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// Completions in a row that share everything.
#[derive(Clone, Copy, Debug)]
struct Run {
    op: Op,
    len: u32,
    submitted: u64,
    lead: u32,
    n: u64,
}

/// Counts a worker's I/O into windows.
pub struct Recorder {
    /// The run's clock.
    pub clock: Clock,
    job: u32,
    tally: Box<Tally>,
    spare: Receiver<Box<Tally>>,
    back: SyncSender<Box<Tally>>,
    out: SyncSender<Message>,
    phase: Phase,
    window_start: u64,
    window_end: u64,
    ramp_end: Option<u64>,
    deadline_ticks: Option<u64>,
    deadline: u64,
    next: u64,
    log: Option<LogBuffer>,
    /// Stamp of the start of the measured window.
    measured_from: Option<u64>,
    last_completion: u64,
    usage_from: Usage,
    run: Option<Run>,
}

/// What a turn of the clock means for the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Go on.
    Nothing,
    /// The ramp is over: limits count anew.
    RampOver,
    /// The time is over.
    TimeOver,
}

/// What a recorder is made of.
pub struct RecorderParts {
    /// The run's clock.
    pub clock: Clock,
    /// Plan id.
    pub job: u32,
    /// Empty tallies: one in use, the others to swap in.
    pub tallies: Vec<Box<Tally>>,
    /// To the collector.
    pub out: SyncSender<Message>,
    /// Ramp and run time, ns.
    pub ramp_ns: u64,
    /// Run time, ns.
    pub runtime_ns: Option<u64>,
    /// fio-style logs.
    pub log: Option<LogBuffer>,
}

impl Recorder {
    /// A recorder that has not begun.
    ///
    /// # Panics
    /// Without a tally; the worker always makes some.
    pub fn new(mut parts: RecorderParts) -> Recorder {
        let (back, spare) = std::sync::mpsc::sync_channel(parts.tallies.len() + 1);
        let tally = parts.tallies.pop().unwrap_or_else(|| unreachable!("a worker has at least one tally"));
        for other in parts.tallies {
            let _ = back.try_send(other);
        }
        Recorder {
            clock: parts.clock,
            job: parts.job,
            tally,
            spare,
            back,
            out: parts.out,
            phase: Phase::Ramp,
            window_start: 0,
            window_end: 0,
            ramp_end: (parts.ramp_ns > 0).then(|| parts.clock.ticks(parts.ramp_ns)),
            deadline_ticks: parts.runtime_ns.map(|ns| parts.clock.ticks(ns)),
            deadline: u64::MAX,
            next: 0,
            log: parts.log,
            measured_from: None,
            last_completion: 0,
            usage_from: Usage::default(),
            run: None,
        }
    }

    /// The first I/O is about to be issued.
    pub fn begin(&mut self) {
        let now = self.clock.now();
        self.window_start = now;
        self.window_end = now + self.clock.ticks(WINDOW_NS);
        match self.ramp_end {
            Some(length) => {
                self.ramp_end = Some(now + length);
                self.say_phase(Phase::Ramp, now);
            }
            None => self.begin_measure(now),
        }
        self.plan_next();
    }

    fn begin_measure(&mut self, now: u64) {
        self.ramp_end = None;
        self.phase = Phase::Measure;
        self.measured_from = Some(now);
        self.last_completion = now;
        self.deadline = self.deadline_ticks.map_or(u64::MAX, |ticks| now.saturating_add(ticks));
        self.usage_from = usage::now();
        self.window_start = now;
        self.window_end = now + self.clock.ticks(WINDOW_NS);
        self.say_phase(Phase::Measure, now);
    }

    fn say_phase(&self, phase: Phase, stamp: u64) {
        let at_ns = self.clock.since_origin(stamp);
        let _ = self.out.send(Message::Phase { job: self.job, phase, at_ns });
    }

    fn plan_next(&mut self) {
        self.next = self.window_end.min(self.ramp_end.unwrap_or(u64::MAX)).min(self.deadline);
    }

    /// The stamp at which [`Recorder::turn`] must be called.
    #[inline(always)]
    pub fn next_stamp(&self) -> u64 {
        self.next
    }

    /// The time until that stamp.
    #[inline(always)]
    pub fn time_left_ns(&self, now: u64) -> u64 {
        self.clock.nanos(self.next.saturating_sub(now))
    }

    /// The tally, for counts that are no completions.
    #[inline(always)]
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// One completed data I/O: it was submitted at stamp `submitted`, `lead`
    /// ticks after its descriptor was taken, and seen at `seen`.
    #[inline(always)]
    pub fn add(&mut self, desc: &Desc, moved: u32, submitted: u64, lead: u32, seen: u64) {
        if let Some(run) = &mut self.run
            && run.submitted == submitted
            && run.op == desc.op
            && run.len == moved
        {
            run.n += 1;
        } else {
            self.flush_run(seen);
            self.run = Some(Run { op: desc.op, len: moved, submitted, lead, n: 1 });
        }
        if moved < desc.len {
            self.tally.of(desc.op).short_ios += 1;
        }
        if self.log.is_some() {
            self.log_io(desc, moved, submitted, lead, seen);
        }
    }

    /// Records the completions in a row; called when the row or the reap ends.
    #[inline(always)]
    pub fn flush_run(&mut self, seen: u64) {
        let Some(run) = self.run.take() else { return };
        let completion = self.clock.nanos(seen.saturating_sub(run.submitted));
        let submission = self.clock.nanos(u64::from(run.lead));
        let counts = self.tally.of(run.op);
        counts.ios += run.n;
        counts.bytes += run.n * u64::from(run.len);
        counts.completion.record_n(completion, run.n);
        counts.submission.record_n(submission, run.n);
        counts.total.record_n(completion + submission, run.n);
        self.last_completion = seen;
    }

    /// One member of the fsync family, from `start` to `seen`.
    pub fn add_sync(&mut self, start: u64, seen: u64) {
        let ns = self.clock.nanos(seen.saturating_sub(start));
        self.tally.sync.record_n(ns, 1);
        self.last_completion = seen;
    }

    /// One I/O that failed, and the job goes on.
    pub fn add_error(&mut self, op: Op, seen: u64) {
        self.tally.of(op).errors += 1;
        self.last_completion = seen;
    }

    #[cold]
    fn log_io(&mut self, desc: &Desc, moved: u32, submitted: u64, lead: u32, seen: u64) {
        let (Some(log), Some(from), Some(direction)) =
            (&mut self.log, self.measured_from, desc.op.direction())
        else {
            return;
        };
        let io = Logged {
            direction,
            bytes: u64::from(moved),
            offset: desc.offset,
            submission_ns: self.clock.nanos(u64::from(lead)),
            completion_ns: self.clock.nanos(seen.saturating_sub(submitted)),
        };
        log.add(self.clock.nanos(seen.saturating_sub(from)), &io);
        if log.is_full() {
            self.hand_log_over();
        }
    }

    fn hand_log_over(&mut self) {
        if let Some(log) = self.log.as_mut().filter(|l| !l.is_empty()) {
            let chunk = LogChunk { job: self.job, samples: log.take() };
            let _ = self.out.send(Message::Log(chunk));
        }
    }

    /// The clock passed [`Recorder::next_stamp`]: closes the window, changes
    /// phase.
    pub fn turn(&mut self, now: u64) -> Turn {
        let mut turn = Turn::Nothing;
        if self.ramp_end.is_some_and(|end| now >= end) {
            self.close_window(now);
            self.begin_measure(now);
            turn = Turn::RampOver;
        } else if now >= self.deadline {
            turn = Turn::TimeOver;
        } else if now >= self.window_end {
            self.advance_log(now);
            self.hand_log_over();
            // Windows keep their grid; those in which the worker was stuck in
            // one I/O are closed together, as one long window.
            let length = self.clock.ticks(WINDOW_NS);
            let behind = (now - self.window_end) / length;
            let boundary = self.window_end + behind * length;
            self.close_window(boundary);
            self.window_end = boundary + length;
        }
        self.plan_next();
        turn
    }

    fn advance_log(&mut self, now: u64) {
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.advance(self.clock.nanos(now.saturating_sub(from)));
        }
    }

    /// Hands the window over; false when no spare tally was there and it must
    /// go on growing.
    fn close_window(&mut self, boundary: u64) -> bool {
        let Ok(empty) = self.spare.try_recv() else { return false };
        let tally = std::mem::replace(&mut self.tally, empty);
        let _ = self.out.send(Message::Window {
            job: self.job,
            phase: self.phase,
            start_ns: self.clock.since_origin(self.window_start),
            end_ns: self.clock.since_origin(boundary),
            tally,
            back: self.back.clone(),
        });
        self.window_start = boundary;
        true
    }

    /// The last completion is in: closes the last window.
    pub fn finish(&mut self) -> Measured {
        let usage = usage::between(&self.usage_from, &usage::now());
        let end = self.last_completion.max(self.window_start);
        self.advance_log(end);
        self.hand_log_over();
        // Without a spare tally the collector is behind; it will catch up.
        while !self.close_window(end) {
            std::thread::yield_now();
        }
        Measured {
            window_ns: self
                .measured_from
                .map(|from| (self.clock.since_origin(from), self.clock.since_origin(end.max(from)))),
            usage: if self.measured_from.is_some() { usage } else { Usage::default() },
        }
    }

    /// A remark for the record.
    pub fn event(&self, kind: &str, text: String) {
        let at_ns = self.clock.since_origin(self.clock.now());
        let event = Event { at_ns, job: Some(self.job), kind: kind.to_owned(), text };
        let _ = self.out.send(Message::Event(event));
    }
}

/// What a finished recorder knows.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Start and end of the measured window, ns since the run began.
    pub window_ns: Option<(u64, u64)>,
    /// CPU of the measured window.
    pub usage: Usage,
}
