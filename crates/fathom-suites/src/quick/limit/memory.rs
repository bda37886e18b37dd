//! Memory answered, not the disk: the target is made of memory, the page cache
//! holds it, a loop device caches its file, or direct reads never came to the
//! disk.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::latency;
use crate::taint;
use fathom_job::direction::Direction;

pub(super) const RULE: super::Rule = check;

fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let cached_loop = case.target_fact("loop_direct_io") == Some("false");
    let reads = cell.planned().uses(Direction::Read);
    let claims = [
        ("memory-backed", "memory copies, not a disk", true),
        ("page-cache", "memory copies from the page cache", !cell.planned().direct),
        ("unwritten-range", "memory: reads were answered without the disk", reads),
        ("loop-device", "the page cache behind the loop device", cached_loop),
        ("too-fast", "a cache above the disk", reads),
    ];
    let (found, claim) = claims.into_iter().find_map(|(code, claim, applies)| {
        let found = taint::found(code, case).filter(|_| applies)?;
        Some((found, claim))
    })?;
    let mean = cell.latency_ns_mean().map(latency).unwrap_or_else(|| "unknown".to_owned());
    Some(Limit {
        claim: claim.to_owned(),
        basis: Some(found.evidence),
        evidence: format!("{}: mean latency {mean}", cell.name()),
        counter: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Scene, disk};
    use crate::quick::limit::fixture::{IOPS, explain, reads};
    use crate::surrounds::Surrounds;

    #[test]
    fn tmpfs_and_holes() {
        let tmpfs = Surrounds { fs_type: Some("tmpfs".to_owned()), ..Scene::surrounds() };
        let limit = explain(reads(80_000), &tmpfs, IOPS);
        assert!(limit.basis.as_ref().unwrap().starts_with("the filesystem is tmpfs"), "{limit:?}");
        assert_eq!(limit.claim, "memory copies, not a disk");
        assert_eq!(limit.evidence, "rand-read-iops: mean latency 399 µs", "{limit:?}");
        let holes = explain(reads(80_000).disk(disk("sda", 4096, 0)), &Scene::surrounds(), IOPS);
        assert!(holes.claim.contains("without the disk"), "{holes:?}");
    }

    #[test]
    fn a_loop_device_that_caches() {
        let of_loop = |dio| {
            let seen = Surrounds { is_loop: true, disk_name: Some("loop0".to_owned()), ..Scene::surrounds() };
            let facts = reads(80_000).fact("target./data/scratch.loop_direct_io", dio);
            explain(facts, &seen, IOPS).claim
        };
        assert!(of_loop("false").starts_with("the page cache behind the loop device"));
        assert_eq!(of_loop("true"), "the loop device");
    }

    #[test]
    fn a_disk_that_saw_every_read() {
        let all = 4096 * 7 * (10_000 + 80_000);
        let limit = explain(reads(80_000).disk(disk("sda", all, 0)), &Scene::surrounds(), IOPS);
        assert_eq!(limit.claim, "the device");
    }
}
