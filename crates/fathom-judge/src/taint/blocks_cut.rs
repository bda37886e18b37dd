//! Blocks that were smaller than the job asks for: the random map gives an I/O only what is left between blocks that were
//! used before, as fio does. The rate in IOPS is then that of other I/Os.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_results::finding::CutBlocks;
use fathom_results::{Evidence, Weight};

/// The code of this rule.
pub(crate) const BLOCKS_CUT: &str = "blocks-cut";

pub(super) const RULE: TaintRule = TaintRule { code: BLOCKS_CUT, weight: Weight::Medium, check };

/// A mean size below this share of the one that was asked for is told. Chance is far smaller: of 1,000 I/Os of sizes as
/// different as 4 and 64 KiB, the mean varies by 4 %.
const SHARE_MIN: f64 = 0.9;

/// Fewer I/Os may miss the mean by chance.
const IOS_MIN: u64 = 1_000;

fn check(case: &Case<'_>) -> Option<Found> {
    let jobs: Vec<CutBlocks> = case.cells.iter().flat_map(cut).collect();
    Found::where_any(jobs, |jobs| Evidence::BlocksCut { jobs })
}

/// The directions in which the blocks of a job were cut.
fn cut<'c>(cell: &'c Cell<'_>) -> impl Iterator<Item = CutBlocks> + use<'c> {
    Direction::ALL.into_iter().filter_map(|direction| {
        let sizes = &cell.planned().block[direction];
        let asked = sizes.mean();
        let flow = &cell.totals.directions[direction];
        let mean = flow.bytes as f64 / flow.ios.max(1) as f64;
        let is_varied = sizes.min() != sizes.max() && cell.planned().rw.random;
        let is_cut = is_varied && flow.ios >= IOS_MIN && mean < asked * SHARE_MIN;
        let job = || cell.name().to_owned();
        is_cut.then(|| CutBlocks { job: job(), direction, bytes_mean: mean, bytes_asked: asked })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    #[test]
    fn smaller_blocks_than_asked_for_are_told() {
        const SPLIT: &str = "bssplit=4k/60:16k/30:64k/10";
        let found_of = |sizes: &str, block: u64, ios: u64| {
            let job = format!("rw=randread {sizes} ioengine=psync filename=/data/f");
            let run = RunBuilder::of(&job).all(4, DirectionLoad::reads(ios, block, 100_000)).run();
            check(&Case::new(&run, &surrounds())).map(|found| found.evidence())
        };
        let found = |block: u64, ios: u64| found_of(SPLIT, block, ios);
        assert_eq!(found(10_240, 4_000).unwrap(), "t: reads of 10.2 kB on average instead of 13.9 kB");
        assert_eq!(found(13_500, 4_000), None);
        assert_eq!(found(10_240, 100), None, "few I/Os");
        let range = found_of("bsrange=4k-64k", 24_576, 4_000).unwrap();
        assert_eq!(range, "t: reads of 24.6 kB on average instead of 34.8 kB");
        assert_eq!(found_of("bs=16k", 4_096, 4_000), None, "a job of one size");
    }
}
