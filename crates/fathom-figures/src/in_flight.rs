//! I/Os in flight on average, by Little's law: the time that I/Os took, over the time in which they
//! were measured.
//!
//! Each worker's latencies are divided by that worker's measured window, and the workers are added
//! up, so the figure compares with the sum of their depths also where they measured for different
//! times.

use crate::ratio;
use crate::row::Row;
use fathom_job::direction::Direction;
use fathom_results::JobResult;

/// Time stamps and window edges may add this much without an error: a few percent were seen on runs
/// of some seconds.
const ROUNDING: f64 = 0.10;

/// I/Os in flight on average, and how many there can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFlight {
    /// The mean by Little's law.
    pub mean: f64,
    /// Most that can be in flight: reachable depth, clones added up.
    pub depth: u32,
    /// The largest mean that the edges of the window explain.
    most: f64,
    /// What was in flight, and is not in the mean, because it was not complete when the window ended: at most.
    unseen: f64,
}

impl Row<'_> {
    /// I/Os in flight on average, all directions. `None` where latency was not kept.
    pub fn in_flight(&self) -> Option<InFlight> {
        InFlight::of(self, &Direction::ALL)
    }
}

impl Row<'_> {
    /// Syncs that the workers waited for or had in the queue on average, beside the I/Os in flight; `None` where there were none.
    pub fn syncs_in_flight(&self) -> Option<f64> {
        let of = |member: &JobResult| {
            let sync = &member.totals.sync.moments;
            ratio(sync.sum() as f64, member.runtime_ns() as f64)
        };
        (self.totals.sync.moments.count() > 0).then(|| self.members.iter().map(of).sum())
    }
}

impl InFlight {
    /// Of a row in some directions; `None` where the latency of some worker was not kept.
    pub(crate) fn of(row: &Row<'_>, directions: &[Direction]) -> Option<Self> {
        let totals = || directions.iter().map(|d| &row.totals.directions[*d].total.moments);
        let longest_ns = totals().filter_map(|latency| latency.max()).max()?;
        let each = row.members.iter().map(|member| of_worker(member, directions));
        let mean = each.sum::<Option<f64>>()?;
        // I/Os that began before the window bring latency from outside it: at most the longest one
        // for each place in the queue.
        let carried = ratio(longest_ns as f64, row.runtime_ns() as f64);
        let depth = row.depth();
        let most = f64::from(depth) * (1.0 + ROUNDING + carried);
        Some(InFlight { mean, depth, most, unseen: unseen(row, directions, depth) })
    }

    /// Were at least this share of the depth in flight, as far as the edges of the window let it be known?
    pub fn fills(&self, share: f64) -> bool {
        self.mean + self.unseen >= share * f64::from(self.depth)
    }

    /// Can so many have been in flight? If not, a latency or a count is wrong.
    pub fn is_possible(&self) -> bool {
        self.mean <= self.most
    }

    /// Is the mean a little above the depth, as the edges of the window explain it?
    pub fn is_rounded(&self) -> bool {
        self.is_possible() && self.mean > f64::from(self.depth)
    }

    /// The figure to show: the mean; the depth where the mean is above it only by the edges of the
    /// window.
    pub fn shown(&self) -> f64 {
        if self.is_rounded() { f64::from(self.depth) } else { self.mean }
    }
}

/// I/Os that were in flight on average and count in no figure: those that were not complete when the window ended. What they took
/// is known where they were waited for; else one for each place in the queue took as long as an I/O does.
fn unseen(row: &Row<'_>, directions: &[Direction], depth: u32) -> f64 {
    let flows = || directions.iter().map(|d| &row.totals.directions[*d]);
    let drained: u128 = flows().map(|flow| flow.drained.latency.sum()).sum();
    let sum: u128 = flows().map(|flow| flow.total.moments.sum()).sum();
    let ios: u64 = flows().map(|flow| flow.total.moments.count()).sum();
    let last_of_all = f64::from(depth) * ratio(sum as f64, ios as f64);
    ratio(last_of_all.max(drained as f64), row.runtime_ns() as f64)
}

/// `None` for a worker with I/O whose latency was not kept.
fn of_worker(member: &JobResult, directions: &[Direction]) -> Option<f64> {
    let flows = || directions.iter().map(|d| &member.totals.directions[*d]);
    let sum: u128 = flows().map(|flow| flow.total.moments.sum()).sum();
    let is_known = flows().all(|flow| flow.ios == 0 || flow.total.moments.count() > 0);
    is_known.then(|| ratio(sum as f64, member.runtime_ns() as f64))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::{InFlight, jobs};
    use fathom_job::direction::Direction;
    use fathom_results::{Latency, Phase};

    const DEEP: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=8 filename=/data/f";

    fn in_flight(latency_ns: u64) -> InFlight {
        let run = RunBuilder::of(DEEP).all(5, DirectionLoad::reads(1_000, 4096, latency_ns)).run();
        jobs(&run)[0].in_flight().unwrap()
    }

    #[test]
    fn edges_may_add_a_little_and_more_is_an_error() {
        let (below, edge, wrong) = (in_flight(7_900_000), in_flight(8_090_000), in_flight(9_500_000));
        assert_eq!((below.shown(), below.is_rounded()), (7.9, false));
        assert_eq!((edge.shown(), edge.is_rounded(), edge.is_possible()), (8.0, true, true));
        assert_eq!((wrong.shown(), wrong.is_possible()), (9.5, false));
    }

    /// Of a queue of 128 that is full for 60 s, the last 128 I/Os of 9 s each are in no figure.
    #[test]
    fn a_full_queue_of_slow_ios_is_full() {
        let told = |drained: u64| {
            let scene = RunBuilder::of(&DEEP.replace("iodepth=8", "iodepth=128"));
            let scene = scene.seconds(0, 60, &[DirectionLoad::reads(12, 1 << 20, 9_000_000_000)]);
            let last = [DirectionLoad::reads(drained, 1 << 20, 16_000_000_000)];
            jobs(&scene.window(0, Phase::Drain, 16_000_000_000, &last).run())[0].in_flight().unwrap()
        };
        let full = told(128);
        assert_eq!((full.mean, full.fills(0.9), full.fills(1.0)), (108.0, true, true));
        // 108 and 128 × 9 s ÷ 60 s.
        let unknown = told(0);
        assert_eq!((unknown.fills(127.2 / 128.0), unknown.fills(1.0)), (true, false));
        assert!(!in_flight(7_000_000).fills(0.9), "7 of 8, and next to nothing at the edge");
    }

    #[test]
    fn workers_that_measured_for_different_times_each_count_with_their_own() {
        let flow = [DirectionLoad::reads(1_000, 4096, 8_000_000)];
        let two = RunBuilder::of(&format!("numjobs=2 {DEEP}")).seconds(0, 10, &flow).seconds(1, 5, &flow);
        let run = two.run();
        let row = &jobs(&run)[0];
        let told = row.in_flight().unwrap();
        assert_eq!((told.mean, told.depth), (16.0, 16));
        assert_eq!(row.flow(Direction::Read).in_flight(), Some(told), "one formula for both");
    }

    #[test]
    fn a_worker_without_latency_makes_it_unknown() {
        let two = RunBuilder::of(&format!("numjobs=2 {DEEP}"));
        let mut run = two.all(2, DirectionLoad::reads(1_000, 4096, 8_000_000)).run();
        run.jobs[1].totals.directions.read.total = Latency::default();
        assert_eq!(jobs(&run)[0].in_flight(), None);
    }
}
