//! Windows close when their time is over, and phases follow each other.

use super::io::TooSlow;
use super::{PATIENCE, Recorder};
use crate::tally::Tally;
use crate::worker::RunnerMessage;
use crate::worker::timetable::Due;
use fathom_results::{JobFailure, Phase};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Nothing,
    /// The ramp is over: limits start from zero.
    RampOver,
    TimeOver,
}

impl Recorder {
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

    pub(super) fn send_window(&mut self, tally: Box<Tally>, boundary: u64) {
        let start_ns = self.clock.since_origin(self.window_start);
        let end_ns = self.clock.since_origin(boundary);
        let (job, phase, back) = (self.job, self.times.phase(), self.back.clone());
        if phase == Phase::Measure && !self.is_draining {
            self.floor.window(&tally, end_ns.saturating_sub(start_ns));
        }
        self.tell(RunnerMessage::Window { job, phase, start_ns, end_ns, tally, back });
        self.window_start = boundary;
    }
}
