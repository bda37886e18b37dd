//! The end of a recorder: of its measured window, of what it used, and of itself.

use super::{PATIENCE, Recorder};
use crate::log::{LogBuffer, LogChunk, WAITED};
use crate::usage;
use crate::worker::RunnerMessage;
use fathom_results::{EndedBy, Phase, Usage, Window};

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
    pub(super) fn hand_log_over(&mut self) {
        if let Some(chunk) = self.log.as_mut().and_then(|log| log.take(self.job)) {
            self.tell(RunnerMessage::Log(chunk));
        }
    }

    /// Closes the averaging windows that are over. In the drain nothing is logged, and no window is closed.
    pub(super) fn advance_log(&mut self, now: u64) {
        if self.times.phase() != Phase::Measure {
            return;
        }
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.advance(self.clock.nanos(now.saturating_sub(from)));
        }
    }

    /// Nothing was done after stamp `last`: ends the log. Returns the end of the
    /// measured time and the end of the last window, which may be in the drain.
    pub(super) fn end_log(&mut self, last: u64) -> (u64, u64) {
        let end = self.measured_to.unwrap_or(last);
        if let (Some(log), Some(from)) = (&mut self.log, self.measured_from) {
            log.finish(self.clock.nanos(end.saturating_sub(from)));
        }
        (end, if self.times.phase() == Phase::Drain { last } else { end })
    }

    /// The measured window ends, at `now` or at the job's deadline if that was
    /// earlier. I/O that is still in flight belongs to the drain, and to no figure of the
    /// window. Only the first call has an effect, and none in a ramp.
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

    /// The last I/O of the measured window is done. What the worker uses from
    /// here on, for example to drain or to report, does not count for the window.
    pub fn end_usage(&mut self) {
        if self.usage_to.is_none() {
            self.usage_to = Some((self.used(), self.clock.now()));
        }
    }

    /// The last completion was seen: closes the last window. A job that ends by
    /// time is measured to the end of its time, even if nothing completed
    /// near the end; a job that ends by its own count, to its last completion.
    pub fn finish(mut self, ended_by: EndedBy) -> Measured {
        self.end_usage();
        let time_end = match ended_by {
            EndedBy::Size | EndedBy::Ios | EndedBy::Full | EndedBy::Error => 0,
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
        let measured = Measured { window_ns, usage: self.usage_of(window_ns), log_notes };
        self.send_last_window(boundary);
        measured
    }

    /// What was used in the measured window, if there was one.
    fn usage_of(&self, window_ns: Option<(u64, u64)>) -> Usage {
        let (Some((from, to)), Some((after, read_at))) = (window_ns, &self.usage_to) else {
            return Usage::default();
        };
        let read_ns = self.clock.since_origin(*read_at).saturating_sub(from);
        usage::between(
            &self.usage_from,
            after,
            usage::UsageSpan { read_ns, window_ns: to.saturating_sub(from) },
        )
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
