//! I/Os in the queue take no longer than alone: the device could take more.

use super::Limit;
use super::strain::{self, IDLE_MAX};
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::{iops, latency};

pub(super) const RULE: super::Rule = check;

fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let strain = strain::strain(case, cell).filter(|strain| *strain < IDLE_MAX)?;
    let mean = cell.latency_ns_mean()?;
    let evidence = format!(
        "{}: {} IOPS × {} = {:.1} in flight, latency {}",
        cell.name(),
        iops(cell.iops()),
        latency(mean),
        cell.in_flight()?,
        strain::told(strain)
    );
    let counter = cell
        .planned()
        .writes()
        .then(|| "the latency alone is that of reads; writes at depth 1 were not measured".to_owned());
    Some(Limit {
        claim: format!("the queue depth of {}: more in flight would give more", cell.depth()),
        evidence,
        counter,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Flow, Scene};
    use crate::quick::limit::fixture::{BANDWIDTH, IOPS, MIB, explain, reads};

    #[test]
    fn latency_as_if_alone() {
        // 290,000 × 110 µs = 31.9 in flight; alone 100 µs.
        let limit = explain(reads(290_000), &Scene::surrounds(), IOPS);
        assert_eq!(limit.claim, "the queue depth of 32: more in flight would give more");
        assert_eq!(
            limit.evidence,
            "rand-read-iops: 290k IOPS × 110 µs = 31.9 in flight, latency 1.1 × that of one alone"
        );
        assert_eq!(explain(reads(80_000), &Scene::surrounds(), IOPS).claim, "the device");
    }

    #[test]
    fn large_blocks_over_a_long_way() {
        // 8 in flight of 160 µs each: 50 GB/s, of which 20 µs are transfer.
        let fast = reads(290_000).seconds(BANDWIDTH, 7, &[Flow::reads(49_500, MIB, 160_000)]);
        assert!(explain(fast, &Scene::surrounds(), BANDWIDTH).claim.starts_with("the queue depth of 8"));
    }
}
