//! What a worker records: completed I/O goes into the tally, and the tally goes to
//! the collector when its window closes.
//!
//! The loop calls [`Recorder::add_row`] for equal completions and, when a stamp has
//! passed [`Recorder::next_stamp`], [`Recorder::turn`]; everything else happens
//! once per window.

use super::failure;
use super::floor::Floor;
use super::message::RunnerMessage;
use super::timetable::{Due, Timetable};
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::log::{LogBuffer, LogChunk, LoggedIo, WAITED};
use crate::tally::Tally;
use crate::timeline;
use crate::usage;
use fathom_job::direction::PerDirection;
use fathom_job::plan::Pace;
use fathom_job::units::Nanos;
use fathom_results::{EndedBy, JobFailure, Phase, Usage, Window};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

/// Length of a window of the series: one second, as in `iostat 1`.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// How long a worker with a virtual clock waits for the collector. Without a wait
/// it would lose windows, because hours of them pass in a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Counts a worker's I/O into windows.
pub struct Recorder {
    pub clock: Clock,
    job: u32,
    tally: Box<Tally>,
    spare: Receiver<Box<Tally>>,
    back: SyncSender<Box<Tally>>,
    out: SyncSender<RunnerMessage>,
    times: Timetable,
    window_start: u64,
    log: Option<LogBuffer>,
    is_logging: bool,
    /// Stamp of the start of the measured window.
    measured_from: Option<u64>,
    /// Stamp of its end, once the drain has begun.
    measured_to: Option<u64>,
    last_completion: u64,
    usage_from: Usage,
    /// What the thread had used when the last I/O was done.
    usage_to: Option<Usage>,
    latency_max: PerDirection<Option<Nanos>>,
    /// An I/O with this latency or more is looked at more closely: just above the least
    /// `max_latency`, or 0 if I/Os go to a log.
    watch_ns: u64,
    too_slow: Option<TooSlow>,
    floor: Floor,
    /// The job has ended, and waits for what is in flight.
    is_draining: bool,
}

/// A completed data I/O that needs more than its row.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    pub desc: Desc,
    pub moved: u32,
    /// Stamp before its submit call.
    pub submitted: u64,
    /// Ticks between taking its descriptor and that stamp.
    pub lead: u64,
}

/// An I/O beyond `max_latency`.
#[derive(Clone, Copy, Debug)]
struct TooSlow {
    op: Op,
    total_ns: u64,
    most_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Nothing,
    /// The ramp is over: limits start from zero.
    RampOver,
    TimeOver,
}

pub struct RecorderParts {
    pub clock: Clock,
    pub job: u32,
    /// Empty tallies: one in use, the others to swap in.
    #[allow(clippy::vec_box, reason = "a tally is handed over as the box that it is in")]
    pub tallies: Vec<Box<Tally>>,
    pub out: SyncSender<RunnerMessage>,
    pub ramp_ns: u64,
    pub runtime_ns: Option<u64>,
    pub log: Option<LogBuffer>,
    /// The pace, with the limits that the job must keep.
    pub pace: Pace,
}

/// Just above the least `max_latency` of any direction.
fn watch_ns(pace: &Pace) -> u64 {
    let least = pace.latency_max.iter().filter_map(|(_, most)| *most).map(|most| most.0).min();
    least.map_or(u64::MAX, |least| least.saturating_add(1))
}

impl TooSlow {
    fn failure(self) -> JobFailure {
        let ms = |ns: u64| ns as f64 / 1e6;
        let message = format!(
            "a {} took {:.3} ms, more than max_latency={:.3} ms allows",
            self.op.name(),
            ms(self.total_ns),
            ms(self.most_ns)
        );
        JobFailure { direction: self.op.direction(), ..failure(libc::ETIMEDOUT, message) }
    }
}

#[derive(Clone, Debug)]
pub struct Measured {
    /// Start and end of the measured window, ns since the run began; `None`
    /// when the worker ended inside its ramp.
    pub window_ns: Option<(u64, u64)>,
    pub usage: Usage,
    /// How long the load waited for the log, and what the log lost.
    pub log_notes: Vec<(String, String)>,
}

