//! Buffered I/O answered by memory (contract V-11).
//!
//! Three comparisons with what the kernel counted on the disk show it: fewer bytes; as many bytes in far fewer requests,
//! which the kernel made of many I/Os by writing back or reading ahead; and I/Os that took less time than requests.

use super::counts_disagree::KERNEL_SHARE_MIN;
use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use crate::witness::{Requests, Witness};
use fathom_job::direction::Direction;
use fathom_job::units::Bytes;
use fathom_results::finding::{CachedBytes, PageCache};
use fathom_results::{Evidence, Weight};
use fathom_stats::Moments;

pub(super) const RULE: TaintRule = TaintRule { code: "page-cache", weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let is_cached = |cell: &Cell<'_>| cell.is_on_disk() && !cell.is_direct() && !case.is_memory_of(cell);
    let buffered: Vec<&Cell<'_>> = case.cells.iter().filter(|c| is_cached(c) && c.ios() > 0).collect();
    let of = |cells: &[&Cell<'_>]| {
        case.part(|cell| cells.iter().any(|other| other.planned().id == cell.planned().id))
    };
    if buffered.is_empty() {
        return None;
    }
    if case.witnesses.is_empty() {
        let fits = fits(&buffered, case.surrounds.memory)?;
        return Some(Found::new(Evidence::PageCache(fits)).about(of(&buffered)));
    }
    case.witnesses.iter().find_map(|witness| {
        let counted: Vec<&Cell<'_>> = buffered.iter().copied().filter(|cell| witness.is_of(cell)).collect();
        let by_memory = || Direction::ALL.into_iter().find_map(|d| gathered(witness, d));
        let sooner = || Direction::ALL.into_iter().find_map(|d| sooner(witness, &counted, d));
        let cache = missing(witness).or_else(by_memory).or_else(sooner).filter(|_| !counted.is_empty())?;
        Some(Found::new(Evidence::PageCache(cache)).about(of(&counted)))
    })
}

/// The disk did less for fathom than fathom moved. The count of the disk contains what other programs read; the count of the
/// process does not, where there is one.
fn missing(witness: &Witness) -> Option<PageCache> {
    let short = |d: &Direction| witness.share_reached(*d).is_some_and(|share| share < KERNEL_SHARE_MIN);
    let cached = |direction: Direction| CachedBytes {
        direction,
        own_bytes: witness.ours[direction],
        reached_bytes: witness.reached(direction),
        disk_bytes: witness.kernel[direction],
    };
    let directions: Vec<CachedBytes> =
        [Direction::Read, Direction::Write].into_iter().filter(short).map(cached).collect();
    (!directions.is_empty()).then(|| PageCache::FewerBytes { disk: witness.disk(), directions })
}

/// Where a request holds more than this many I/Os, most I/Os had no request of their own to wait for.
const GATHERED: f64 = 2.0;

/// The disk got the bytes in far fewer requests than there were I/Os: memory gathered writes, or read ahead.
fn gathered(witness: &Witness, direction: Direction) -> Option<PageCache> {
    let Requests { ours: ios, kernel: requests, .. } = witness.requests[direction];
    // Jobs that go past the page cache are counted with the others, and have a request for each I/O.
    let is_gathered = requests > 0 && ios as f64 > GATHERED * requests as f64;
    is_gathered.then(|| PageCache::FewerRequests { disk: witness.disk(), direction, ios, requests })
}

/// An I/O that waits for a request of its own takes at least as long; less than this share of that time, and most did not.
const SOONER: f64 = 0.5;

