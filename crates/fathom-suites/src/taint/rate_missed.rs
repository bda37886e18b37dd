//! A job with a rate that did not reach it: its I/Os wait in a queue that grows, so its response latency says how long it
//! was measured, and not how fast the target is.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::cell::Cell;
use crate::figure::Figure;
use crate::quantity::{bandwidth, grouped, percent};
use fathom_job::direction::Direction;
use fathom_job::plan::Rate;

pub(super) const RULE: TaintRule = TaintRule {
    code: "rate-missed",
    weight: TaintWeight::Low,
    hint: "ask for a lower rate, or measure without a rate what the target can do",
    stands_on: &[Figure::Ios],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let has_rate = |cell: &&Cell<'_>| cell.ios() > 0 && !cell.is_too_short();
    let missed: Vec<String> = case.cells.iter().filter(has_rate).filter_map(told).collect();
    Found::of("the job did not reach its rate, so its I/Os wait in a queue that grows", &missed)
}

/// `paced: 44,777 of 900,000 reads/s (5.0 %)`.
fn told(cell: &Cell<'_>) -> Option<String> {
    if cell.keeps_its_rate() || cell.planned().pace.rate.iter().all(|(_, rate)| rate.is_none()) {
        return None;
    }
    let each = Direction::ALL.into_iter().filter_map(|direction| {
        let (flow, clones) = (&cell.totals.directions[direction], cell.members.len() as u64);
        let per_second = |count: u64| count as f64 / cell.seconds();
        Some(match cell.planned().pace.rate[direction]? {
            Rate::Ios(asked) => {
                let (reached, asked) = (per_second(flow.ios), asked * clones);
                let share = percent(reached / asked as f64);
                format!("{} of {} {}s/s ({share})", grouped(reached as u64), grouped(asked), direction.name())
            }
            Rate::Bytes(asked) => {
                let (reached, asked) = (per_second(flow.bytes), (asked * clones) as f64);
                format!("{} of {} ({})", bandwidth(reached), bandwidth(asked), percent(reached / asked))
            }
        })
    });
    Some(format!("{}: {}", cell.name(), each.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    fn found(options: &str, ios: u64) -> Option<String> {
        let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f {options}");
        let run = RunBuilder::of(&job).all(4, DirectionLoad::reads(ios, 4096, 100_000)).run();
        check(&Case::new(&run, &surrounds())).map(|found| found.evidence)
    }

    #[test]
    fn a_rate_that_is_far_away_is_told_with_what_was_reached() {
        assert_eq!(found("rate_iops=10000", 4_000).unwrap(), "t: 4,000 of 10,000 reads/s (40 %)");
        assert_eq!(found("rate=40960000", 4_000).unwrap(), "t: 16.4 MB/s of 41.0 MB/s (40 %)");
        assert_eq!(found("rate_iops=4000", 4_000), None);
        assert_eq!(found("", 4_000), None);
    }
}