/// What a recorder has not handed over.
#[derive(Debug)]
pub struct LeftOpen {
    /// The open window, if anything completed in it.
    pub window: Option<Window>,
    /// What is not yet in the log.
    pub log: Option<LogChunk>,
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
        let is_logging = parts.log.is_some();
        Recorder {
            clock,
            job: parts.job,
            tally,
            spare,
            back,
            out: parts.out,
            times: Timetable::new(ticks(WINDOW_NS), ticks(parts.ramp_ns), parts.runtime_ns.map(ticks)),
            window_start: 0,
            is_logging,
            log: parts.log,
            measured_from: None,
            measured_to: None,
            last_completion: 0,
            usage_from: Usage::default(),
            usage_to: None,
            latency_max: parts.pace.latency_max,
            watch_ns: if is_logging { 0 } else { watch_ns(&parts.pace) },
            too_slow: None,
            floor: Floor::new(&parts.pace),
            is_draining: false,
        }
    }

    /// The first I/O is about to be issued; returns the stamp of the start.
    pub fn begin(&mut self) -> u64 {
        let now = self.clock.now();
        (self.window_start, self.last_completion) = (now, now);
        match self.times.begin(now) {
            Phase::Measure => self.begin_measure(now),
            phase => self.say_phase(phase, now),
        }
        now
    }

    /// The measured window begins at `boundary`, which is the stamp that was
    /// planned, and not the stamp at which the loop noticed it.
    fn begin_measure(&mut self, boundary: u64) {
        self.times.begin_measure(boundary);
        self.measured_from = Some(boundary);
        (self.window_start, self.last_completion) = (boundary, boundary);
        self.usage_from = self.used();
        self.say_phase(Phase::Measure, boundary);
    }

    /// The measured window ends, at `now` or at the job's deadline if that was
    /// earlier. I/O that is still in flight belongs to the drain: its latency
    /// counts, because it was started in the window, but its bytes are not throughput of
    /// the window. Only the first call has an effect, and none in a ramp.
    pub fn end_measure(&mut self, now: u64) {
        if self.times.phase() != Phase::Measure || self.measured_to.is_some() {
            return;
        }
        let boundary = self.times.deadline().min(now).max(self.window_start);
        self.end_usage();
        // The job's own work is over, so waiting for the collector delays no
        // I/O of the window.
        if let Ok(empty) = self.spare.recv_timeout(PATIENCE) {
            let tally = std::mem::replace(&mut self.tally, empty);
            self.send_window(tally, boundary);
            self.times.begin_drain(boundary);
        }
        self.measured_to = Some(boundary);
    }

    /// Sends a message. In virtual time the collector takes it before the worker goes on,
    /// because they share a thread.
    fn tell(&self, message: RunnerMessage) {
        let _ = self.out.send(message);
        if self.clock.is_virtual() {
            timeline::let_take();
        }
    }

    /// What the worker has used so far; nothing in virtual time, where that belongs to
    /// the machine and differs from run to run.
    fn used(&self) -> Usage {
        if self.clock.is_virtual() { Usage::default() } else { usage::now() }
    }

    fn say_phase(&self, phase: Phase, stamp: u64) {
        let at_ns = self.clock.since_origin(stamp);
        self.tell(RunnerMessage::Phase { job: self.job, phase, at_ns });
    }

    /// The stamp at which [`Recorder::turn`] must be called.
    #[inline(always)]
    pub fn next_stamp(&self) -> u64 {
        self.times.next()
    }

    #[inline(always)]
    pub fn time_left_ns(&self, now: u64) -> u64 {
        self.clock.nanos(self.times.next().saturating_sub(now))
    }

    /// Ns from the last completion, or the start, to `now`.
    pub fn idle_ns(&self, now: u64) -> u64 {
        self.clock.nanos(now.saturating_sub(self.last_completion))
    }

    #[inline(always)]
    pub fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    #[inline(always)]
    pub fn is_logging(&self) -> bool {
        self.is_logging
    }

    /// `n` completed data I/Os of a queue, of `len` bytes each: submitted at
    /// stamp `submitted`, `lead` ticks after their descriptors were taken, and
    /// seen at `seen`. Returns their total latency, ns.
    #[inline]
    pub fn add_row(&mut self, op: Op, len: u64, n: u32, submitted: u64, lead: u64, seen: u64) -> u64 {
        let completion = self.clock.nanos(seen.saturating_sub(submitted));
        let submission = self.clock.nanos(lead);
        let total = completion + submission;
        let n = u64::from(n);
        let counts = self.tally.of(op);
        counts.ios += n;
        counts.bytes += n * len;
        counts.completion.record_n(completion, n);
        counts.submission.record_n(submission, n);
        counts.total.record_n(total, n);
        self.last_completion = seen;
        if total >= self.watch_ns {
            self.judge_latency(op, total);
        }
        total
    }

    /// `n` completions of `bytes` in all that were started in the ramp. Their bytes
    /// are throughput of the measured window, but their latency belongs to the
    /// ramp.
    #[cold]
    pub fn add_from_ramp(&mut self, op: Op, n: u32, bytes: u64, seen: u64) {
        let counts = self.tally.of(op);
        counts.ios += u64::from(n);
        counts.bytes = counts.bytes.saturating_add(bytes);
        self.last_completion = seen;
    }

    /// One completed data I/O of a queue that is short, or to be logged. Returns
    /// its total latency, ns.
    #[cold]
    pub fn add(&mut self, done: &Completed, seen: u64) -> u64 {
        let Completed { desc, moved, submitted, lead } = *done;
        let total_ns = self.add_row(desc.op(), moved.into(), 1, submitted, lead, seen);
        self.tally.of(desc.op()).short_ios += u64::from(moved < desc.len());
        if self.is_logging {
            self.log_io(&desc, moved.into(), submitted, lead, seen);
        }
        total_ns
    }

    /// One trim, done whole from `start` to `seen`. Returns its latency, ns.
    #[cold]
    pub fn add_trim(&mut self, desc: &Desc, start: u64, seen: u64) -> u64 {
        let total_ns = self.add_row(Op::Trim, desc.bytes(), 1, start, 0, seen);
        if self.is_logging {
            self.log_io(desc, desc.bytes(), start, 0, seen);
        }
        total_ns
    }

    /// One completed data I/O of a synchronous engine, from `start` to `seen`.
    #[inline(always)]
    pub fn add_one(&mut self, desc: Desc, moved: u32, start: u64, seen: u64) -> u64 {
        let ns = self.clock.nanos(seen.saturating_sub(start));
        let counts = self.tally.of(desc.op());
        counts.ios += 1;
        counts.bytes += u64::from(moved);
        counts.completion.record(ns);
        counts.total.record(ns);
        self.last_completion = seen;
        // Two functions, so that these are two jumps: a single function would need
        // both results at once.
        if moved != desc.len() {
            self.add_short(desc, moved, start, seen);
        } else if ns >= self.watch_ns {
            self.add_watched(desc, moved, start, seen);
        }
        ns
    }

    /// An I/O that moved less than it was asked to.
    #[cold]
    fn add_short(&mut self, desc: Desc, moved: u32, start: u64, seen: u64) {
        self.tally.of(desc.op()).short_ios += u64::from(moved < desc.len());
        self.add_watched(desc, moved, start, seen);
    }

    /// An I/O that may have to be logged, or may exceed `max_latency`.
    #[cold]
    fn add_watched(&mut self, desc: Desc, moved: u32, start: u64, seen: u64) {
        self.judge_latency(desc.op(), self.clock.nanos(seen.saturating_sub(start)));
        if self.is_logging {
            self.log_io(&desc, moved.into(), start, 0, seen);
        }
    }

    /// A completion of a paced job, `ticks` after its intended start.
    #[inline(always)]
    pub fn respond(&mut self, op: Op, ticks: u64) {
        let ns = self.clock.nanos(ticks);
        if let Some(response) = &mut self.tally.of(op).response {
            response.record(ns);
        }
    }

    /// Completions seen at `seen`, after these intended starts; starts before
    /// `began` were intended for the ramp. It is a separate function, which is short
    /// enough for the registers.
    #[inline(never)]
    pub fn respond_many(&mut self, op: Op, starts: &[u64], began: u64, seen: u64) {
        let Recorder { clock, tally, .. } = self;
        let Some(response) = tally.of(op).response.as_deref_mut() else { return };
        for &start in starts.iter().filter(|&&start| start >= began) {
            response.record(clock.nanos(seen.saturating_sub(start)));
        }
    }

    /// The ramp ends at `now`, before its time.
    #[cold]
    pub fn end_ramp(&mut self, now: u64) {
        self.times.end_ramp(now);
    }

    pub fn is_in_ramp(&self) -> bool {
        self.times.phase() == Phase::Ramp
    }

    /// `max_latency`: the first I/O beyond it makes the next turn come at once.
    #[cold]
    fn judge_latency(&mut self, op: Op, total_ns: u64) {
        let most = op.direction().and_then(|d| self.latency_max[d]).filter(|most| total_ns > most.0);
        if let Some(most) = most {
            self.too_slow.get_or_insert(TooSlow { op, total_ns, most_ns: most.0 });
            self.times.hurry();
        }
    }

    /// An operation of the fsync family, from `start` to `seen`.
    pub fn add_sync(&mut self, start: u64, seen: u64) {
        let ns = self.clock.nanos(seen.saturating_sub(start));
        self.tally.sync.record_n(ns, 1);
        self.last_completion = seen;
    }

    pub fn add_error(&mut self, op: Op, seen: u64) {
        self.tally.of(op).errors += 1;
        self.last_completion = seen;
    }

    #[cold]
    fn log_io(&mut self, desc: &Desc, moved: u64, submitted: u64, lead: u64, seen: u64) {
        let (Some(log), Some(from), Some(direction)) =
            (&mut self.log, self.measured_from, desc.op().direction())
        else {
            return;
        };
        let io = LoggedIo {
            at_ns: self.clock.nanos(seen.saturating_sub(from)),
            offset: desc.offset,
            submission_ns: self.clock.nanos(lead),
            completion_ns: self.clock.nanos(seen.saturating_sub(submitted)),
            bytes: moved,
            direction,
        };
        if log.add(&io) {
            self.hand_log_over();
        }
    }

    fn hand_log_over(&mut self) {
        if let Some(chunk) = self.log.as_mut().and_then(|log| log.take(self.job)) {
            self.tell(RunnerMessage::Log(chunk));
        }
    }

    fn advance_log(&mut self, now: u64) {
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.advance(self.clock.nanos(now.saturating_sub(from)));
        }
    }

    /// The clock passed [`Recorder::next_stamp`]: closes the window, changes
    /// phase. An error says which of its own limits the job broke.
    pub fn turn(&mut self, now: u64) -> Result<Turn, JobFailure> {
        let turn = self.pass(now);
        self.broken_limit().map_or(Ok(turn), Err)
    }

    /// The job has ended, and waits for what is in flight: its windows go on.
    pub fn begin_drain(&mut self) {
        self.is_draining = true;
        self.times.end_phase();
    }

    /// Closes the windows that are over by `now`, during such a wait.
    pub fn turn_in_drain(&mut self, now: u64) {
        if now >= self.times.next() {
            self.pass(now);
        }
    }

    /// The limit that the job broke, if it did. It is checked once more when
    /// the last I/O is done, because that I/O may have broken it.
    pub fn broken_limit(&mut self) -> Option<JobFailure> {
        self.too_slow.map(TooSlow::failure).or_else(|| self.floor.broken())
    }

    fn pass(&mut self, now: u64) -> Turn {
        loop {
            match self.times.due(now) {
                Due::Nothing => return Turn::Nothing,
                Due::Deadline => {
                    self.end_measure(now);
                    return Turn::TimeOver;
                }
                Due::Ramp => {
                    let boundary = self.times.ramp_end().map_or(now, |end| end.min(now));
                    if !self.close_window(boundary) {
                        // The collector is late: the ramp's last counts are
                        // lost, and not counted as measured.
                        self.tally.clear();
                    }
                    self.begin_measure(boundary);
                    return Turn::RampOver;
                }
                Due::Window { first, last } => self.pass_windows(first, last, now),
            }
        }
    }

    fn pass_windows(&mut self, first: u64, last: u64, now: u64) {
        self.advance_log(now);
        self.hand_log_over();
        if self.close_window(first) && last > first {
            self.pass_quiet_window(last);
        }
    }

    /// The worker was stuck in one I/O. These seconds stay in the series, with no completions.
    fn pass_quiet_window(&mut self, boundary: u64) {
        let (start_ns, end_ns) =
            (self.clock.since_origin(self.window_start), self.clock.since_origin(boundary));
        let (job, phase, in_flight) = (self.job, self.times.phase(), self.tally.in_flight);
        if phase == Phase::Measure && !self.is_draining {
            self.floor.window(&self.tally, end_ns.saturating_sub(start_ns));
        }
        self.tell(RunnerMessage::Quiet { job, phase, start_ns, end_ns, in_flight });
        self.window_start = boundary;
    }

    /// Hands the window over. Without a spare tally the collector is late. The
    /// window then goes on, and this returns false.
    fn close_window(&mut self, boundary: u64) -> bool {
        let Some(empty) = self.empty_tally() else { return false };
        let tally = std::mem::replace(&mut self.tally, empty);
        self.tally.in_flight = tally.in_flight;
        self.send_window(tally, boundary);
        true
    }

    fn empty_tally(&self) -> Option<Box<Tally>> {
        if self.clock.is_virtual() || self.tally.is_filling_up() {
            // A virtual clock does not move during this wait, or the counts are nearly full.
            return self.spare.recv_timeout(PATIENCE).ok();
        }
        self.spare.try_recv().ok()
    }

    fn send_window(&mut self, tally: Box<Tally>, boundary: u64) {
        let start_ns = self.clock.since_origin(self.window_start);
        let end_ns = self.clock.since_origin(boundary);
        let (job, phase, back) = (self.job, self.times.phase(), self.back.clone());
        if phase == Phase::Measure && !self.is_draining {
            self.floor.window(&tally, end_ns.saturating_sub(start_ns));
        }
        self.tell(RunnerMessage::Window { job, phase, start_ns, end_ns, tally, back });
        self.window_start = boundary;
    }

    /// The last I/O of the measured window is done. What the worker uses from
    /// here on, for example to drain or to report, does not count for the window.
    pub fn end_usage(&mut self) {
        if self.usage_to.is_none() {
            self.usage_to = Some(self.used());
        }
    }

    /// Stamp of the start of the measured window, once it has begun.
    pub fn measured_from(&self) -> Option<u64> {
        self.measured_from
    }

    /// The last completion was seen: closes the last window. A job that ends by
    /// time is measured to the end of its time, even if nothing completed
    /// near the end; a job that ends by its own count, to its last completion.
    pub fn finish(mut self, ended_by: EndedBy) -> Measured {
        let usage = usage::between(&self.usage_from, &self.usage_to.unwrap_or_else(|| self.used()));
        let time_end = match ended_by {
            EndedBy::Size | EndedBy::Ios | EndedBy::Error => 0,
            _ => self.times.deadline().min(self.clock.now()),
        };
        let last = self.last_completion.max(time_end).max(self.window_start);
        let (end, boundary) = self.end_log(last);
        self.hand_log_over();
        let mut log_notes = self.log.as_ref().map(LogBuffer::notes).unwrap_or_default();
        if self.clock.is_virtual() {
            // Such a wait takes no virtual time, and its length differs from run to run.
            log_notes.retain(|(name, _)| name != WAITED);
        }
        let window_ns =
            self.measured_from.map(|from| (self.clock.since_origin(from), self.clock.since_origin(end)));
        let measured =
            Measured { window_ns, usage: window_ns.map_or(Usage::default(), |_| usage), log_notes };
        self.send_last_window(boundary);
        measured
    }

    /// Nothing was done after stamp `last`: ends the log. Returns the end of the
    /// measured time and the end of the last window, which may be in the drain.
    fn end_log(&mut self, last: u64) -> (u64, u64) {
        let end = self.measured_to.unwrap_or(last);
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.finish(self.clock.nanos(end.saturating_sub(from)));
        }
        (end, if self.times.phase() == Phase::Drain { last } else { end })
    }

    /// What this worker has not handed over, for a run that goes on without it while
    /// it is inside a call. The window ends with its last completion. Does not
    /// wait for anything.
    pub fn leave_open(&mut self) -> LeftOpen {
        let (_, boundary) = self.end_log(self.last_completion.max(self.window_start));
        let log = self.log.as_mut().and_then(|log| log.take_last(self.job));
        let is_open = self.times.has_begun() && boundary > self.window_start;
        let window = is_open.then(|| {
            let [start_ns, end_ns] = [self.window_start, boundary].map(|at| self.clock.since_origin(at));
            self.tally.window(self.job, self.times.phase(), start_ns, end_ns)
        });
        LeftOpen { window, log }
    }

    /// A worker that never began has no window.
    fn send_last_window(self, boundary: u64) {
        if !self.times.has_begun() {
            return;
        }
        let start_ns = self.clock.since_origin(self.window_start);
        let end_ns = self.clock.since_origin(boundary);
        let Recorder { job, tally, back, out, times, .. } = self;
        let _ = out.send(RunnerMessage::Window { job, phase: times.phase(), start_ns, end_ns, tally, back });
    }
}
