//! When a worker's windows and phases end, in stamps of the clock.
//!
//! Pure: the loop compares one stamp ([`Timetable::next`]); what has come due
//! by then is asked here.

use fathom_results::Phase;

/// The worker's agenda.
#[derive(Clone, Debug)]
pub struct Timetable {
    phase: Phase,
    /// Ticks of a window.
    window: u64,
    /// Ticks of the measured time, when that is limited.
    run: Option<u64>,
    window_end: u64,
    /// Ticks of the ramp before it begins, then its end.
    ramp: Option<u64>,
    deadline: u64,
    next: u64,
}

/// What has come due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// A window ended at this stamp.
    Window(u64),
    /// The ramp.
    Ramp,
    /// The measured time.
    Deadline,
}

impl Timetable {
    /// Lengths in ticks: of a window, the ramp (0 for none) and the run.
    pub fn new(window: u64, ramp: u64, run: Option<u64>) -> Timetable {
        let ramp = (ramp > 0).then_some(ramp);
        let window = window.max(1);
        Timetable { phase: Phase::Ramp, window, run, window_end: 0, ramp, deadline: u64::MAX, next: 0 }
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

    /// The stamp at which something comes due.
    #[inline(always)]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Did the first phase begin?
    pub fn has_begun(&self) -> bool {
        self.window_end > 0
    }

    /// Ramp or measure.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What is due by `now`. Windows keep their grid; those in which the
    /// worker was stuck in one I/O are closed together, as one long window.
    pub fn due(&mut self, now: u64) -> Due {
        if self.ramp.is_some_and(|end| now >= end) {
            return Due::Ramp;
        }
        if now >= self.deadline {
            return Due::Deadline;
        }
        if now < self.window_end {
            return Due::Nothing;
        }
        let behind = (now - self.window_end) / self.window;
        let boundary = self.window_end + behind * self.window;
        self.window_end = boundary + self.window;
        self.plan_next();
        Due::Window(boundary)
    }

    fn plan_next(&mut self) {
        self.next = self.window_end.min(self.ramp.unwrap_or(u64::MAX)).min(self.deadline);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_keep_their_grid_over_a_stall() {
        let mut times = Timetable::new(100, 0, None);
        assert_eq!(times.begin(1000), Phase::Measure);
        assert_eq!(times.next(), 1100);
        assert_eq!(times.due(1099), Due::Nothing);
        assert_eq!(times.due(1103), Due::Window(1100));
        assert_eq!(times.due(1450), Due::Window(1400), "three windows as one");
        assert_eq!(times.next(), 1500);
    }

    #[test]
    fn the_ramp_comes_before_the_measured_time() {
        let mut times = Timetable::new(100, 250, Some(130));
        assert_eq!(times.begin(0), Phase::Ramp);
        assert_eq!(times.due(100), Due::Window(100));
        assert_eq!(times.due(200), Due::Window(200));
        assert_eq!(times.next(), 250);
        assert_eq!(times.due(251), Due::Ramp);
        times.begin_measure(251);
        assert_eq!(times.phase(), Phase::Measure);
        assert_eq!(times.due(351), Due::Window(351));
        assert_eq!(times.due(381), Due::Deadline);
    }

    #[test]
    fn an_endless_run_has_no_deadline() {
        let mut times = Timetable::new(100, 0, Some(u64::MAX));
        times.begin(7);
        assert_eq!(times.due(1 << 40), Due::Window((1 << 40) - ((1 << 40) - 7) % 100));
    }
}
