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

/// The disk did less for fathom than fathom moved. The count of the disk contains what other programs read; the count of the
/// process does not, where there is one.
fn missing(witness: &Witness) -> Option<String> {
    let short = |d: Direction| witness.share_reached(d).is_some_and(|share| share < KERNEL_SHARE_MIN);
    let told = |d: Direction| {
        let [ours, reached, all] =
            [witness.ours[d], witness.reached(d), witness.kernel[d]].map(|n| bytes(n as f64));
        let disk = witness.disk();
        match witness.reached(d) < witness.kernel[d] {
            true => format!("{ours} {}, {reached} of it from {disk}; {disk} saw {all} in all", past(d)),
            false => format!("{ours} {}; {disk} saw {all} in all", past(d)),
        }
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
    fn what_others_read_is_not_what_the_job_read() {
        let seen = crate::fixture::surrounds();
        let both = scene(BUFFERED).disk(disk("sda", 4096 * 5_000, 0)).own_reads(4096 * 25);
        let found = |scene: RunBuilder| crate::taint::taints(&scene.run(), &seen);
        let told = |code: &str, all: &[fathom_results::Taint]| {
            all.iter().find(|taint| taint.code == code).map(|taint| taint.evidence.clone())
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
