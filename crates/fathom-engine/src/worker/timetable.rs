//! When a worker's windows and phases end, in stamps of the clock.
//!
//! Pure: the loop compares one stamp ([`Timetable::next`]), and then asks here
//! what is due.

use fathom_results::Phase;

/// The times at which windows and phases of a worker end.
#[derive(Clone, Debug)]
pub struct Timetable {
    phase: Phase,
    /// Ticks of a window.
    window: u64,
    /// Ticks of the measured time, when that is limited.
    run: Option<u64>,
    window_end: u64,
    /// Ticks of the ramp; after the ramp has begun, the stamp of its end.
    ramp: Option<u64>,
    deadline: u64,
    /// Phases do not end any more; only windows do.
    is_over: bool,
    next: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Nothing,
    /// A window ended at `first`. If the worker was stuck, further windows ended up to
    /// `last`, in which nothing was completed.
    Window {
        /// End of the window that was open.
        first: u64,
        /// End of the last one before now.
        last: u64,
    },
    Ramp,
    /// The end of the measured time.
    Deadline,
}

impl Timetable {
    pub fn new(window: u64, ramp: u64, run: Option<u64>) -> Timetable {
        let ramp = (ramp > 0).then_some(ramp);
        let window = window.max(1);
        Timetable {
            phase: Phase::Ramp,
            window,
            run,
            window_end: 0,
            ramp,
            deadline: u64::MAX,
            is_over: false,
            next: 0,
        }
    }

    /// The first I/O is about to be issued; returns the phase that begins.
    pub fn begin(&mut self, now: u64) -> Phase {
        match self.ramp {
            Some(length) => {
                self.ramp = Some(now.saturating_add(length));
                self.window_end = now + self.window;
                self.plan_next();
            }
            None => self.begin_measure(now),
        }
        self.phase
    }

    /// The measured time begins, with a window of its own.
    pub fn begin_measure(&mut self, now: u64) {
        self.phase = Phase::Measure;
        self.ramp = None;
        self.deadline = self.run.map_or(u64::MAX, |ticks| now.saturating_add(ticks));
        self.window_end = now + self.window;
        self.plan_next();
    }

    /// The stamp at which the next thing is due.
    #[inline(always)]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The ramp ends at `now`; without one nothing changes.
    pub fn end_ramp(&mut self, now: u64) {
        if let Some(end) = &mut self.ramp {
            *end = now;
            self.hurry();
        }
    }

    /// The job has ended, and waits for what is in flight: its phase does not end
    /// any more, and its windows go on.
    pub fn end_phase(&mut self) {
        self.is_over = true;
        self.plan_next();
    }

    /// The end of the ramp; `None` if there is no ramp, or it has ended.
    pub fn ramp_end(&self) -> Option<u64> {
        self.ramp
    }

    /// The measured time ended at `boundary`, and I/O is still in flight: its
    /// windows belong to the drain.
    pub fn begin_drain(&mut self, boundary: u64) {
        self.phase = Phase::Drain;
        self.window_end = boundary.saturating_add(self.window);
        self.end_phase();
    }

    /// Makes the next thing due at once.
    pub fn hurry(&mut self) {
        self.next = 0;
    }

    /// The end of the measured time; the largest stamp where it has none.
    pub fn deadline(&self) -> u64 {
        self.deadline
    }

    pub fn has_begun(&self) -> bool {
        self.window_end > 0
    }

    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What is due by `now`. After a stall, windows still end at multiples of their length.
    pub fn due(&mut self, now: u64) -> Due {
        // Windows that ended before the phase did come first, however long ago.
        let phase_end = self.phase_end();
        let until = now.min(phase_end);
        if until < self.window_end || (until == self.window_end && now >= phase_end) {
            return match () {
                () if now < phase_end => Due::Nothing,
                () if self.ramp.is_some_and(|end| now >= end) => Due::Ramp,
                () => Due::Deadline,
            };
        }
        let first = self.window_end;
        let last = first + (until - first) / self.window * self.window;
        self.window_end = last + self.window;
        self.plan_next();
        Due::Window { first, last }
    }

    fn plan_next(&mut self) {
        self.next = self.window_end.min(self.phase_end());
    }

    fn phase_end(&self) -> u64 {
        match self.is_over {
            true => u64::MAX,
            false => self.ramp.unwrap_or(u64::MAX).min(self.deadline),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One window that ended on time.
    fn on(stamp: u64) -> Due {
        Due::Window { first: stamp, last: stamp }
    }

    #[test]
    fn windows_keep_their_grid_over_a_stall() {
        let mut times = Timetable::new(100, 0, None);
        assert_eq!(times.begin(1000), Phase::Measure);
        assert_eq!(times.next(), 1100);
        assert_eq!(times.due(1099), Due::Nothing);
        assert_eq!(times.due(1103), on(1100));
        assert_eq!(times.due(1450), Due::Window { first: 1200, last: 1400 }, "two more without anything");
        assert_eq!(times.next(), 1500);
    }

    #[test]
    fn the_ramp_comes_before_the_measured_time() {
        let mut times = Timetable::new(100, 250, Some(130));
        assert_eq!(times.begin(0), Phase::Ramp);
        assert_eq!(times.due(100), on(100));
        assert_eq!(times.due(200), on(200));
        assert_eq!(times.next(), 250);
        assert_eq!(times.due(251), Due::Ramp);
        times.begin_measure(251);
        assert_eq!(times.phase(), Phase::Measure);
        assert_eq!(times.due(351), on(351));
        assert_eq!(times.due(381), Due::Deadline);
    }

    #[test]
    fn a_ramp_may_be_ended_before_its_time() {
        let mut times = Timetable::new(100, u64::MAX, Some(50));
        times.begin(1000);
        assert_eq!(times.due(1105), on(1100));
        times.end_ramp(1120);
        assert!(times.next() <= 1120);
        assert_eq!(times.due(1120), Due::Ramp);
        times.begin_measure(1120);
        times.end_ramp(1130);
        assert_eq!((times.next(), times.due(1170)), (1170, Due::Deadline), "there is none any more");
    }

    #[test]
    fn seconds_of_a_stall_across_the_deadline_are_windows() {
        let mut times = Timetable::new(100, 0, Some(430));
        times.begin(1000);
        assert_eq!(times.due(1700), Due::Window { first: 1100, last: 1400 });
        assert_eq!(times.due(1700), Due::Deadline);
        assert_eq!(times.deadline(), 1430);
    }

    #[test]
    fn windows_go_on_behind_the_deadline_of_a_job_that_has_ended() {
        let mut times = Timetable::new(100, 0, Some(200));
        times.begin(1000);
        assert_eq!((times.due(1100), times.due(1203)), (on(1100), Due::Deadline));
        times.end_phase();
        assert_eq!((times.next(), times.due(1203)), (1200, on(1200)));
        assert_eq!((times.due(1299), times.next(), times.due(1300)), (Due::Nothing, 1300, on(1300)));
        assert_eq!(times.deadline(), 1200);
        let mut ramp = Timetable::new(100, 150, None);
        ramp.begin(0);
        ramp.end_phase();
        assert_eq!((ramp.due(120), ramp.due(180), ramp.phase()), (on(100), Due::Nothing, Phase::Ramp));
    }

    #[test]
    fn an_endless_run_has_no_deadline() {
        let mut times = Timetable::new(100, 0, Some(u64::MAX));
        times.begin(7);
        let last = (1 << 40) - ((1 << 40) - 7) % 100;
        assert_eq!(times.due(1 << 40), Due::Window { first: 107, last });
    }
}
