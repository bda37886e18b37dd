//! What a worker counts between two window boundaries.
//!
//! A tally is owned by one thread. When a window closes, the whole tally is handed
//! to the collector and an empty one replaces it, so nothing in the loop is
//! shared, locked or allocated.

mod by_priority;

pub use by_priority::PriorityTally;

use crate::desc::Op;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::{DirectionWindow, LatencyWindow, Phase, Window};
use fathom_stats::{Moments, WindowHistogram};

/// Counts of one window.
#[derive(Clone, Debug)]
pub struct Tally {
    pub directions: PerDirection<DirectionTally>,
    /// Latency of the fsync family.
    pub sync: Metric,
    /// Exact counts of I/Os by the depth after their submit call.
    pub depth: Vec<u64>,
    /// Submit calls by the number of I/Os submitted, in fio's classes.
    pub submit: [u64; 7],
    /// Reaps by the number of I/Os reaped, in fio's classes.
    pub complete: [u64; 7],
    /// I/Os in flight when the window closed; only the collector uses it.
    pub in_flight: u32,
    /// The latencies of each priority, where I/Os have several.
    pub by_priority: PriorityTally,
    /// Synchronous engines: completion latency is total latency, recorded once.
    is_total_shared: bool,
    /// Synchronous engines: every I/O is a batch of its own, and batches are not counted.
    is_sync: bool,
    /// What the engine does is no I/O, so that nothing is counted (`cpuio`).
    is_without_io: bool,
}

#[derive(Clone, Debug, Default)]
pub struct DirectionTally {
    pub ios: u64,
    /// I/Os that moved less than asked.
    pub short_ios: u64,
    /// I/Os that failed while the job went on.
    pub errors: u64,
    /// Bytes moved. The field is not next to the count of I/Os: the two would then be
    /// added in one vector step, which takes more instructions than two steps.
    pub bytes: u64,
    /// Descriptor taken → completion seen.
    pub total: Metric,
    /// Submit call begun → completion seen.
    pub completion: Metric,
    /// Descriptor taken → submit call begun.
    pub submission: Metric,
    /// Intended start → completion seen.
    pub response: Option<Box<WindowHistogram>>,
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
                response: (used[d] && detail.response[d]).then(Box::default),
                ..DirectionTally::default()
            }),
            sync: want(syncs, Want::Full),
            depth: vec![0; depth + 1],
            submit: [0; 7],
            complete: [0; 7],
            in_flight: 0,
            by_priority: PriorityTally::default(),
            is_total_shared: detail.is_total_shared,
            is_sync: detail.is_sync,
            is_without_io: detail.is_without_io,
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

    /// Must it be handed over now, because its counts are half full?
    pub fn is_filling_up(&self) -> bool {
        let ios: u64 = Direction::ALL.into_iter().map(|d| self.directions[d].ios).sum();
        ios > WindowHistogram::ROOM / 2
    }

    /// Empties it for the next window.
    pub fn clear(&mut self) {
        for d in Direction::ALL {
            let t = &mut self.directions[d];
            (t.ios, t.bytes, t.short_ios, t.errors) = (0, 0, 0, 0);
            t.total.clear();
            t.completion.clear();
            t.submission.clear();
            t.response.iter_mut().for_each(|response| response.clear());
        }
        self.sync.clear();
        self.by_priority.clear();
        self.depth.fill(0);
        self.submit = [0; 7];
        self.complete = [0; 7];
    }

    /// The window as it goes to the spool.
    pub fn window(&self, job: u32, phase: Phase, start_ns: u64, end_ns: u64) -> Window {
        if self.is_without_io {
            return Window::quiet(job, phase, start_ns, end_ns);
        }
        let busy =
            Direction::ALL.into_iter().filter(|&d| self.directions[d].ios + self.directions[d].errors > 0);
        Window {
            job,
            phase,
            start_ns,
            end_ns,
            directions: busy.map(|d| (d, self.direction_window(d))).collect(),
            sync: self.sync.window(),
            depth: if self.is_sync { self.singles(0) } else { depth_classes(&self.depth) },
            submit: if self.is_sync { self.singles(1) } else { self.submit },
            complete: if self.is_sync { self.singles(1) } else { self.complete },
        }
    }

    fn direction_window(&self, direction: Direction) -> DirectionWindow {
        let priorities = self.by_priority.windows(direction);
        DirectionWindow { priorities, ..self.directions[direction].window(self.is_total_shared) }
    }

    /// All I/Os in one class, that of depth one or batch one.
    fn singles(&self, class: usize) -> [u64; 7] {
        let mut classes = [0; 7];
        classes[class] = Direction::ALL.into_iter().map(|d| self.directions[d].ios).sum();
        classes
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
            response: self.response.as_deref().map(window).unwrap_or_default(),
            priorities: Vec::new(),
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

/// Which latencies a job records, and in what detail.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    total: Want,
    completion: Want,
    submission: Want,
    /// Directions whose I/Os have intended starts: by a rate, or by a trace.
    response: PerDirection<bool>,
    is_total_shared: bool,
    /// The engine does one I/O at a time.
    is_sync: bool,
    /// It does none at all.
    is_without_io: bool,
}

