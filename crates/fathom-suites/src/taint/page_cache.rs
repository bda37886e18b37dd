//! Buffered I/O answered by memory (contract V-11).

use super::counts_disagree::KERNEL_SHARE_MIN;
use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::cell::Cell;
use crate::figure::Figure;
use crate::quantity::bytes;
use crate::witness::Witness;
use fathom_job::direction::Direction;
use fathom_job::units::Bytes;

pub(super) const RULE: TaintRule = TaintRule {
    code: "page-cache",
    weight: TaintWeight::Instead(
        "The page cache was measured, and not the disk alone",
        "memory is part of these figures",
    ),
    hint: "direct=1, or a file of at least twice the memory",
    stands_on: &[Figure::Ios, Figure::Counters, Figure::Target],
    check,
};

const MESSAGE: &str =
    "the page cache answered part of the I/O: the figures measure memory as much as the disk";

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
        let evidence = fits(&buffered, case.seen.memory)?;
        return Some(Found::new(MESSAGE, evidence)?.about(of(&buffered)));
    }
    case.witnesses.iter().find_map(|witness| {
        let counted: Vec<&Cell<'_>> = buffered.iter().copied().filter(|cell| witness.is_of(cell)).collect();
        let evidence = missing(witness).filter(|_| !counted.is_empty())?;
        Some(Found::new(MESSAGE, evidence)?.about(of(&counted)))
    })
}

/// The kernel counted less on the disk than fathom moved. Its count contains what other programs read.
fn missing(witness: &Witness) -> Option<String> {
    let short = |d: Direction| witness.share(d).is_some_and(|share| share < KERNEL_SHARE_MIN);
    let told = |d: Direction| {
        let [ours, all] = [witness.ours[d], witness.kernel[d]].map(|n| bytes(n as f64));
        format!("{ours} {}; {} saw {all} in all", past(d), witness.disk())
    };
    let told: Vec<String> =
        [Direction::Read, Direction::Write].into_iter().filter(|d| short(*d)).map(told).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

const fn past(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "written",
        Direction::Trim => "trimmed",
    }
}

/// There are no counts, but the data used fits in memory twice.
fn fits(buffered: &[&Cell<'_>], memory: Bytes) -> Option<String> {
    let region =
        |cell: &Cell<'_>| cell.planned().files.iter().map(|file| file.size.0).fold(0, u64::saturating_add);
    let largest = buffered.iter().max_by_key(|cell| region(cell))?;
    let size = Bytes(region(largest));
    let may_fit = size.0 < memory.0.saturating_mul(2);
    may_fit.then(|| {
        format!("{} works on {size} with direct=0; the machine has {memory} of memory", largest.name())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::surrounds::Surrounds;

    const BUFFERED: &str = "rw=randread bs=4k ioengine=psync filename=/data/f";

    fn found(scene: RunBuilder, seen: &Surrounds) -> Option<Found> {
        let run = scene.run();
        check(&Case::new(&run, seen))
    }

    fn scene(options: &str) -> RunBuilder {
        RunBuilder::of(options).all(5, DirectionLoad::reads(1_000, 4096, 2_000))
    }

    #[test]
    fn the_disk_saw_less_than_was_read() {
        let seen = crate::fixture::surrounds();
        let cached = found(scene(BUFFERED).disk(disk("sda", 4096 * 250, 0)), &seen).unwrap();
        assert_eq!(cached.evidence, "20.5 MB read; sda saw 1.02 MB in all");
        assert_eq!(found(scene(BUFFERED).disk(disk("sda", 4096 * 5_000, 0)), &seen), None);
    }

    #[test]
    fn without_a_witness_the_size_tells() {
        let cached = found(scene(BUFFERED), &crate::fixture::surrounds()).unwrap();
        assert!(cached.evidence.contains("1 GiB with direct=0; the machine has 16 GiB"), "{cached:?}");
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
