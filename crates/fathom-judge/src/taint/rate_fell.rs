//! A rate that fell while it was measured, and stayed low: its mean is the rate of no part of the run. What lasts is the rate after
//! the fall.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_figures::{LARGE_BLOCK, LevelRate, RateFall};
use fathom_results::finding::{IoRate, RateFallEvidence};
use fathom_results::{Evidence, Weight};

/// The code of the rule.
pub const CODE: &str = "rate-fell";

pub(super) const RULE: TaintRule = TaintRule { code: CODE, weight: Weight::Low, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let jobs = fallen(case).map(|(cell, fall)| fall_evidence(cell, &fall)).collect();
    let is_only = case.cells.len() == 1;
    Found::where_any(jobs, |jobs| Evidence::RateFell { jobs, is_only })
}

/// The cells with a target whose rate fell.
pub(crate) fn fallen<'c, 'a>(case: &'c Case<'a>) -> impl Iterator<Item = (&'c Cell<'a>, RateFall)> {
    let cells = case.cells.iter().filter(|cell| cell.has_target() && !cell.is_too_short());
    cells.filter_map(|cell| Some((cell, cell.rate_fall()?)))
}

/// The fall as it is saved.
pub(crate) fn fall_evidence(cell: &Cell<'_>, fall: &RateFall) -> RateFallEvidence {
    let rate = |of: LevelRate| IoRate { iops: of.iops, bytes_per_second: of.bytes_per_second };
    RateFallEvidence {
        job: cell.name().to_owned(),
        in_bytes: is_in_bytes(cell),
        at_s: fall.at_s,
        lasts_from_s: fall.lasts_from_s,
        bytes_before: fall.bytes_before,
        before: rate(fall.before),
        lasting: rate(fall.lasting),
    }
}

fn is_in_bytes(cell: &Cell<'_>) -> bool {
    cell.planned().block_max() >= LARGE_BLOCK
}

/// The rate that lasts: after its fall, where it fell.
pub(crate) fn lasting(cell: &Cell<'_>) -> LevelRate {
    let whole = LevelRate { iops: cell.iops(), bytes_per_second: cell.bytes_per_second() };
    cell.rate_fall().map_or(whole, |fall| fall.lasting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    fn found(job: &str, rates: &[u64]) -> Option<Found> {
        let block = if job.contains("bs=1m") { 1 << 20 } else { 4096 };
        let scene = rates.iter().fold(RunBuilder::of(job), |scene, ios| {
            scene.seconds(0, 1, &[DirectionLoad::writes(*ios, block, 100_000)])
        });
        check(&Case::new(&scene.run(), &surrounds()))
    }

    #[test]
    fn when_from_what_to_what_and_after_how_much() {
        let device = "rw=write bs=1m ioengine=libaio direct=1 iodepth=8 filename=/dev/sda";
        let step: Vec<u64> =
            (0..20).map(|second| if second < 12 { 3_000 } else { 400 } + second % 3).collect();
        let finding = found(device, &step).unwrap();
        assert_eq!(finding.evidence(), "t: fell from 3.15 GB/s to 420 MB/s at second 12, after 37.8 GB");
        assert!(finding.claim().starts_with("the rate fell during the run"), "{}", finding.claim());
        let small = "rw=randwrite bs=4k ioengine=libaio direct=1 iodepth=8 filename=/dev/sda";
        let slow: Vec<u64> = (0..120_u64)
            .map(|second| {
                10_000 + second % 3 + (90_000.0 * (-(second.saturating_sub(20) as f64) / 8.0).exp()) as u64
            })
            .collect();
        let evidence = found(small, &slow).unwrap().evidence();
        assert!(evidence.contains("k IOPS to 10.") && evidence.contains(" between second 2"), "{evidence}");
    }

    #[test]
    fn one_of_two_rates_is_not_rates() {
        let scene = RunBuilder::text(
            "[global]\nbs=1m\nrw=write\nioengine=libaio\ndirect=1\nfilename=/dev/sda\n[a]\n[b]\n",
        );
        let scene = (0..20_u64).fold(scene, |scene, second| {
            let [steady, falls] = [3_000, if second < 12 { 3_000 } else { 400 }]
                .map(|ios| DirectionLoad::writes(ios + second % 3, 1 << 20, 100_000));
            scene.seconds(0, 1, &[steady]).seconds(1, 1, &[falls])
        });
        let finding = check(&Case::new(&scene.run(), &surrounds())).unwrap();
        assert_eq!(finding.claim(), "one rate fell during the run, so its mean is that of two rates");
        assert!(finding.evidence().starts_with("b: fell from 3.15 GB/s"), "{}", finding.evidence());
    }

    #[test]
    fn steady_rates_and_those_without_a_target_did_not_fall() {
        let device = "rw=write bs=1m ioengine=libaio direct=1 iodepth=8 filename=/dev/sda";
        assert_eq!(
            found(device, &[3_000, 3_001, 3_002, 2_900, 3_100, 3_000, 3_001, 3_000, 2_999, 3_000]),
            None
        );
        let step: Vec<u64> =
            (0..20).map(|second| if second < 12 { 3_000 } else { 400 } + second % 3).collect();
        assert_eq!(found("rw=write bs=1m ioengine=null size=1g", &step), None);
    }
}
