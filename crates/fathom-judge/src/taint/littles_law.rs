//! Little's law: I/Os in flight = IOPS × mean latency. It holds whatever the
//! device does, so a run that breaks it has a wrong clock or a wrong count, and
//! one that stays far below its depth did not keep the queue full.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::{Cell, FILLED_MIN};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "littles-law", weight: Weight::Medium, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let cells = || case.cells.iter().filter(|cell| cell.has_target());
    cells().find_map(more_than_can_be).or_else(|| cells().find_map(starved))
}

fn more_than_can_be(cell: &Cell<'_>) -> Option<Found> {
    cell.in_flight().filter(|in_flight| !in_flight.is_possible())?;
    Some(Found::new(Evidence::LittlesLaw { is_impossible: true, law: cell.law()? }))
}

fn starved(cell: &Cell<'_>) -> Option<Found> {
    unfilled(cell)?;
    Some(Found::new(Evidence::LittlesLaw { is_impossible: false, law: cell.law()? }))
}

/// I/Os in flight, if a job that should have kept its queue full did not.
/// Batch limits drain the queue on purpose, and so do fsyncs, rates and pauses.
pub fn unfilled(cell: &Cell<'_>) -> Option<f64> {
    let depth = cell.planned().depth;
    let drains =
        depth.low.is_some() || depth.submit_batch.is_some() || depth.complete_min.is_some_and(|min| min > 1);
    let syncs = cell.totals.sync.moments.count() > 0;
    let in_flight =
        cell.in_flight().filter(|_| depth.reachable > 1 && !drains && !syncs && !cell.is_held_back())?;
    (!in_flight.fills(FILLED_MIN)).then_some(in_flight.mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const JOB: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=32 filename=/data/f";

    /// 10,000 reads a second, each this long.
    fn found(options: &str, latency_us: u64) -> Option<Found> {
        let run =
            RunBuilder::of(options).all(5, DirectionLoad::reads(10_000, 4096, latency_us * 1_000)).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn full_starved_and_impossible() {
        assert_eq!(found(JOB, 3_150), None);
        let starved = found(JOB, 1_200).unwrap();
        assert_eq!(starved.evidence(), "t: 10.0k IOPS × 1.20 ms = 12.0 in flight, depth 32");
        assert!(found(JOB, 4_000).unwrap().claim().starts_with("more I/Os"));
        assert_eq!(found(JOB, 3_210), None, "edges of the window");
        assert_eq!(found(JOB, 3_500), None, "a tenth is not yet wrong");
    }

    /// 111 of 128 in flight by Little's law: of the last 128 writes of some seconds, none counts.
    #[test]
    fn slow_ios_at_the_edge_of_the_window_starve_no_queue() {
        let told = |latency_ns: u64, ios: u64| {
            let scene =
                RunBuilder::of("rw=write bs=1m ioengine=sim iodepth=32 numjobs=4 filename=sim:consumer/256");
            let run = scene.all(60, DirectionLoad::writes(ios, 1 << 20, latency_ns)).run();
            check(&Case::new(&run, &crate::fixture::surrounds()))
        };
        assert_eq!(told(9_250_000_000, 3), None);
        assert!(told(9_250_000, 3_000).unwrap().claim().starts_with("the queue was not kept full"));
    }

    #[test]
    fn depth_one_and_drained_queues_are_not_starved() {
        assert_eq!(found("rw=randread bs=4k ioengine=psync filename=/data/f", 50), None);
        assert_eq!(found(&format!("{JOB} iodepth_batch=16"), 1_200), None);
        assert_eq!(found(&format!("{JOB} iodepth_low=8"), 1_200), None);
        assert!(found(&format!("{JOB} iodepth_low=8"), 4_000).is_some());
        assert_eq!(found("rw=randread bs=4k ioengine=null iodepth=32 size=1g", 50), None);
        for held in ["rate_iops=10000", "thinktime=50us"] {
            assert_eq!(found(&format!("{JOB} {held}"), 50), None, "{held}");
        }
    }
}
