//! What a worker counts between two window boundaries.
//!
//! Owned by one thread; when a window closes the whole tally is handed to the
//! collector and an empty one taken in its place, so nothing in the loop is
//! shared, locked or allocated.

use crate::desc::Op;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_results::{DirectionWindow, LatencyWindow, Phase, Window};
use fathom_stats::{Histogram, Moments};

/// Counts of one window.
#[derive(Clone, Debug)]
pub struct Tally {
    /// By direction.
    pub directions: PerDirection<DirectionTally>,
    /// Latency of the fsync family.
    pub sync: Metric,
    /// I/Os by in-flight count after their submit call, exact.
    pub depth: Vec<u64>,
    /// Submit calls by I/Os submitted, fio's classes.
    pub submit: [u64; 7],
    /// Reaps by I/Os reaped, fio's classes.
    pub complete: [u64; 7],
    /// Synchronous engines: completion is total, recorded once.
    is_total_shared: bool,
}

/// Counts of one direction.
#[derive(Clone, Debug, Default)]
pub struct DirectionTally {
    /// I/Os completed.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Moved less than asked.
    pub short_ios: u64,
    /// Failed, and the job went on.
    pub errors: u64,
    /// Descriptor taken → completion seen.
    pub total: Metric,
    /// Submit call begun → completion seen.
    pub completion: Metric,
    /// Descriptor taken → submit call begun.
    pub submission: Metric,
}

/// One latency, as much of it as the job asks for.
#[derive(Clone, Debug, Default)]
pub enum Metric {
    /// Nothing (`disable_*`, or a direction that the job does not use).
    #[default]
    Off,
    /// Count, sums, extremes.
    Sums(Moments),
    /// The distribution too.
    Full(Box<(Moments, Histogram)>),
}

/// Which latencies a job wants, and in what detail.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    total: Want,
    completion: Want,
    submission: Want,
    is_total_shared: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Off,
    Sums,
    Full,
}

impl Detail {
    /// From the job's options; `sync_engine` has no submission of its own, so
    /// its completion latency is its total.
    pub fn of(job: &Job, sync_engine: bool) -> Detail {
        let reduced = job.get(&opt::GTOD_REDUCE);
        let want = |disabled: bool, percentiles: bool| match (disabled || reduced, percentiles) {
            (true, _) => Want::Off,
            (false, true) => Want::Full,
            (false, false) => Want::Sums,
        };
        let submission = want(job.get(&opt::DISABLE_SLAT), job.get(&opt::SLAT_PERCENTILES));
        let completion = want(job.get(&opt::DISABLE_CLAT), job.get(&opt::CLAT_PERCENTILES));
        // The distribution of the total is always kept: it is the latency
        // that can be compared between engines.
        let total = want(job.get(&opt::DISABLE_LAT), true);
        let is_total_shared = sync_engine && total == Want::Full && completion == Want::Full;
        Detail {
            total: if is_total_shared { Want::Off } else { total },
            completion,
            submission: if sync_engine { Want::Off } else { submission },
            is_total_shared,
        }
    }

    /// Is any latency wanted at all?
    pub fn any(&self) -> bool {
        [self.total, self.completion, self.submission].iter().any(|w| *w != Want::Off)
    }
}

impl Metric {
    fn new(want: Want) -> Metric {
        match want {
            Want::Off => Metric::Off,
            Want::Sums => Metric::Sums(Moments::new()),
            Want::Full => Metric::Full(Box::new((Moments::new(), Histogram::new()))),
        }
    }

    /// Records `n` equal latencies.
    #[inline]
    pub fn record_n(&mut self, ns: u64, n: u64) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => moments.record_n(ns, n),
            Metric::Full(both) => {
                both.0.record_n(ns, n);
                both.1.record_n(ns, n);
            }
        }
    }

    fn clear(&mut self) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => *moments = Moments::new(),
            Metric::Full(both) => {
                both.0 = Moments::new();
                both.1.clear();
            }
        }
    }

    fn window(&self) -> LatencyWindow {
        match self {
            Metric::Off => LatencyWindow::default(),
            Metric::Sums(moments) => LatencyWindow { moments: *moments, histogram: None },
            Metric::Full(both) => {
                LatencyWindow { moments: both.0, histogram: (!both.1.is_empty()).then(|| both.1.sparse()) }
            }
        }
    }
}

