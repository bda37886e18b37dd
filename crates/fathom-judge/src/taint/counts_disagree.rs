//! Two counts of the same I/O that differ: bytes against I/Os × size, and the
//! kernel's sectors against ours. One of the two is wrong, or something between
//! fathom and the disk swallowed I/O.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use crate::witness::Witness;
use fathom_job::direction::Direction;
use fathom_job::plan::BlockSizes;
use fathom_results::finding::CountsDiffer;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "counts-disagree", weight: Weight::Low, check };

/// The kernel counts whole requests when they complete, so those in flight at
/// the edges of a window may be missing; a tenth is far more than those.
pub(super) const KERNEL_SHARE_MIN: f64 = 0.9;

fn check(case: &Case<'_>) -> Option<Found> {
    case.cells.iter().find_map(own_counts).or_else(|| swallowed(case))
}

/// With one block size, bytes are I/Os × size. Where an I/O was cut short, or a region does not
/// hold whole blocks of this direction, sizes vary and nothing can be concluded.
fn own_counts(cell: &Cell<'_>) -> Option<Found> {
    cell.flows().find_map(|(direction, flow)| {
        let BlockSizes::Fixed(size) = cell.planned().block[direction] else { return None };
        let has_tail = cell.planned().files.iter().any(|file| !file.size.0.is_multiple_of(size.0));
        let varies = has_tail || flow.short_ios > 0;
        if varies || flow.bytes == flow.ios.saturating_mul(size.0) {
            return None;
        }
        let (job, ios, bytes) = (cell.name().to_owned(), flow.ios, flow.bytes);
        let differ = CountsDiffer::Own { job, direction, ios, block_bytes: size.0, bytes };
        Some(Found::new(Evidence::CountsDisagree(differ)))
    })
}

/// Direct I/O that the disk never saw. Reads of a file may have met holes, which another rule
/// judges.
fn swallowed(case: &Case<'_>) -> Option<Found> {
    case.witnesses.iter().filter(|witness| witness.is_direct).find_map(missing)
}

fn missing(witness: &Witness) -> Option<Found> {
    let suspects = [(Direction::Write, true), (Direction::Read, !witness.has_file)];
    suspects.into_iter().filter(|(_, matters)| *matters).find_map(|(direction, _)| {
        let share = witness.share(direction).filter(|share| *share < KERNEL_SHARE_MIN)?;
        let (own_bytes, disk_bytes) = (witness.ours[direction], witness.kernel[direction]);
        let disk = witness.disk();
        let differ = CountsDiffer::Kernel { disk, direction, own_bytes, disk_bytes, share };
        Some(Found::new(Evidence::CountsDisagree(differ)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};

    const READ: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
    const WRITE: &str = "rw=randwrite bs=4k ioengine=psync direct=1 filename=/data/f";

    fn found(scene: RunBuilder) -> Option<Found> {
        let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
        check(&Case::new(&run, &surrounds))
    }

    #[test]
    fn bytes_are_ios_times_size() {
        let wrong = found(RunBuilder::of(READ).all(2, DirectionLoad::reads(100, 8192, 100_000))).unwrap();
        assert_eq!(wrong.evidence(), "t: 200 reads of 4 KiB are 819,200 B, but 1,638,400 B were counted");
        assert_eq!(found(RunBuilder::of(READ).all(2, DirectionLoad::reads(100, 4096, 100_000))), None);
        let short = DirectionLoad { short_ios: 3, ..DirectionLoad::reads(100, 4096, 100_000) };
        assert_eq!(found(RunBuilder::of(READ).all(2, short)), None, "short I/Os explain it");
        let ranged = READ.replace("bs=4k", "bsrange=4k-64k");
        assert_eq!(found(RunBuilder::of(&ranged).all(2, DirectionLoad::reads(100, 8192, 100_000))), None);
        let tail = "rw=randrw bs=4k,96k ioengine=psync filename=/data/f size=1000k";
        assert_eq!(found(RunBuilder::of(tail).all(2, DirectionLoad::writes(100, 95 << 10, 100_000))), None);
    }

    #[test]
    fn the_kernel_saw_fewer() {
        let writes = || RunBuilder::of(WRITE).all(5, DirectionLoad::writes(1_000, 4096, 100_000));
        let fewer = found(writes().disk(disk("sda", 0, 4096 * 2_000))).unwrap();
        assert!(fewer.claim().contains("write") && fewer.evidence().contains("(40 %)"), "{fewer:?}");
        assert_eq!(found(writes().disk(disk("sda", 0, 4096 * 5_000))), None);
        let reads = || RunBuilder::of(READ).all(5, DirectionLoad::reads(1_000, 4096, 100_000));
        assert!(found(reads().disk(disk("sda", 0, 0))).unwrap().claim().contains("read"));
        assert_eq!(found(reads().disk(disk("sda", 4096 * 4_600, 0))), None);
    }

    #[test]
    fn reads_of_a_file_may_meet_holes() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        let reads =
            RunBuilder::of(job).all(5, DirectionLoad::reads(1_000, 4096, 100_000)).disk(disk("sda", 0, 0));
        assert_eq!(found(reads), None);
    }
}