/// How much of one latency is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Off,
    /// Count, sums, minimum and maximum.
    Sums,
    /// The distribution too.
    Full,
}

impl Detail {
    /// What the job asks for. A synchronous engine (`sync_engine`) has no submission
    /// latency, so its completion latency is its total latency.
    pub fn of(plan: &PlannedJob, sync_engine: bool) -> Detail {
        let job = &plan.job;
        let reduced = job.get(&opt::GTOD_REDUCE);
        let want = |disabled: bool, percentiles: bool| match (disabled || reduced, percentiles) {
            (true, _) => Want::Off,
            (false, true) => Want::Full,
            (false, false) => Want::Sums,
        };
        let submission = want(job.get(&opt::DISABLE_SLAT), job.get(&opt::SLAT_PERCENTILES));
        // The classes of latency need one distribution: where that of the total is off, that of the completion.
        let disables_total = job.get(&opt::DISABLE_LAT);
        let completion = want(job.get(&opt::DISABLE_CLAT), job.get(&opt::CLAT_PERCENTILES) || disables_total);
        // The distribution of the total is always kept: it is the latency
        // that can be compared between engines.
        let total = want(disables_total, true);
        let is_total_shared = sync_engine && total == Want::Full && completion == Want::Full;
        Detail {
            total: if is_total_shared { Want::Off } else { total },
            completion,
            response: PerDirection::from_fn(|d| {
                plan.pace.rate[d].is_some() || plan.keeps_gaps() && plan.uses(d)
            }),
            submission: if sync_engine { Want::Off } else { submission },
            is_total_shared,
            is_sync: sync_engine,
            is_without_io: plan.burns_cpu(),
        }
    }
}

/// One latency, as much of it as the job asks for.
#[derive(Clone, Debug, Default)]
pub enum Metric {
    /// Nothing (`disable_*`, or a direction that the job does not use).
    #[default]
    Off,
    /// Count, sums, minimum and maximum.
    Sums(Moments),
    /// The distribution too.
    Full(Box<WindowHistogram>),
}

impl Metric {
    fn new(want: Want) -> Metric {
        match want {
            Want::Off => Metric::Off,
            Want::Sums => Metric::Sums(Moments::new()),
            Want::Full => Metric::Full(Box::new(WindowHistogram::new())),
        }
    }

    #[inline(always)]
    pub fn record(&mut self, ns: u64) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => moments.record(ns),
            Metric::Full(histogram) => histogram.record(ns),
        }
    }

    #[inline]
    pub fn record_n(&mut self, ns: u64, n: u64) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => moments.record_n(ns, n),
            Metric::Full(histogram) => histogram.record_n(ns, n),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Metric::Off => {}
            Metric::Sums(moments) => *moments = Moments::new(),
            Metric::Full(histogram) => histogram.clear(),
        }
    }

    /// The form in which it goes to the spool.
    pub fn window(&self) -> LatencyWindow {
        match self {
            Metric::Off => LatencyWindow::default(),
            Metric::Sums(moments) => LatencyWindow { moments: *moments, histogram: None },
            Metric::Full(histogram) => window(histogram),
        }
    }
}

/// A distribution as it goes to the spool.
fn window(histogram: &WindowHistogram) -> LatencyWindow {
    LatencyWindow {
        moments: *histogram.totals(),
        histogram: (!histogram.is_empty()).then(|| histogram.sparse()),
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
