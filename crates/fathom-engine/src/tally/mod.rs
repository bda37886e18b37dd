//! What a worker counts between two window boundaries.
//!
//! A tally is owned by one thread. When a window closes, the whole tally is handed
//! to the collector and an empty one replaces it, so nothing in the loop is
//! shared, locked or allocated.

mod classes;
mod detail;
mod metric;

pub use classes::batch_class;
pub use detail::Detail;
pub use metric::Metric;

use crate::desc::Op;
use classes::depth_classes;
use detail::Want;
use fathom_job::direction::{Direction, PerDirection};
use fathom_results::{DirectionWindow, Phase, Window};
use fathom_stats::WindowHistogram;

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
    /// Synchronous engines: completion latency is total latency, recorded once.
    is_total_shared: bool,
    /// Synchronous engines: every I/O is a batch of its own, and batches are not counted.
    is_sync: bool,
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
            is_total_shared: detail.is_total_shared,
            is_sync: detail.is_sync,
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
            depth: if self.is_sync { self.singles(0) } else { depth_classes(&self.depth) },
            submit: if self.is_sync { self.singles(1) } else { self.submit },
            complete: if self.is_sync { self.singles(1) } else { self.complete },
        }
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
            response: self.response.as_deref().map(metric::window).unwrap_or_default(),
        }
    }
}
