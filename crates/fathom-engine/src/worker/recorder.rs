//! A worker's bookkeeping: what completed goes into the tally, the tally to
//! the collector when its window closes.
//!
//! The loop calls [`Recorder::add`] for each completion and, when a stamp has
//! passed [`Recorder::next_stamp`], [`Recorder::turn`]; everything else happens
//! once a window.

use super::message::Message;
use super::row::Row;
use super::timetable::{Due, Timetable};
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::log::{LogBuffer, LogChunk, Logged};
use crate::tally::Tally;
use crate::usage;
use fathom_results::{Phase, Usage};
use std::sync::mpsc::{Receiver, SyncSender};

/// Length of a window of the series: one second, as in `iostat 1`.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// Counts a worker's I/O into windows.
pub struct Recorder {
    /// The run's clock.
    pub clock: Clock,
    job: u32,
    row: Row,
    tally: Box<Tally>,
    spare: Receiver<Box<Tally>>,
    back: SyncSender<Box<Tally>>,
    out: SyncSender<Message>,
    times: Timetable,
    window_start: u64,
    log: Option<LogBuffer>,
    is_logging: bool,
    /// Stamp of the start of the measured window.
    measured_from: Option<u64>,
    last_completion: u64,
    usage_from: Usage,
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

/// What a finished recorder knows.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Start and end of the measured window, ns since the run began; `None`
    /// when the worker ended inside its ramp.
    pub window_ns: Option<(u64, u64)>,
    /// CPU of the measured window.
    pub usage: Usage,
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
        let clock = parts.clock;
        let ticks = |ns| clock.ticks(ns);
        Recorder {
            clock,
            job: parts.job,
            row: Row::EMPTY,
            tally,
            spare,
            back,
            out: parts.out,
            times: Timetable::new(ticks(WINDOW_NS), ticks(parts.ramp_ns), parts.runtime_ns.map(ticks)),
            window_start: 0,
            is_logging: parts.log.is_some(),
            log: parts.log,
            measured_from: None,
            last_completion: 0,
            usage_from: Usage::default(),
        }
    }

    /// The first I/O is about to be issued.
    pub fn begin(&mut self) {
        let now = self.clock.now();
        (self.window_start, self.last_completion) = (now, now);
        match self.times.begin(now) {
            Phase::Measure => self.begin_measure(now),
            phase => self.say_phase(phase, now),
        }
    }

    fn begin_measure(&mut self, now: u64) {
        self.times.begin_measure(now);
        self.measured_from = Some(now);
        (self.window_start, self.last_completion) = (now, now);
        self.usage_from = usage::now();
        self.say_phase(Phase::Measure, now);
    }

    fn say_phase(&self, phase: Phase, stamp: u64) {
        let at_ns = self.clock.since_origin(stamp);
        let _ = self.out.send(Message::Phase { job: self.job, phase, at_ns });
    }

    /// The stamp at which [`Recorder::turn`] must be called.
    #[inline(always)]
    pub fn next_stamp(&self) -> u64 {
        self.times.next()
    }

    /// The time until that stamp.
    #[inline(always)]
    pub fn time_left_ns(&self, now: u64) -> u64 {
        self.clock.nanos(self.times.next().saturating_sub(now))
    }

    /// Ns from the last completion, or the start, to `now`.
    pub fn idle_ns(&self, now: u64) -> u64 {
        self.clock.nanos(now.saturating_sub(self.last_completion))
    }

    /// The tally, for counts that are no completions.
    #[inline(always)]
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    /// One completed data I/O of a queue: it was submitted at stamp
    /// `submitted`, `lead` ticks after its descriptor was taken, and seen at
    /// `seen`. Counts once [`Recorder::end_row`] is called.
    #[inline(always)]
    pub fn add(&mut self, desc: &Desc, moved: u32, submitted: u64, lead: u64, seen: u64) {
        let is_plain = moved == desc.len && !self.is_logging;
        if !(is_plain && self.row.takes(desc.op, moved, submitted)) {
            self.add_unlike(desc, moved, submitted, lead, seen);
        }
    }

    /// The first of a row, one that is short, or one to be logged. Out of the
    /// way, so that the usual case stays small enough to be inlined.
    #[inline(never)]
    fn add_unlike(&mut self, desc: &Desc, moved: u32, submitted: u64, lead: u64, seen: u64) {
        if !self.row.takes(desc.op, moved, submitted) {
            self.end_row(seen);
            self.row = Row { op: desc.op, len: moved, submitted, lead, n: 1 };
        }
        self.tally.of(desc.op).short_ios += u64::from(moved < desc.len);
        if self.is_logging {
            self.log_io(desc, moved, submitted, lead, seen);
        }
    }

    /// Records the completions in a row; called when the row or the reap ends.
    #[inline(always)]
    pub fn end_row(&mut self, seen: u64) {
        if self.row.n == 0 {
            return;
        }
        let row = std::mem::replace(&mut self.row, Row::EMPTY);
        let completion = self.clock.nanos(seen.saturating_sub(row.submitted));
        let submission = self.clock.nanos(row.lead);
        let counts = self.tally.of(row.op);
        counts.ios += row.n;
        counts.bytes += row.n * u64::from(row.len);
        counts.completion.record_n(completion, row.n);
        counts.submission.record_n(submission, row.n);
        counts.total.record_n(completion + submission, row.n);
        self.last_completion = seen;
    }

    /// One completed data I/O of a synchronous engine, from `start` to `seen`.
    #[inline(always)]
    pub fn add_one(&mut self, desc: &Desc, moved: u32, start: u64, seen: u64) {
        let ns = self.clock.nanos(seen.saturating_sub(start));
        let counts = self.tally.of(desc.op);
        counts.ios += 1;
        counts.bytes += u64::from(moved);
        counts.completion.record(ns);
        counts.total.record(ns);
        counts.short_ios += u64::from(moved < desc.len);
        self.last_completion = seen;
        if self.is_logging {
            self.log_io(desc, moved, start, 0, seen);
        }
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
    fn log_io(&mut self, desc: &Desc, moved: u32, submitted: u64, lead: u64, seen: u64) {
        let (Some(log), Some(from), Some(direction)) =
            (&mut self.log, self.measured_from, desc.op.direction())
        else {
            return;
        };
        let io = Logged {
            direction,
            bytes: u64::from(moved),
            offset: desc.offset,
            submission_ns: self.clock.nanos(lead),
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

    fn advance_log(&mut self, now: u64) {
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.advance(self.clock.nanos(now.saturating_sub(from)));
        }
    }

    /// The clock passed [`Recorder::next_stamp`]: closes the window, changes
    /// phase.
    pub fn turn(&mut self, now: u64) -> Turn {
        match self.times.due(now) {
            Due::Nothing => Turn::Nothing,
            Due::Deadline => Turn::TimeOver,
            Due::Ramp => {
                if !self.close_window(now) {
                    // The collector is behind: the ramp's last counts are
                    // lost, rather than counted as measured.
                    self.tally.clear();
                }
                self.begin_measure(now);
                Turn::RampOver
            }
            Due::Window { first, last } => {
                self.advance_log(now);
                self.hand_log_over();
                if self.close_window(first) && last > first {
                    // Stuck in one I/O: these seconds stay in the series,
                    // with nothing in them.
                    self.close_window(last);
                }
                Turn::Nothing
            }
        }
    }

    /// Hands the window over. Without a spare tally the collector is behind:
    /// the window goes on growing, and this says false.
    fn close_window(&mut self, boundary: u64) -> bool {
        let Ok(empty) = self.spare.try_recv() else { return false };
        let tally = std::mem::replace(&mut self.tally, empty);
        self.send_window(tally, boundary);
        true
    }

    fn send_window(&mut self, tally: Box<Tally>, boundary: u64) {
        let start_ns = self.clock.since_origin(self.window_start);
        let end_ns = self.clock.since_origin(boundary);
        let (job, phase, back) = (self.job, self.times.phase(), self.back.clone());
        let _ = self.out.send(Message::Window { job, phase, start_ns, end_ns, tally, back });
        self.window_start = boundary;
    }

    /// The last completion is in: closes the last window.
    pub fn finish(mut self) -> Measured {
        let usage = usage::between(&self.usage_from, &usage::now());
        let end = self.last_completion.max(self.window_start);
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.finish(self.clock.nanos(end.saturating_sub(from)));
        }
        self.hand_log_over();
        let window_ns =
            self.measured_from.map(|from| (self.clock.since_origin(from), self.clock.since_origin(end)));
        let measured = Measured { window_ns, usage: window_ns.map_or(Usage::default(), |_| usage) };
        self.send_last_window(end);
        measured
    }

    /// A worker that never began has no window.
    fn send_last_window(self, boundary: u64) {
        if !self.times.has_begun() {
            return;
        }
        let start_ns = self.clock.since_origin(self.window_start);
        let end_ns = self.clock.since_origin(boundary);
        let Recorder { job, tally, back, out, times, .. } = self;
        let _ = out.send(Message::Window { job, phase: times.phase(), start_ns, end_ns, tally, back });
    }
}
