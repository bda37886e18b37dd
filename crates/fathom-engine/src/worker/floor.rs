//! `rate_min`, `rate_iops_min`: the least that a job must move.
//!
//! Judged from closed windows, so it costs nothing between two I/Os; a cycle
//! (`rate_cycle`) is rounded up to whole windows of a second. As in fio a job
//! is given two seconds before it is first judged.
//!
//! Time is counted in whole windows, not in nanoseconds. The ends of a window
//! are ticks of the clock, and its length in nanoseconds is often
//! 999,999,999. The sum of two such windows would be less
//! than two seconds, and a cycle of one second would need two windows. Their mean
//! would hide a second that is below the floor.

use super::failure;
use super::recorder::WINDOW_NS;
use crate::tally::Tally;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::plan::{Pace, Rate};
use fathom_results::JobFailure;

/// fio's `check_min_rate`: the first two seconds are not judged.
const GRACE_WINDOWS: u64 = 2;

/// The time that the rounding of both ends can take from a window. A window that a
/// phase cut short is shorter by more than that.
const ROUNDING_NS: u64 = 1_000;

/// The least that is required, and what was moved in the open cycle.
#[derive(Debug)]
pub struct Floor {
    least: PerDirection<Option<Rate>>,
    cycle_windows: u64,
    grace_windows: u64,
    windows: u64,
    moved: PerDirection<(u64, u64)>,
    broken: Option<JobFailure>,
}

impl Floor {
    pub fn new(pace: &Pace) -> Floor {
        Floor {
            least: pace.floor,
            cycle_windows: pace.floor_cycle.0.div_ceil(WINDOW_NS).max(1),
            grace_windows: GRACE_WINDOWS,
            windows: 0,
            moved: PerDirection::default(),
            broken: None,
        }
    }

    /// A measured window of `length_ns` closed. Its length is that of several windows
    /// if the worker was stuck.
    ///
    /// If the window is longer than what is left of the grace, it is judged as if
    /// everything had been moved after the grace. Then at least a stop of all I/O is seen.
    pub fn window(&mut self, tally: &Tally, length_ns: u64) {
        let windows = (length_ns + ROUNDING_NS) / WINDOW_NS;
        let excused = windows.min(self.grace_windows);
        self.grace_windows -= excused;
        if windows == excused {
            return;
        }
        self.windows += windows - excused;
        for d in Direction::ALL {
            self.moved[d].0 += tally.directions[d].ios;
            self.moved[d].1 += tally.directions[d].bytes;
        }
        if self.windows >= self.cycle_windows {
            self.judge();
            (self.windows, self.moved) = (0, PerDirection::default());
        }
    }

    fn judge(&mut self) {
        let seconds = self.windows as f64 * (WINDOW_NS as f64 / 1e9);
        for d in Direction::ALL {
            let (ios, bytes) = self.moved[d];
            let (per_second, least, unit, option) = match self.least[d] {
                Some(Rate::Ios(least)) => (ios as f64 / seconds, least, "I/Os", "rate_iops_min"),
                Some(Rate::Bytes(least)) => (bytes as f64 / seconds, least, "bytes", "rate_min"),
                None => continue,
            };
            if per_second < least as f64 {
                let message = format!(
                    "{}: {per_second:.0} {unit} per second over {seconds:.1} s, below {option}={least}",
                    d.name()
                );
                self.broken.get_or_insert(JobFailure { direction: Some(d), ..failure(libc::EIO, message) });
            }
        }
    }

    /// Why the job must end, if it must.
    pub fn broken(&mut self) -> Option<JobFailure> {
        self.broken.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Detail;
    use fathom_job::units::Nanos;

    const SECOND: u64 = 1_000_000_000;

    fn floor(least: Rate) -> (Floor, Tally) {
        floor_over(least, 2 * SECOND)
    }

    fn floor_over(least: Rate, cycle_ns: u64) -> (Floor, Tally) {
        let plan = crate::fixture::planned("[j]\nioengine=null\nrw=read\nsize=1m\n");
        let detail = Detail::of(&plan.jobs[0], false);
        let used = PerDirection { read: true, write: false, trim: false };
        let pace = Pace {
            floor: PerDirection { read: Some(least), write: None, trim: None },
            floor_cycle: Nanos(cycle_ns),
            ..Pace::default()
        };
        (Floor::new(&pace), Tally::new(detail, used, 1, false))
    }

    #[test]
    fn a_job_below_its_floor_ends_after_a_whole_cycle() {
        let (mut floor, mut tally) = floor(Rate::Ios(100));
        tally.directions.read.ios = 99;
        for _ in 0..3 {
            floor.window(&tally, SECOND);
            assert!(floor.broken().is_none(), "two seconds of grace, and half a cycle");
        }
        floor.window(&tally, SECOND);
        let failure = floor.broken().expect("99 is less than 100");
        assert_eq!(failure.message, "read: 99 I/Os per second over 2.0 s, below rate_iops_min=100");
        assert_eq!(failure.errno, libc::EIO, "fio 3.33 ends such a job with err= 5");
    }

    #[test]
    fn a_job_at_its_floor_goes_on() {
        let (mut floor, mut tally) = floor(Rate::Bytes(4096));
        tally.directions.read.bytes = 4096;
        (0..20).for_each(|_| floor.window(&tally, SECOND));
        assert!(floor.broken().is_none());
    }

    /// Is a second below the floor found among others, when windows have these lengths?
    fn finds_a_broken_second(lengths_ns: &[u64]) -> bool {
        let (mut floor, mut tally) = floor_over(Rate::Ios(100), SECOND);
        let mut rates = [150, 150, 150, 60, 150, 150].into_iter().zip(lengths_ns.iter().cycle());
        rates.any(|(ios, length_ns)| {
            tally.directions.read.ios = ios;
            floor.window(&tally, *length_ns);
            floor.broken().is_some()
        })
    }

    #[test]
    fn a_broken_second_is_found_however_its_ends_are_rounded() {
        let lengths: [&[u64]; 4] =
            [&[SECOND], &[SECOND - 1], &[SECOND + 1], &[SECOND - 1, SECOND, SECOND - 2, SECOND + 1, SECOND]];
        for lengths_ns in lengths {
            assert!(finds_a_broken_second(lengths_ns), "{lengths_ns:?}");
        }
    }

    #[test]
    fn exactly_the_least_is_enough_however_the_ends_are_rounded() {
        let (mut floor, mut tally) = floor_over(Rate::Ios(100), SECOND);
        tally.directions.read.ios = 100;
        for length_ns in [SECOND + 1, SECOND, SECOND - 1].repeat(4) {
            floor.window(&tally, length_ns);
        }
        assert!(floor.broken().is_none());
    }

    #[test]
    fn a_standstill_that_begins_in_the_grace_is_found_when_it_ends() {
        let (mut floor, mut tally) = floor_over(Rate::Ios(100), SECOND);
        tally.directions.read.ios = 150;
        floor.window(&tally, SECOND);
        floor.window(&tally, 4 * SECOND);
        let failure = floor.broken().expect("150 I/Os in the three seconds behind the grace");
        assert_eq!(failure.message, "read: 50 I/Os per second over 3.0 s, below rate_iops_min=100");
    }

    #[test]
    fn a_window_that_was_cut_short_is_not_judged() {
        let (mut floor, mut tally) = floor_over(Rate::Ios(100), SECOND);
        tally.directions.read.ios = 150;
        (0..3).for_each(|_| floor.window(&tally, SECOND));
        tally.directions.read.ios = 1;
        floor.window(&tally, SECOND / 2);
        assert!(floor.broken().is_none());
    }
}
