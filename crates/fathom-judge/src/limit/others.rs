//! Other programs used the disk at the same time, so the figure does not show what the disk can do.

use super::device::{kind, law};
use super::{Found, found};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint;
use fathom_results::{Limit, Weight};

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    // A queue that was not kept full is fathom's limit, not the disk's.
    if !cell.is_on_disk() || taint::unfilled(cell).is_some() {
        return None;
    }
    // What is too little for low trust, or not certain to be of others, is no limit either. How much others moved is a
    // finding of the whole run: what is found for one job has other allowances, and so another number for the same load.
    let is_much = |case: &Case<'_>| {
        taint::found("foreign-io", case).is_some_and(|finding| finding.weight == Weight::Instead)
    };
    (is_much(case) && is_much(&case.with_only(cell)))
        .then(|| found(Limit::OtherPrograms { target: kind(case, cell), rate: law(cell) }))
}

#[cfg(test)]
mod tests {
    use crate::fixture::disk;
    use crate::limit::fixture::{IOPS, LATENCY, explain, reads};
    use crate::surrounds::Surrounds;

    #[test]
    fn a_disk_that_others_use_is_not_the_limit_by_itself() {
        let ours = 4096 * 7 * (10_000 + 80_000);
        let scene = || reads(80_000).disk(disk("vda", ours * 478 / 100, 0));
        let guest = Surrounds {
            disk_name: Some("vda".to_owned()),
            is_virtual: Some(true),
            ..crate::fixture::surrounds()
        };
        for job in [IOPS, LATENCY] {
            let limit = explain(scene(), &guest, job);
            assert_eq!(limit.claim, "the virtual disk, which others used at the same time");
            assert!(limit.basis.is_none(), "the amount is that of the whole run, and told there");
        }
        // A hundredth more makes the trust medium, and is not named.
        for counted in [ours, ours * 101 / 100] {
            let limit = explain(reads(80_000).disk(disk("vda", counted, 0)), &guest, IOPS);
            assert!(!limit.claim.contains("others"), "{limit:?}");
        }
    }
}
