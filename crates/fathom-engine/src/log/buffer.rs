//! A worker's log lines: a sample per I/O, or per averaging window.
//!
//! With `log_avg_msec`, windows come from the clock, so one without any
//! completion yields a line of zero: a stall is visible.

use super::{LogKind, LogSample};
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::job::Job;
use fathom_job::options as opt;

/// Room before a buffer is handed over; fio's first allocation is 1,024 too.
const ENTRIES: usize = 1024;

/// One completed I/O as the logs see it.
#[derive(Clone, Copy, Debug)]
pub struct Logged {
    /// Direction.
    pub direction: Direction,
    /// Bytes moved.
    pub bytes: u64,
    /// Byte offset.
    pub offset: u64,
    /// Latencies, ns.
    pub submission_ns: u64,
    /// Latencies, ns.
    pub completion_ns: u64,
}

/// A worker's log buffer.
#[derive(Debug)]
pub struct LogBuffer {
    bandwidth: bool,
    iops: bool,
    latency: bool,
    slat: bool,
    window_ns: u64,
    next_ns: u64,
    sums: PerDirection<WindowSum>,
    used: PerDirection<bool>,
    samples: Vec<LogSample>,
}

/// What happened in one averaging window.
#[derive(Clone, Copy, Debug, Default)]
struct WindowSum {
    ios: u64,
    bytes: u64,
    block: u64,
    slat: SumMax,
    clat: SumMax,
    total: SumMax,
}

#[derive(Clone, Copy, Debug, Default)]
struct SumMax {
    sum: u64,
    max: u64,
}

impl SumMax {
    fn add(&mut self, value: u64) {
        self.sum += value;
        self.max = self.max.max(value);
    }
}

impl LogBuffer {
    /// The buffer of a job that asks for logs, else `None`.
    pub fn of(job: &Job, used: PerDirection<bool>, sync_engine: bool) -> Option<LogBuffer> {
        let [bandwidth, iops, latency] =
            [&opt::WRITE_BW_LOG, &opt::WRITE_IOPS_LOG, &opt::WRITE_LAT_LOG].map(|key| job.is_given(key));
        (bandwidth || iops || latency).then(|| {
            let window_ns = u64::from(job.get(&opt::LOG_AVG_MSEC)) * 1_000_000;
            LogBuffer {
                bandwidth,
                iops,
                latency,
                slat: !sync_engine,
                window_ns,
                next_ns: window_ns,
                sums: PerDirection::default(),
                used,
                samples: Vec::with_capacity(ENTRIES + 8),
            }
        })
    }

    /// Takes one I/O, completed `at_ns` after the window began.
    pub fn add(&mut self, at_ns: u64, io: &Logged) {
        if self.window_ns == 0 {
            return self.sample_each(at_ns, io);
        }
        self.advance(at_ns);
        let sum = &mut self.sums[io.direction];
        sum.block = if sum.ios == 0 || sum.block == io.bytes { io.bytes } else { 0 };
        sum.ios += 1;
        sum.bytes += io.bytes;
        sum.slat.add(io.submission_ns);
        sum.clat.add(io.completion_ns);
        sum.total.add(io.submission_ns + io.completion_ns);
    }

    /// Closes every averaging window that ended before `at_ns`.
    pub fn advance(&mut self, at_ns: u64) {
        while self.window_ns > 0 && at_ns >= self.next_ns {
            for direction in Direction::ALL {
                if self.used[direction] {
                    self.close_window(direction);
                }
            }
            self.next_ns += self.window_ns;
        }
    }

    /// The job has ended `at_ns` after its window began: what is in the open
    /// averaging window gets a line too, over the time it lasted, unless that
    /// was too short for a rate (a tenth of a window) and there are others.
    pub fn finish(&mut self, at_ns: u64) {
        self.advance(at_ns);
        let began = self.next_ns.saturating_sub(self.window_ns);
        let has_io = Direction::ALL.into_iter().any(|d| self.sums[d].ios > 0);
        let is_first = self.next_ns == self.window_ns;
        let is_long = at_ns.saturating_sub(began) >= self.window_ns / 10;
        if self.window_ns > 0 && has_io && (is_first || is_long) {
            (self.next_ns, self.window_ns) = (at_ns, (at_ns - began).max(1));
            let used = self.used;
            for direction in Direction::ALL.into_iter().filter(|&d| used[d]) {
                self.close_window(direction);
            }
        }
    }

