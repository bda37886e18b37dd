//! The seconds of jobs that are judged together, put together from the windows of each.
//!
//! The first second begins when the first of the jobs begins to measure. Each of the others is counted in the second
//! that its window is nearest to, because workers that begin together differ by microseconds. A second is complete
//! when every job that measures has reported it; a job that has not begun, or has ended, is not waited for. A window
//! is a rate over its own length, so a first or last window of less than a second does not look slow.

use fathom_job::direction::Direction;
use fathom_results::Window;
use std::collections::VecDeque;

const SECOND_NS: u64 = 1_000_000_000;

/// What some jobs did in one second of their measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Its number, from 0.
    pub number: u64,
    /// I/Os per second, all directions; each job's rate is rounded down, as in fio.
    pub iops: u64,
    /// Bytes per second.
    pub bw_bytes: u64,
    /// Those of them that were written.
    pub written_bytes: u64,
    /// Completion latencies of the I/Os that ended in it: how many.
    pub latencies: u64,
    /// Their sum, ns.
    pub latency_sum_ns: u128,
}

/// Puts the windows of some jobs together.
#[derive(Debug)]
pub struct Seconds {
    /// For each job, in the order in which they were named.
    jobs: Vec<Standing>,
    /// When second 0 began, ns since the start of the run. Less than 0 if nothing was measured for a while.
    origin_ns: i128,
    /// Number of the first second that was not given out.
    next: u64,
    /// The seconds from there on.
    open: VecDeque<Second>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Waiting,
    /// It has reported all seconds before this one.
    Measures(u64),
    Ended,
}

impl Seconds {
    /// Of so many jobs, none of which has begun.
    pub fn of(jobs: usize) -> Seconds {
        Seconds { jobs: vec![Standing::Waiting; jobs], origin_ns: 0, next: 0, open: VecDeque::new() }
    }

    /// A job began to measure. Time in which none did is left out.
    pub fn begins(&mut self, job: usize, at_ns: u64) {
        if !self.jobs.iter().any(|job| matches!(job, Standing::Measures(_))) {
            self.next += self.open.len() as u64;
            self.open.clear();
            self.origin_ns = i128::from(at_ns) - i128::from(self.next) * i128::from(SECOND_NS);
        }
        self.jobs[job] = Standing::Measures(self.number_at(at_ns));
    }

    /// A job measured this.
    pub fn measured(&mut self, job: usize, window: &Window) {
        let (from, to) = (self.number_at(window.start_ns), self.number_at(window.end_ns));
        let length_ns = window.end_ns.saturating_sub(window.start_ns);
        // Less than half a second at the end of a job.
        if to <= from || length_ns == 0 || self.jobs[job] == Standing::Ended {
            return;
        }
        let seconds = to - from;
        let mut share = Second::default();
        for (way, direction) in &window.directions {
            share.iops += direction.ios;
            share.written_bytes += if *way == Direction::Write { direction.bytes } else { 0 };
            share.bw_bytes += direction.bytes;
            share.latencies += direction.completion.moments.count();
            share.latency_sum_ns += direction.completion.moments.sum();
        }
        let rate = |amount: u64| (u128::from(amount) * u128::from(SECOND_NS) / u128::from(length_ns)) as u64;
        (share.iops, share.bw_bytes) = (rate(share.iops), rate(share.bw_bytes));
        share.written_bytes = rate(share.written_bytes);
        share.latencies = share.latencies.div_ceil(seconds);
        share.latency_sum_ns /= u128::from(seconds);
        for number in from.max(self.next)..to {
            self.add(number, &share);
        }
        self.jobs[job] = Standing::Measures(to);
    }

    /// A job ended.
    pub fn ended(&mut self, job: usize) {
        self.jobs[job] = Standing::Ended;
    }

    /// The next second that is complete.
    pub fn take(&mut self) -> Option<Second> {
        let reported = self.jobs.iter().filter_map(|job| match job {
            Standing::Measures(reported) => Some(*reported),
            Standing::Waiting | Standing::Ended => None,
        });
        if reported.min()? <= self.next {
            return None;
        }
        let second = Second { number: self.next, ..self.open.pop_front().unwrap_or_default() };
        self.next += 1;
        Some(second)
    }

