//! Memory answered, not the disk: the target is made of memory, the page cache holds it, a loop
//! device caches its file, or direct reads never reached the disk.

use super::Limit;
use super::hand_off;
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{self, Sign};
use crate::quick::told::{Datum, Figure, Told, counters, is_counted, of, of_run};
use crate::taint;
use fathom_job::direction::Direction;
use fathom_results::Finding;
use fathom_text::quantity::percent;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
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
    let target = || of_run(&[Figure::Target]);
    let answers: [(&str, bool, Answer<'_>); 5] = [
        ("memory-backed", is_memory, &|_| (memory(case, cell), target())),
        ("page-cache", is_cached, &|found| (page_cache(case, cell), counters(case, found))),
        ("unwritten-range", reads, &|found| {
            (named("memory: reads were answered without the disk"), counters(case, found))
        }),
        ("loop-device", cached_loop, &|_| (named("the page cache behind the loop device"), target())),
        ("too-fast", reads, &|_| (named("a cache above the disk"), of(cell, &[Figure::Latency]))),
    ];
    let (found, answer) = answers.into_iter().find_map(|(code, applies, answer)| {
        let found = taint::found(code, &alone).filter(|_| applies)?;
        // What is known from reads is not evidence for writes.
        (code != "page-cache" || is_counted(cell, &found)).then_some((found, answer))
    })?;
    let ((claim, more), data) = answer(&found);
    let mean = cell.mean_told().unwrap_or_else(|| "unknown".to_owned());
    let mean = Told::new(format!("{}: mean latency {mean}", cell.name()), of(cell, &[Figure::Latency]));
    Some(Limit {
        claim: Told::new(claim, data.clone()),
        basis: Some(Told::new(fathom_words::of_finding(&found).evidence_of(&found), data)),
        evidence: mean.and(more.unwrap_or_default()),
        counter: None,
    })
}

/// A claim, with what is to be added to the evidence for it.
type Claim = (&'static str, Option<Told>);

/// The claim of a rule, and the data that its evidence is based on.
type Answer<'a> = &'a dyn Fn(&Finding) -> (Claim, Vec<Datum>);

fn named(claim: &'static str) -> Claim {
    (claim, None)
}

/// The target is made of memory. Copies limit it only where the worker spends
/// its time on them; threads of the kernel that take each I/O over cost more.
fn memory(case: &Case<'_>, cell: &Cell<'_>) -> Claim {
    match (hand_off::told(case, cell), busy(case, cell)) {
        (Some(threads), _) => {
            let told = threads.within(|threads| format!("; {threads}"));
            ("the hand-off of I/O to kernel threads, not a disk", Some(told))
        }
        (None, Some(busy)) if case.only_trims() => ("the release of memory, not a disk", Some(busy)),
        (None, Some(busy)) => ("memory copies, not a disk", Some(busy)),
        (None, None) => named("memory, not a disk"),
    }
}

fn page_cache(case: &Case<'_>, cell: &Cell<'_>) -> Claim {
    match busy(case, cell) {
        Some(busy) => ("memory copies from the page cache", Some(busy)),
        None => named("the page cache, at least in part"),
    }
}

/// From this share of its time on, what a worker does itself is the limit.
const BUSY_MIN: f64 = 0.5;

/// That the worker was busy most of the time, if it was.
fn busy(case: &Case<'_>, cell: &Cell<'_>) -> Option<Told> {
    let load = cell.cpu(case.seen.cpus).filter(|load| load.worker >= BUSY_MIN && !cell.polls())?;
    let text = format!(", worker busy {} of the time", percent(load.worker.min(1.0)));
    Some(Told::new(text, of(cell, &[Figure::Usage])))
}

#[cfg(test)]
mod tests {
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::quick::limit::fixture::{IOPS, LATENCY, explain, reads, target};
    use crate::quick::{QuickTarget, job_text};
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
        let text = job_text(&target(true));
        let scene = RunBuilder::text(&text)
            .seconds(LATENCY, 7, &[DirectionLoad::reads(300_000, 4096, 3_000)])
            .seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 399_000)]);
        let run = scene.run();
        let seen = crate::fixture::surrounds();
        let case = Case::new(&run, &seen);
        let claim = |job: usize| super::check(&case, &case.cells[job]).map(|limit| limit.claim.text);
        assert_eq!(claim(LATENCY).as_deref(), Some("a cache above the disk"));
        assert_eq!(claim(IOPS), None);
    }

    #[test]
    fn reads_from_the_page_cache_are_no_evidence_for_writes() {
        let text = job_text(&QuickTarget { can_write: true, ..target(false) });
        let scene = RunBuilder::text(&text)
            .seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 399_000)])
            .seconds(4, 7, &[DirectionLoad::writes(60_000, 4096, 531_000)])
            .disk(disk("sda", 4096 * 7 * 8_000, 4096 * 7 * 60_000));
        let run = scene.run();
        let seen = crate::fixture::surrounds();
        let case = Case::new(&run, &seen);
        let claim = |job: usize| super::check(&case, &case.cells[job]).map(|limit| limit.claim.text);
        assert_eq!(claim(IOPS).as_deref(), Some("the page cache, at least in part"));
        assert_eq!(claim(4), None);
    }

    #[test]
    fn a_loop_device_that_caches() {
        let of_loop = |dio| {
            let seen = Surrounds {
                is_loop: true,
                disk_name: Some("loop0".to_owned()),
                ..crate::fixture::surrounds()
            };
            let facts = reads(80_000).fact("target./data/scratch.loop_direct_io", dio);
            explain(facts, &seen, IOPS).claim
        };
        assert!(of_loop("false").starts_with("the page cache behind the loop device"));
        let seen = Surrounds { disk_name: Some("loop0".to_owned()), ..crate::fixture::surrounds() };
        let on_tmpfs = reads(80_000).fact("target./data/scratch.memory_beneath", "tmpfs");
        assert_eq!(explain(on_tmpfs, &seen, IOPS).claim, "the loop device");
        assert_eq!(of_loop("true"), "the loop device");
    }

    #[test]
    fn a_disk_that_saw_every_read() {
        let all = 4096 * 7 * (10_000 + 80_000);
        let limit = explain(reads(80_000).disk(disk("sda", all, 0)), &crate::fixture::surrounds(), IOPS);
        assert_eq!(limit.claim, "the device");
    }
}
