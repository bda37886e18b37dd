//! `rate_min`, `rate_iops_min`: the least that a job must move.
//!
//! Judged from closed windows, so it costs nothing between two I/Os; a cycle
//! (`rate_cycle`) is rounded up to whole windows of a second. As in fio a job
//! is given two seconds before it is first judged.

use super::failure;
use crate::tally::Tally;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::plan::{Pace, Rate};
use fathom_results::JobFailure;

/// fio's `check_min_rate`: the first two seconds are not judged.
const GRACE_NS: u64 = 2_000_000_000;

/// What is asked, and what was moved in the open cycle.
#[derive(Debug)]
pub struct Floor {
    least: PerDirection<Option<Rate>>,
    cycle_ns: u64,
    grace_ns: u64,
    elapsed_ns: u64,
    moved: PerDirection<(u64, u64)>,
    broken: Option<JobFailure>,
}

impl Floor {
    /// Of a job's pace.
    pub fn new(pace: &Pace) -> Floor {
        Floor {
            least: pace.floor,
            cycle_ns: pace.floor_cycle.0,
            grace_ns: GRACE_NS,
            elapsed_ns: 0,
            moved: PerDirection::default(),
            broken: None,
        }
    }

    /// A measured window of `length_ns` closed.
    pub fn window(&mut self, tally: &Tally, length_ns: u64) {
        if self.grace_ns > 0 {
            self.grace_ns = self.grace_ns.saturating_sub(length_ns);
            return;
        }
        self.elapsed_ns += length_ns;
        for d in Direction::ALL {
            self.moved[d].0 += tally.directions[d].ios;
            self.moved[d].1 += tally.directions[d].bytes;
        }
        if self.elapsed_ns >= self.cycle_ns.max(1) {
            self.judge();
            (self.elapsed_ns, self.moved) = (0, PerDirection::default());
        }
    }

    fn judge(&mut self) {
        let seconds = self.elapsed_ns as f64 / 1e9;
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
                self.broken
                    .get_or_insert(JobFailure { direction: Some(d), ..failure(libc::EAGAIN, message) });
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
        let plan = crate::fixture::planned("[j]\nioengine=null\nrw=read\nsize=1m\n");
        let detail = Detail::of(&plan.jobs[0], false);
        let used = PerDirection { read: true, write: false, trim: false };
        let pace = Pace {
            floor: PerDirection { read: Some(least), write: None, trim: None },
            floor_cycle: Nanos(2 * SECOND),
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
    }

    #[test]
    fn a_job_at_its_floor_goes_on() {
        let (mut floor, mut tally) = floor(Rate::Bytes(4096));
        tally.directions.read.bytes = 4096;
        (0..20).for_each(|_| floor.window(&tally, SECOND));
        assert!(floor.broken().is_none());
    }
}
