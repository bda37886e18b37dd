//! A job with a rate that did not reach it: its I/Os wait in a queue that grows, so its response latency says how long it
//! was measured, and not how fast the target is.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_job::plan::Rate;
use fathom_results::finding::MissedRate;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "rate-missed", weight: Weight::Low, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let has_rate = |cell: &&Cell<'_>| cell.ios() > 0 && !cell.is_too_short();
    let missed = case.cells.iter().filter(has_rate).flat_map(missed).collect();
    Found::where_any(missed, |jobs| Evidence::RateMissed { jobs })
}

/// The rates that a job was to keep and did not.
fn missed(cell: &Cell<'_>) -> Vec<MissedRate> {
    if cell.keeps_its_rate() {
        return Vec::new();
    }
    let each = Direction::ALL.into_iter().filter_map(|direction| {
        let (flow, clones) = (&cell.totals.directions[direction], cell.members.len() as u64);
        let (in_bytes, asked, count) = match cell.planned().pace.rate[direction]? {
            Rate::Ios(asked) => (false, asked, flow.ios),
            Rate::Bytes(asked) => (true, asked, flow.bytes),
        };
        let (job, reached) = (cell.name().to_owned(), count as f64 / cell.seconds());
        Some(MissedRate { job, direction, in_bytes, reached, asked: asked * clones })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    fn found(options: &str, ios: u64) -> Option<String> {
        let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f {options}");
        let run = RunBuilder::of(&job).all(4, DirectionLoad::reads(ios, 4096, 100_000)).run();
        check(&Case::new(&run, &surrounds())).map(|found| found.evidence())
    }

    #[test]
    fn a_rate_that_is_far_away_is_told_with_what_was_reached() {
        assert_eq!(found("rate_iops=10000", 4_000).unwrap(), "t: 4,000 of 10,000 reads/s (40 %)");
        assert_eq!(found("rate=40960000", 4_000).unwrap(), "t: 16.4 MB/s of 41.0 MB/s (40 %)");
        assert_eq!(found("rate_iops=4000", 4_000), None);
        assert_eq!(found("", 4_000), None);
    }

    #[test]
    fn a_rate_of_a_few_ios_a_second_is_not_cut_to_a_whole_number() {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f rate_iops=3";
        // 48 I/Os in each 25 seconds.
        let scene = (0..200).fold(RunBuilder::of(job), |scene, second| {
            let ios = if second % 25 < 23 { 2 } else { 1 };
            scene.seconds(0, 1, &[DirectionLoad::reads(ios, 4096, 100_000)])
        });
        let found = check(&Case::new(&scene.run(), &surrounds())).unwrap();
        assert_eq!(found.evidence(), "t: 1.92 of 3 reads/s (64 %)");
        // A larger one is rounded: 4,000 I/Os in 3.9 seconds are 1,025.6 a second.
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f rate_iops=3000";
        let flow = [DirectionLoad::reads(4_000, 4096, 100_000)];
        let scene = RunBuilder::of(job).window(0, fathom_results::Phase::Measure, 3_900_000_000, &flow);
        let found = check(&Case::new(&scene.run(), &surrounds())).unwrap();
        assert_eq!(found.evidence(), "t: 1,026 of 3,000 reads/s (34 %)");
    }
}
