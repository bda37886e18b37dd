//! Memory answered, not the disk: the target is made of memory, the page cache holds it, a loop
//! device caches its file, or direct reads never reached the disk.

use super::{Found, found, hand_off, mean};
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{self, Sign};
use crate::taint;
use fathom_job::direction::Direction;
use fathom_results::answer::limit::MemoryLimit;
use fathom_results::finding::{KernelWork, PageCache};
use fathom_results::{Evidence, Finding, Limit};

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    // A worker that lacked a CPU was limited by that, whatever the target is made of.
    if matches!(generator::sign(case, cell), Some(Sign::Starved(_) | Sign::Quota(_))) {
        return None;
    }
    // What one measurement shows is not evidence for another.
    let alone = case.with_only(cell);
    let cached_loop = alone.target_fact("loop_direct_io") == Some("false");
    let reads = cell.planned().uses(Direction::Read);
    // Memory large enough to hold it all does not show that it did.
    let is_cached = !cell.is_direct() && !alone.witnesses.is_empty();
    // Below a loop device, its thread and limits come first.
    let is_memory = case.is_memory_of(cell);
    let by: [(&str, bool, &dyn Fn() -> How); 5] = [
        ("memory-backed", is_memory, &|| memory(case, cell)),
        ("page-cache", is_cached, &|| page_cache(case, cell)),
        ("unwritten-range", reads, &|| MemoryLimit::NoDisk.into()),
        ("loop-device", cached_loop, &|| MemoryLimit::BehindLoop.into()),
        ("too-fast", reads, &|| MemoryLimit::AboveDisk.into()),
    ];
    let (finding, how) = by.into_iter().find_map(|(code, applies, how)| {
        let finding = taint::found(code, &alone).filter(|_| applies)?;
        is_about(cell, &finding).then_some((finding, how))
    })?;
    let How { by, threads, worker_busy } = how();
    Some(found(Limit::Memory { by, finding: Box::new(finding), mean: mean(cell), threads, worker_busy }))
}

/// What is known from reads of a cache is not evidence for writes.
fn is_about(cell: &Cell<'_>, finding: &Finding) -> bool {
    let directions: Vec<Direction> = match &finding.evidence {
        Evidence::PageCache(PageCache::FewerBytes { directions, .. }) => {
            directions.iter().map(|cached| cached.direction).collect()
        }
        Evidence::PageCache(
            PageCache::FewerRequests { direction, .. } | PageCache::Sooner { direction, .. },
        ) => {
            vec![*direction]
        }
        Evidence::PageCache(_) => return false,
        _ => return true,
    };
    cell.flows().any(|(direction, _)| direction != Direction::Trim && directions.contains(&direction))
}

/// How memory was the limit, with what shows it.
struct How {
    by: MemoryLimit,
    threads: Option<KernelWork>,
    worker_busy: Option<f64>,
}

impl From<MemoryLimit> for How {
    fn from(by: MemoryLimit) -> Self {
        How { by, threads: None, worker_busy: None }
    }
}

/// The target is made of memory. Copies limit it only where the worker spends
/// its time on them; threads of the kernel that take each I/O over cost more.
fn memory(case: &Case<'_>, cell: &Cell<'_>) -> How {
    match (hand_off::work(case, cell), busy(case, cell)) {
        (Some(threads), _) => How { threads: Some(threads), ..MemoryLimit::HandOff.into() },
        (None, busy @ Some(_)) if case.only_trims() => {
            How { worker_busy: busy, ..MemoryLimit::Release.into() }
        }
        (None, busy @ Some(_)) => How { worker_busy: busy, ..MemoryLimit::Copies.into() },
        (None, None) => MemoryLimit::Memory.into(),
    }
}

fn page_cache(case: &Case<'_>, cell: &Cell<'_>) -> How {
    match busy(case, cell) {
        busy @ Some(_) => How { worker_busy: busy, ..MemoryLimit::CacheCopies.into() },
        None => MemoryLimit::Cache.into(),
    }
}

/// From this share of its time on, what a worker does itself is the limit.
const BUSY_MIN: f64 = 0.5;

/// The share of its time in which the worker ran, if that was most of it.
fn busy(case: &Case<'_>, cell: &Cell<'_>) -> Option<f64> {
    let load = cell.cpu(case.surrounds.cpus).filter(|load| load.worker >= BUSY_MIN && !cell.polls())?;
    Some(load.worker.min(1.0))
}