    fn add(&mut self, number: u64, share: &Second) {
        let at = (number - self.next) as usize;
        if self.open.len() <= at {
            self.open.resize(at + 1, Second::default());
        }
        let second = &mut self.open[at];
        second.iops += share.iops;
        second.bw_bytes += share.bw_bytes;
        second.written_bytes += share.written_bytes;
        second.latencies += share.latencies;
        second.latency_sum_ns += share.latency_sum_ns;
    }

    /// The second whose beginning is nearest to this time.
    fn number_at(&self, at_ns: u64) -> u64 {
        let since = i128::from(at_ns) - self.origin_ns + i128::from(SECOND_NS / 2);
        u64::try_from(since / i128::from(SECOND_NS)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::direction::Direction;
    use fathom_results::{DirectionWindow, Phase};

    /// A window from `from_ms` to `to_ms` with so many I/Os of 4 KiB and 100 ns each.
    fn window(from_ms: u64, to_ms: u64, ios: u64) -> Window {
        let mut window = Window::quiet(0, Phase::Measure, from_ms * 1_000_000, to_ms * 1_000_000);
        let mut direction = DirectionWindow { ios, bytes: 4096 * ios, ..Default::default() };
        direction.completion.moments.record_n(100, ios);
        window.directions.push((Direction::Read, direction));
        window
    }

    fn all(seconds: &mut Seconds) -> Vec<(u64, u64)> {
        std::iter::from_fn(|| seconds.take()).map(|second| (second.number, second.iops)).collect()
    }

    #[test]
    fn a_second_is_complete_when_every_job_that_measures_reported_it() {
        let mut seconds = Seconds::of(3);
        seconds.begins(0, 5_000_000_000);
        seconds.begins(1, 5_003_000_000);
        seconds.measured(0, &window(5_000, 6_000, 100));
        assert_eq!(all(&mut seconds), []);
        seconds.measured(1, &window(5_003, 6_003, 7));
        assert_eq!(all(&mut seconds), [(0, 107)]);
        // The third begins in the middle; the second ends with a part of a second, which is a rate.
        seconds.begins(2, 6_200_000_000);
        seconds.measured(0, &window(6_000, 7_000, 100));
        seconds.measured(2, &window(6_200, 7_200, 10));
        seconds.measured(1, &window(6_003, 6_603, 6));
        seconds.ended(1);
        assert_eq!(all(&mut seconds), [(1, 120)]);
        seconds.measured(2, &window(7_200, 8_200, 10));
        seconds.ended(0);
        assert_eq!(all(&mut seconds), [(2, 10)]);
    }

    #[test]
    fn a_long_window_is_the_same_rate_in_all_its_seconds() {
        let mut seconds = Seconds::of(1);
        seconds.begins(0, 0);
        seconds.measured(0, &window(0, 3_000, 300));
        assert_eq!(all(&mut seconds), [(0, 100), (1, 100), (2, 100)]);
        seconds.measured(0, &window(3_000, 3_400, 300));
        assert_eq!(all(&mut seconds), [], "less than half a second at the end");
        let mut seconds = Seconds::of(1);
        seconds.begins(0, 0);
        seconds.measured(0, &window(0, 2_000, 3));
        let second = seconds.take().unwrap();
        assert_eq!((second.latencies, second.latency_sum_ns, second.bw_bytes), (2, 150, 6144));
    }

    #[test]
    fn time_in_which_nothing_is_measured_is_left_out() {
        let mut seconds = Seconds::of(2);
        seconds.begins(0, 0);
        seconds.measured(0, &window(0, 1_000, 5));
        assert_eq!(all(&mut seconds), [(0, 5)]);
        seconds.ended(0);
        seconds.begins(1, 60_000_000_000);
        seconds.measured(1, &window(60_000, 61_000, 9));
        assert_eq!(all(&mut seconds), [(1, 9)]);
    }
}