    /// Is it time to hand the samples over?
    pub fn is_full(&self) -> bool {
        self.samples.len() >= ENTRIES
    }

    /// The samples so far.
    pub fn take(&mut self) -> Vec<LogSample> {
        std::mem::replace(&mut self.samples, Vec::with_capacity(ENTRIES + 8))
    }

    /// Anything to hand over?
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    fn sample_each(&mut self, at_ns: u64, io: &Logged) {
        let total = io.submission_ns + io.completion_ns;
        let bandwidth = (u128::from(io.bytes) * 1_000_000_000 / 1024 / u128::from(total.max(1))) as u64;
        let mut push = |kind, value| {
            let &Logged { direction, bytes, offset, .. } = io;
            self.samples.push(LogSample { kind, at_ns, value, value_max: value, direction, bytes, offset });
        };
        if self.bandwidth {
            push(LogKind::Bandwidth, bandwidth);
        }
        if self.iops {
            push(LogKind::Iops, 1);
        }
        if self.latency {
            if self.slat {
                push(LogKind::Submission, io.submission_ns);
            }
            push(LogKind::Completion, io.completion_ns);
            push(LogKind::Total, total);
        }
    }

    fn close_window(&mut self, direction: Direction) {
        let sum = std::mem::take(&mut self.sums[direction]);
        let (at_ns, seconds) = (self.next_ns, self.window_ns as f64 / 1e9);
        let mut push = |kind, value: u64, value_max: u64| {
            let bytes = sum.block;
            self.samples.push(LogSample { kind, at_ns, value, value_max, direction, bytes, offset: 0 });
        };
        if self.bandwidth {
            let kib = (sum.bytes as f64 / 1024.0 / seconds).round() as u64;
            push(LogKind::Bandwidth, kib, kib);
        }
        if self.iops {
            let iops = (sum.ios as f64 / seconds).round() as u64;
            push(LogKind::Iops, iops, iops);
        }
        if self.latency {
            let slat = self.slat.then_some((LogKind::Submission, sum.slat));
            let rest = [(LogKind::Completion, sum.clat), (LogKind::Total, sum.total)];
            for (kind, l) in slat.into_iter().chain(rest) {
                push(kind, l.sum / sum.ios.max(1), l.max);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(window_ns: u64) -> LogBuffer {
        LogBuffer {
            bandwidth: true,
            iops: true,
            latency: true,
            slat: false,
            window_ns,
            next_ns: window_ns,
            sums: PerDirection::default(),
            used: PerDirection { read: true, write: false, trim: false },
            samples: Vec::new(),
        }
    }

    const IO: Logged = Logged {
        direction: Direction::Read,
        bytes: 4096,
        offset: 8192,
        submission_ns: 0,
        completion_ns: 1000,
    };

    #[test]
    fn a_stalled_window_yields_lines_of_zero() {
        let mut log = buffer(100);
        log.add(10, &IO);
        log.add(250, &IO);
        let iops: Vec<(u64, u64)> =
            log.take().iter().filter(|s| s.kind == LogKind::Iops).map(|s| (s.at_ns, s.value)).collect();
        assert_eq!(iops, [(100, 10_000_000), (200, 0)]);
    }

    #[test]
    fn the_last_window_counts_over_the_time_it_lasted() {
        let mut log = buffer(1_000_000_000);
        (0..5).for_each(|_| log.add(1_050_000_000, &IO));
        log.finish(1_100_000_000);
        let iops: Vec<(u64, u64)> =
            log.take().iter().filter(|s| s.kind == LogKind::Iops).map(|s| (s.at_ns, s.value)).collect();
        assert_eq!(iops, [(1_000_000_000, 0), (1_100_000_000, 50)]);
    }

    #[test]
    fn without_a_window_every_io_has_its_lines() {
        let mut log = buffer(0);
        log.add(10, &IO);
        let lines: Vec<(LogKind, u64)> = log.take().iter().map(|s| (s.kind, s.value)).collect();
        let kib_per_s = 4096 * 1_000_000 / 1024;
        assert_eq!(
            lines,
            [
                (LogKind::Bandwidth, kib_per_s),
                (LogKind::Iops, 1),
                (LogKind::Completion, 1000),
                (LogKind::Total, 1000)
            ]
        );
    }
}
