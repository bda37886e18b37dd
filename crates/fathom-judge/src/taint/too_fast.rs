//! Reads that are faster than any disk: something above the disk answered them.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "too-fast", weight: Weight::Low, check };

/// The fastest drives that were ever sold, 3D XPoint on NVMe, are rated at
/// about 6 µs for a 4 KiB read; flash takes ten times as long.
const READ_NS_MIN: f64 = 5_000.0;

fn check(case: &Case<'_>) -> Option<Found> {
    // The page-cache rule judges buffered reads.
    let direct = case.on_disk().filter(|cell| cell.is_direct() && !case.is_memory_of(cell));
    direct.into_iter().find_map(fast_reads)
}

fn fast_reads(cell: &Cell<'_>) -> Option<Found> {
    let reads = &cell.totals.directions.read;
    let latency_ns_mean = reads.total.moments.mean().filter(|mean| *mean < READ_NS_MIN)?;
    let block_bytes = cell.planned().block.read.min().0;
    Some(Found::new(Evidence::TooFast {
        job: cell.name().to_owned(),
        reads: reads.ios,
        block_bytes,
        latency_ns_mean,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;

    fn found(options: &str, latency_ns: u64, disk: &str) -> Option<Found> {
        let run = RunBuilder::of(options).all(2, DirectionLoad::reads(1_000, 4096, latency_ns)).run();
        check(&Case::new(
            &run,
            &Surrounds { disk_name: Some(disk.to_owned()), ..crate::fixture::surrounds() },
        ))
    }

    #[test]
    fn two_microseconds_is_no_disk() {
        const DIRECT: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        assert_eq!(
            found(DIRECT, 2_000, "sda").unwrap().evidence(),
            "t: 2,000 reads of 4 KiB took 2.00 µs on average"
        );
        assert_eq!(found(DIRECT, 8_000, "sda"), None);
        assert_eq!(found(DIRECT, 2_000, "zram0"), None, "memory is that fast");
        assert_eq!(found("rw=randread bs=4k ioengine=psync filename=/data/f", 2_000, "sda"), None);
    }
}
