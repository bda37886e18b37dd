//! How much longer an I/O takes in the queue than alone.

use crate::case::Case;
use crate::cell::Cell;
use fathom_results::answer::limit::Queueing;

/// Below this, waiting is not part of the latency: more depth would give more.
pub const IDLE_MAX: f64 = 1.5;

/// From here on, at least half of the latency is waiting for others.
pub const BUSY_MIN: f64 = 2.0;

/// Mean latency of a cell over that of the same I/O at depth 1. `None` where that was not measured:
/// I/O with another direction, size or order of blocks has other costs and cannot be compared.
pub fn strain(case: &Case<'_>, cell: &Cell<'_>) -> Option<f64> {
    Some(cell.latency_ns_mean()? / alone(case, cell)?.latency_ns_mean()?)
}

/// The same I/O at depth 1.
fn alone<'a, 'b>(case: &'b Case<'a>, cell: &Cell<'_>) -> Option<&'b Cell<'a>> {
    let is_alone = |other: &&Cell<'_>| other.depth() == 1 && other.ios() > 0 && is_same_io(other, cell);
    case.cells.iter().filter(|_| cell.depth() > 1).find(is_alone)
}

fn is_same_io(a: &Cell<'_>, b: &Cell<'_>) -> bool {
    let [a, b] = [a.planned(), b.planned()];
    a.rw == b.rw && a.read_percent == b.read_percent && a.block == b.block && a.files == b.files
}

/// Compared with one I/O alone where that was measured, else with the fastest I/O of the same job, which shows how much waits
/// differ.
pub(super) fn queueing(case: &Case<'_>, cell: &Cell<'_>) -> Option<Queueing> {
    if let Some(times) = strain(case, cell) {
        return Some(Queueing::Alone { times });
    }
    let times = cell.latency_ns_mean()? / cell.latency().min().filter(|ns| *ns > 0)? as f64;
    Some(Queueing::Fastest { times, is_service: cell.is_paced() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::limit::fixture::{BANDWIDTH, IOPS, LATENCY, MIB, reads};

    #[test]
    fn only_the_same_io_at_depth_one_is_compared() {
        let large = [DirectionLoad::reads(250, MIB, 5_000_000), DirectionLoad::reads(250, MIB, 27_000_000)];
        let run = reads(80_000).seconds(BANDWIDTH, 7, &large).run();
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        let small = strain(&case, &case.cells[IOPS]).unwrap();
        assert!((small - 3.98).abs() < 0.02, "{small}");
        assert_eq!(strain(&case, &case.cells[BANDWIDTH]), None, "no 1 MiB at depth 1");
        assert_eq!(strain(&case, &case.cells[LATENCY]), None);
        assert_eq!(queueing(&case, &case.cells[IOPS]), Some(Queueing::Alone { times: small }));
        let fastest = queueing(&case, &case.cells[BANDWIDTH]);
        assert!(matches!(fastest, Some(Queueing::Fastest { is_service: false, .. })), "{fastest:?}");
    }

    #[test]
    fn writes_are_not_compared_with_reads() {
        let text = "[global]\nbs=4k\nioengine=io_uring\ndirect=1\nfilename=/data/f\n\
                    [alone]\nrw=randread\n[deep]\nstonewall\nrw=randwrite\niodepth=32\n";
        let run = RunBuilder::text(text)
            .seconds(0, 3, &[DirectionLoad::reads(9, 4096, 9)])
            .seconds(1, 3, &[DirectionLoad::writes(9, 4096, 90)])
            .run();
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        assert_eq!(strain(&case, &case.cells[1]), None);
    }
}