/// I/Os with a request each that were over before their request could be: writes that wait in memory until the kernel writes
/// them. The time of syncs that a job waited for counts with its I/Os. What other programs did may take another time.
fn sooner(witness: &Witness, cells: &[&Cell<'_>], direction: Direction) -> Option<PageCache> {
    let request_ns_mean = witness.requests[direction].wait_ns()?;
    let is_all_ours = witness.agrees(direction, 1.0 - KERNEL_SHARE_MIN, 1.0 - KERNEL_SHARE_MIN);
    if !is_all_ours || cells.len() < witness.jobs.len() {
        return None;
    }
    let flow = |cell: &&Cell<'_>| cell.totals.directions[direction].total.moments;
    let ios: u64 = cells.iter().map(|cell| flow(cell).count()).sum();
    let sum = |moments: Moments| moments.count() as f64 * moments.mean().unwrap_or(0.0);
    let took: f64 = cells.iter().map(|cell| sum(flow(cell))).sum();
    let syncs: f64 = cells.iter().map(|cell| sum(cell.totals.sync.moments)).sum();
    if ios == 0 || (took + syncs) / ios as f64 >= SOONER * request_ns_mean {
        return None;
    }
    let io_ns_mean = took / ios as f64;
    Some(PageCache::Sooner { disk: witness.disk(), direction, io_ns_mean, request_ns_mean })
}

/// There are no counts, but the data used fits in memory twice.
fn fits(buffered: &[&Cell<'_>], memory: Bytes) -> Option<PageCache> {
    let region =
        |cell: &Cell<'_>| cell.planned().files.iter().map(|file| file.size.0).fold(0, u64::saturating_add);
    let largest = buffered.iter().max_by_key(|cell| region(cell))?;
    let region_bytes = region(largest);
    let job = || largest.name().to_owned();
    let may_fit = region_bytes < memory.0.saturating_mul(2);
    may_fit.then(|| PageCache::Fits { job: job(), region_bytes, memory_bytes: memory.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::surrounds::Surrounds;
    use fathom_results::DiskDelta;

    const BUFFERED: &str = "rw=randread bs=4k ioengine=psync filename=/data/f";

    fn found(scene: RunBuilder, surrounds: &Surrounds) -> Option<Found> {
        let run = scene.run();
        check(&Case::new(&run, surrounds))
    }

    fn scene(options: &str) -> RunBuilder {
        RunBuilder::of(options).all(5, DirectionLoad::reads(1_000, 4096, 2_000))
    }

    #[test]
    fn the_disk_saw_less_than_was_read() {
        let surrounds = crate::fixture::surrounds();
        let cached = found(scene(BUFFERED).disk(disk("sda", 4096 * 250, 0)), &surrounds).unwrap();
        assert_eq!(cached.evidence(), "20.5 MB read; sda saw 1.02 MB in all");
        assert_eq!(found(scene(BUFFERED).disk(disk("sda", 4096 * 5_000, 0)), &surrounds), None);
    }

    /// `psync direct=0 randwrite`: the disk got every byte, a second later, and in large requests.
    #[test]
    fn the_disk_saw_as_many_bytes_in_far_fewer_requests() {
        let surrounds = crate::fixture::surrounds();
        let found = |options: &str, requests: u64| {
            let write = options.contains("write");
            let load = if write { DirectionLoad::writes } else { DirectionLoad::reads };
            let scene = RunBuilder::of(options).all(5, load(131_000, 4096, 2_950));
            let moved = 4096 * 655_000;
            let (read, written) = if write { (0, moved) } else { (moved, 0) };
            let mut ios = [0; 3];
            ios[usize::from(write)] = requests;
            found(scene.disk(DiskDelta { ios, ..disk("sda", read, written) }), &surrounds)
        };
        let write = BUFFERED.replace("randread", "randwrite");
        let cached = found(&write, 5_152).unwrap();
        assert_eq!(cached.evidence(), "655,000 I/Os written; sda saw 5,152 requests");
        assert_eq!(found(BUFFERED, 5_152).unwrap().evidence(), "655,000 I/Os read; sda saw 5,152 requests");
        assert_eq!(found(&write, 600_000), None);
        assert_eq!(found(&format!("{write} direct=1"), 5_152), None);
    }

    /// A request for each I/O, and an I/O that did not wait for it.
    #[test]
    fn an_io_that_is_over_before_its_request_was_answered_by_memory() {
        let surrounds = crate::fixture::surrounds();
        let write = BUFFERED.replace("randread", "randwrite");
        // 5,000 requests that were queued or in the disk for 100 µs each.
        let slow =
            |written: u64| DiskDelta { ios: [0, 5_000, 0], ticks_ms: [0, 500, 0], ..disk("sda", 0, written) };
        let found = |options: &str, latency_ns: u64, written: u64| {
            let scene = RunBuilder::of(options).all(5, DirectionLoad::writes(1_000, 4096, latency_ns));
            found(scene.disk(slow(written)), &surrounds)
        };
        let all = 4096 * 5_000;
        let cached = found(&write, 3_000, all).unwrap();
        assert_eq!(
            cached.evidence(),
            "each I/O was written in 3.00 µs on average; sda had each request for 100 µs"
        );
        assert_eq!(found(&format!("{write} sync=1"), 110_000, all), None, "it waited");
        assert_eq!(found(&write, 3_000, 2 * all), None, "requests of other programs are among them");
        assert_eq!(found(&format!("{write} direct=1"), 3_000, all), None, "another rule's matter");
    }

    #[test]
    fn what_others_read_is_not_what_the_job_read() {
        let surrounds = crate::fixture::surrounds();
        let both = scene(BUFFERED).disk(disk("sda", 4096 * 5_000, 0)).own_reads(4096 * 25);
        let found = |scene: RunBuilder| crate::taint::findings(&scene.run(), &surrounds);
        let told = |code: &str, all: &[fathom_results::Finding]| {
            let found = all.iter().find(|finding| finding.code() == code);
            found.map(|finding| fathom_words::of_finding(finding).evidence)
        };
        let all = found(both);
        let cached = told("page-cache", &all).unwrap();
        assert_eq!(cached, "20.5 MB read, 102 kB of it from sda; sda saw 20.5 MB in all");
        let others = told("foreign-io", &all).unwrap();
        assert_eq!(others, "others read 20.4 MB on sda, and fathom read 102 kB");
        // Read ahead, and read again where memory does not hold the file: nobody else's.
        let own = found(scene(BUFFERED).disk(disk("sda", 4096 * 9_000, 0)).own_reads(4096 * 9_000));
        assert_eq!((told("page-cache", &own), told("foreign-io", &own)), (None, None));
        let own = found(scene(BUFFERED).disk(disk("sda", 4096 * 2_000, 0)).own_reads(4096 * 2_000));
        assert!(told("page-cache", &own).is_some() && told("foreign-io", &own).is_none());
    }

    #[test]
    fn without_a_witness_the_size_tells() {
        let cached = found(scene(BUFFERED), &crate::fixture::surrounds()).unwrap();
        assert!(cached.evidence().contains("1 GiB with direct=0; the machine has 16 GiB"), "{cached:?}");
        let small = Surrounds { memory: Bytes::mib(256), ..crate::fixture::surrounds() };
        assert_eq!(found(scene(BUFFERED), &small), None);
    }

    #[test]
    fn direct_io_and_tmpfs_are_other_matters() {
        assert_eq!(found(scene(&format!("{BUFFERED} direct=1")), &crate::fixture::surrounds()), None);
        let tmpfs = Surrounds { fs_type: Some("tmpfs".to_owned()), ..crate::fixture::surrounds() };
        assert_eq!(found(scene(BUFFERED), &tmpfs), None);
    }
}
