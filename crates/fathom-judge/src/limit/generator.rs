//! The generator set the pace: the device may be able to do more.

use super::{Found, found};
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{Sign, sign, sign_evidence};
use fathom_results::Limit;

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    let sign = sign(case, cell)?;
    Some(found(match (sign_evidence(case, cell, &sign), sign) {
        (Some(sign), _) => Limit::Generator { sign },
        (None, Sign::Quota(quota)) => Limit::Quota { quota },
        (None, _) => return None,
    }))
}

#[cfg(test)]
mod tests {
    use crate::limit::fixture::{IOPS, explain, reads};

    #[test]
    fn a_full_core_and_a_half_full_one() {
        let full = explain(reads(800_000).cpu(IOPS, 0.2, 0.78), &crate::fixture::surrounds(), IOPS);
        assert!(full.claim.contains("CPU"), "{full:?}");
        assert_eq!(
            full.evidence,
            "rand-read-iops: 98 % of one core (kernel 78 %) and 24 % of all 4, 1.23 µs for each I/O"
        );
        let half = explain(reads(80_000).cpu(IOPS, 0.2, 0.3), &crate::fixture::surrounds(), IOPS);
        assert_eq!(half.claim, "the device");
    }
}
