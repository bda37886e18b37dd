//! How much longer an I/O takes in the queue than alone.

use crate::case::Case;
use crate::cell::Cell;

/// Below this, waiting is no part of the latency: more depth would give more.
pub const IDLE_MAX: f64 = 1.5;
/// From here on, at least half of the latency is waiting for others.
pub const BUSY_MIN: f64 = 2.0;

/// Mean latency of a cell over what one I/O of its size would take alone. For
/// small blocks that is the latency measured at depth 1; a large block takes in
/// addition its share of the bandwidth that was reached. `None` where depth 1
/// was not measured.
pub fn strain(case: &Case<'_>, cell: &Cell<'_>) -> Option<f64> {
    let single = case.cells.iter().find(|cell| cell.name() == "rand-read-latency")?;
    let alone = single.latency_ns_mean()?;
    let mean = cell.latency_ns_mean()?;
    let extra = cell.planned().block_max().0.saturating_sub(single.planned().block_max().0);
    let transfer = extra as f64 * 1e9 / cell.bytes_per_second().max(1.0);
    Some(mean / (alone + transfer))
}

/// In words.
pub fn told(strain: f64) -> String {
    format!("{strain:.1} × that of one alone")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene};
    use crate::quick::limit::fixture::{BANDWIDTH, IOPS, MIB, reads};

    #[test]
    fn small_blocks_against_depth_one_large_ones_with_their_transfer() {
        // 1 MiB at 524 MB/s takes 2 ms; alone 2.1 ms, in the queue of 8 15.9 ms.
        let run = reads(80_000).seconds(BANDWIDTH, 7, &[Flow::reads(500, MIB, 15_900_000)]).run();
        let seen = Scene::surrounds();
        let case = Case::new(&run, &seen);
        let small = strain(&case, &case.cells[IOPS]).unwrap();
        assert!((small - 3.98).abs() < 0.02, "{small}");
        let large = strain(&case, &case.cells[BANDWIDTH]).unwrap();
        assert!((large - 7.6).abs() < 0.1, "{large}");
    }

    #[test]
    fn nothing_to_compare_with() {
        let run = Scene::of("rw=randread bs=4k ioengine=psync filename=/data/f")
            .all(2, Flow::reads(9, 4096, 9))
            .run();
        let seen = Scene::surrounds();
        let case = Case::new(&run, &seen);
        assert_eq!(strain(&case, &case.cells[0]), None);
    }
}