impl Tally {
    /// An empty tally for a worker that uses `used` directions at `depth`.
    pub fn new(detail: Detail, used: PerDirection<bool>, depth: usize, syncs: bool) -> Tally {
        let want = |on: bool, want: Want| Metric::new(if on { want } else { Want::Off });
        Tally {
            directions: PerDirection::from_fn(|d| DirectionTally {
                total: want(used[d], detail.total),
                completion: want(used[d], detail.completion),
                submission: want(used[d], detail.submission),
                ..DirectionTally::default()
            }),
            sync: want(syncs, Want::Full),
            depth: vec![0; depth + 1],
            submit: [0; 7],
            complete: [0; 7],
            is_total_shared: detail.is_total_shared,
        }
    }

    /// The direction's counts of an operation; data operations only.
    #[inline(always)]
    pub fn of(&mut self, op: Op) -> &mut DirectionTally {
        match op {
            Op::Read => &mut self.directions.read,
            Op::Write => &mut self.directions.write,
            _ => &mut self.directions.trim,
        }
    }

    /// Empties it for the next window.
    pub fn clear(&mut self) {
        for d in Direction::ALL {
            let t = &mut self.directions[d];
            (t.ios, t.bytes, t.short_ios, t.errors) = (0, 0, 0, 0);
            t.total.clear();
            t.completion.clear();
            t.submission.clear();
        }
        self.sync.clear();
        self.depth.fill(0);
        self.submit = [0; 7];
        self.complete = [0; 7];
    }

    /// The window as it goes to the spool.
    pub fn window(&self, job: u32, phase: Phase, start_ns: u64, end_ns: u64) -> Window {
        let busy =
            Direction::ALL.into_iter().filter(|&d| self.directions[d].ios + self.directions[d].errors > 0);
        Window {
            job,
            phase,
            start_ns,
            end_ns,
            directions: busy.map(|d| (d, self.directions[d].window(self.is_total_shared))).collect(),
            sync: self.sync.window(),
            depth: depth_classes(&self.depth),
            submit: self.submit,
            complete: self.complete,
        }
    }
}

impl DirectionTally {
    fn window(&self, is_total_shared: bool) -> DirectionWindow {
        let total = if is_total_shared { &self.completion } else { &self.total };
        DirectionWindow {
            ios: self.ios,
            bytes: self.bytes,
            short_ios: self.short_ios,
            errors: self.errors,
            total: total.window(),
            completion: self.completion.window(),
            submission: self.submission.window(),
        }
    }
}

/// fio's depth classes: 1, 2, 4, 8, 16, 32, ≥64.
fn depth_classes(exact: &[u64]) -> [u64; 7] {
    let mut classes = [0; 7];
    for (depth, n) in exact.iter().enumerate().skip(1) {
        classes[(depth.ilog2() as usize).min(6)] += n;
    }
    classes
}

/// fio's batch classes: 0, 1–4, 5–8, 9–16, 17–32, 33–64, >64.
#[inline]
pub fn batch_class(n: usize) -> usize {
    match n {
        0 => 0,
        1..=4 => 1,
        _ => ((n - 1).ilog2() as usize).min(6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_fio() {
        let cases = [
            (0, 0),
            (1, 1),
            (4, 1),
            (5, 2),
            (8, 2),
            (9, 3),
            (16, 3),
            (17, 4),
            (32, 4),
            (33, 5),
            (64, 5),
            (65, 6),
            (4096, 6),
        ];
        for (n, class) in cases {
            assert_eq!(batch_class(n), class, "{n}");
        }
        let mut exact = vec![0; 130];
        for depth in [1, 2, 3, 4, 31, 32, 63, 64, 129] {
            exact[depth] += 1;
        }
        assert_eq!(depth_classes(&exact), [1, 2, 1, 0, 1, 2, 2]);
    }
}
