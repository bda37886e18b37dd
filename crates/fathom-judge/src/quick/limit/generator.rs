//! The generator set the pace: the device may be able to do more.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{Sign, hands_over, has_none_by_nature, sign, told};
use crate::quick::told::{Datum, Figure, Told, of, of_run};

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let sign = sign(case, cell)?;
    let claim = match sign {
        Sign::Quota(_) => "the CPU quota of fathom's control group, not the device",
        Sign::Starved(_) => "other programs used the CPUs part of the time",
        Sign::Ceiling(_) => "fathom itself, not the device",
        Sign::Full(_) => "this machine's CPU, not the device",
    };
    let data = data(case, cell, &sign);
    let evidence = Told::new(told(case, cell, &sign), data.clone());
    Some(Limit { claim: Told::new(claim, data), basis: None, evidence, counter: None })
}

/// What the claim and its evidence are based on.
fn data(case: &Case<'_>, cell: &Cell<'_>, sign: &Sign) -> Vec<Datum> {
    let counts_kernel_threads = cell.kernel_workers().next().is_some();
    let figures: &[Figure] = match sign {
        Sign::Quota(_) => return of_run(&[Figure::Quota]),
        Sign::Full(_) if counts_kernel_threads => &[Figure::Usage, Figure::KernelThreads],
        Sign::Starved(_) | Sign::Full(_) => &[Figure::Usage],
        Sign::Ceiling(_) if has_none_by_nature(case, cell) => &[Figure::Ceiling],
        Sign::Ceiling(_) if hands_over(cell) => &[Figure::Ceiling, Figure::KernelThreads],
        Sign::Ceiling(_) => &[Figure::Ceiling, Figure::Usage],
    };
    of(cell, figures)
}

#[cfg(test)]
mod tests {
    use crate::quick::limit::fixture::{IOPS, explain, reads};

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