#[cfg(test)]
mod tests {
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::limit::fixture::{IOPS, LATENCY, explain, job_text, of_rule, reads, with_writes};
    use crate::surrounds::Surrounds;
    use fathom_results::KernelWorkerKind;

    #[test]
    fn tmpfs_and_holes() {
        let tmpfs = Surrounds { fs_type: Some("tmpfs".to_owned()), ..crate::fixture::surrounds() };
        let limit = explain(reads(80_000).cpu(IOPS, 0.1, 0.8), &tmpfs, IOPS);
        assert!(limit.basis.as_ref().unwrap().starts_with("the filesystem is tmpfs"), "{limit:?}");
        assert_eq!(limit.claim, "memory copies, not a disk");
        assert_eq!(limit.evidence, "rand-read-iops: mean latency 399 µs, worker busy 90 % of the time");
        let idle = explain(reads(80_000), &tmpfs, IOPS);
        assert_eq!(idle.claim, "memory, not a disk", "nothing says that copies took the time");
        assert_eq!(idle.evidence, "rand-read-iops: mean latency 399 µs", "{idle:?}");
        let holes = explain(reads(80_000).disk(disk("sda", 4096, 0)), &crate::fixture::surrounds(), IOPS);
        assert!(holes.claim.contains("without the disk"), "{holes:?}");
    }

    #[test]
    fn a_hand_off_to_kernel_threads_is_no_copying() {
        let zram = Surrounds { disk_name: Some("zram0".to_owned()), ..crate::fixture::surrounds() };
        let scene = reads(80_000).cpu(LATENCY, 0.02, 0.03);
        let scene = scene.kernel_workers(LATENCY as u32, KernelWorkerKind::IoWq, 8, 210_000_000);
        let limit = explain(scene, &zram, LATENCY);
        assert_eq!(limit.claim, "the hand-off of I/O to kernel threads, not a disk");
        assert_eq!(
            limit.evidence,
            "rand-read-latency: mean latency 100 µs; \
             8 io-wq threads used 3.00 µs of CPU for each I/O, the worker 5.00 µs"
        );
    }

    #[test]
    fn what_one_measurement_shows_is_said_of_that_one() {
        // Single reads take 3 µs, as no disk does; the others wait 399 µs.
        let text = job_text(true);
        let scene = RunBuilder::text(&text)
            .seconds(LATENCY, 7, &[DirectionLoad::reads(300_000, 4096, 3_000)])
            .seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 399_000)]);
        let run = scene.run();
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        let claim = |job: usize| super::check(&case, &case.cells[job]).map(|found| of_rule(found, "j").claim);
        assert_eq!(claim(LATENCY).as_deref(), Some("a cache above the disk"));
        assert_eq!(claim(IOPS), None);
    }

    #[test]
    fn reads_from_the_page_cache_are_no_evidence_for_writes() {
        let text = with_writes(false);
        let scene = RunBuilder::text(&text)
            .seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 399_000)])
            .seconds(4, 7, &[DirectionLoad::writes(60_000, 4096, 531_000)])
            .disk(disk("sda", 4096 * 7 * 8_000, 4096 * 7 * 60_000));
        let run = scene.run();
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        let claim = |job: usize| super::check(&case, &case.cells[job]).map(|found| of_rule(found, "j").claim);
        assert_eq!(claim(IOPS).as_deref(), Some("the page cache, at least in part"));
        assert_eq!(claim(4), None);
    }

    #[test]
    fn a_loop_device_that_caches() {
        let of_loop = |dio| {
            let surrounds = Surrounds {
                is_loop: true,
                disk_name: Some("loop0".to_owned()),
                ..crate::fixture::surrounds()
            };
            let facts = reads(80_000).fact("target./data/scratch.loop_direct_io", dio);
            explain(facts, &surrounds, IOPS).claim
        };
        assert!(of_loop("false").starts_with("the page cache behind the loop device"));
        let surrounds = Surrounds { disk_name: Some("loop0".to_owned()), ..crate::fixture::surrounds() };
        let on_tmpfs = reads(80_000).fact("target./data/scratch.memory_beneath", "tmpfs");
        assert_eq!(explain(on_tmpfs, &surrounds, IOPS).claim, "the loop device");
        assert_eq!(of_loop("true"), "the loop device");
    }

    #[test]
    fn a_disk_that_saw_every_read() {
        let all = 4096 * 7 * (10_000 + 80_000);
        let limit = explain(reads(80_000).disk(disk("sda", all, 0)), &crate::fixture::surrounds(), IOPS);
        assert_eq!(limit.claim, "the device");
    }
}
