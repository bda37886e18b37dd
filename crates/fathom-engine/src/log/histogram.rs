//! The windows of a log of histograms (`write_hist_log`): how many completion latencies of a window each of fio's buckets has.

use super::LoggedIo;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_stats::{FIO_BUCKETS, fio_bucket};

/// The histogram of one direction in one window: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogHistogram {
    /// The end of the window, ns since the worker's measured window began.
    pub at_ns: u64,
    /// Read, write or trim.
    pub direction: Direction,
    /// Block size of the last I/O of the window, bytes.
    pub bytes: u64,
    /// I/Os in each bucket, from the shortest latency. Each has as many of fio's buckets as `log_hist_coarseness` says: 2 to the
    /// power of it.
    pub counts: Vec<u64>,
}

/// The open window of each direction, and those that are closed.
#[derive(Debug)]
pub struct HistogramWindows {
    window_ns: u64,
    /// The end of the open window.
    next_ns: u64,
    coarseness: u32,
    open: PerDirection<Option<LogHistogram>>,
    closed: Vec<LogHistogram>,
}

impl HistogramWindows {
    /// Those of a job that asks for them. Without a length, the whole job is one window.
    pub fn of(job: &Job) -> Option<HistogramWindows> {
        let window_ns = match job.get(&opt::LOG_HIST_MSEC) {
            0 => u64::MAX,
            ms => u64::from(ms) * 1_000_000,
        };
        job.is_given(&opt::WRITE_HIST_LOG).then(|| HistogramWindows {
            window_ns,
            next_ns: window_ns,
            coarseness: job.get(&opt::LOG_HIST_COARSENESS),
            open: PerDirection::default(),
            closed: Vec::new(),
        })
    }

    /// An I/O that completed exactly at the end of a window belongs to that window, as in every series.
    pub fn add(&mut self, io: &LoggedIo) {
        self.advance(io.at_ns.saturating_sub(1));
        let buckets = FIO_BUCKETS >> self.coarseness;
        let open = self.open[io.direction].get_or_insert_with(|| LogHistogram {
            at_ns: 0,
            direction: io.direction,
            bytes: 0,
            counts: vec![0; buckets],
        });
        open.bytes = io.bytes;
        open.counts[fio_bucket(io.completion_ns) >> self.coarseness] += 1;
    }

    /// Closes every window that ended before `at_ns`. A direction without I/O has no line, as in fio.
    pub fn advance(&mut self, at_ns: u64) {
        if at_ns >= self.next_ns {
            self.close(self.next_ns);
            self.next_ns += (at_ns - self.next_ns) / self.window_ns * self.window_ns + self.window_ns;
        }
    }

    /// The job has ended: the open window has a line too, so that the log has every I/O.
    pub fn finish(&mut self, at_ns: u64) {
        self.advance(at_ns);
        self.close(at_ns);
    }

    /// What was closed since the last call.
    pub fn take(&mut self) -> Vec<LogHistogram> {
        std::mem::take(&mut self.closed)
    }

    fn close(&mut self, at_ns: u64) {
        let lines = Direction::ALL.into_iter().filter_map(|direction| self.open[direction].take());
        self.closed.extend(lines.map(|line| LogHistogram { at_ns, ..line }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Read, Write};

    fn windows(coarseness: u32) -> HistogramWindows {
        HistogramWindows {
            window_ns: 100,
            next_ns: 100,
            coarseness,
            open: PerDirection::default(),
            closed: Vec::new(),
        }
    }

    fn io(at_ns: u64, completion_ns: u64, direction: Direction) -> LoggedIo {
        LoggedIo { at_ns, completion_ns, direction, bytes: 4096, ..LoggedIo::BLANK }
    }

    /// Time, direction, number of buckets and those that have I/Os.
    type Line = (u64, Direction, usize, Vec<(usize, u64)>);

    fn lines(windows: &mut HistogramWindows) -> Vec<Line> {
        let filled = |counts: &[u64]| counts.iter().copied().enumerate().filter(|(_, n)| *n > 0).collect();
        let lines = windows.take();
        lines.iter().map(|l| (l.at_ns, l.direction, l.counts.len(), filled(&l.counts))).collect()
    }

    #[test]
    fn each_window_has_its_ios_and_the_last_one_too() {
        let mut log = windows(0);
        for (at, latency, direction) in
            [(10, 43_776, Read), (20, 90, Write), (100, 43_776, Read), (101, 5, Read), (430, 7, Read)]
        {
            log.add(&io(at, latency, direction));
        }
        log.finish(450);
        let expected = [
            (100, Read, 1856, vec![(661, 2)]),
            (100, Write, 1856, vec![(90, 1)]),
            (200, Read, 1856, vec![(5, 1)]),
            (450, Read, 1856, vec![(7, 1)]),
        ];
        assert_eq!(lines(&mut log), expected);
        assert!(log.take().is_empty());
    }

    #[test]
    fn coarse_buckets_are_those_that_lie_together() {
        for (coarseness, buckets, bucket) in [(1, 928, 330), (3, 232, 82), (6, 29, 10)] {
            let mut log = windows(coarseness);
            log.add(&io(10, 43_776, Read));
            log.add(&io(20, u64::MAX, Read));
            log.finish(50);
            assert_eq!(lines(&mut log), [(50, Read, buckets, vec![(bucket, 1), (buckets - 1, 1)])]);
        }
    }
}
