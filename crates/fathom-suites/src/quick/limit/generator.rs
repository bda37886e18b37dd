//! The generator set the pace: the device may be able to do more.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{Sign, hands_over, has_none_by_nature, sign, told};
use crate::quick::told::{Figure, Told, of, of_run};

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let sign = sign(case, cell)?;
    let claim = match sign {
        Sign::Quota(_) => "the CPU quota of fathom's control group, not the device",
        Sign::Starved(_) => "other programs used the CPUs part of the time",
        Sign::Ceiling(_) => "fathom itself, not the device",
        Sign::Full(_) => "this machine's CPU, not the device",
    };
    let mut figures = match sign {
        Sign::Quota(_) => Vec::new(),
        Sign::Starved(_) | Sign::Full(_) => vec![Figure::Usage],
        Sign::Ceiling(_) if has_none_by_nature(case, cell) => vec![Figure::Ceiling],
        Sign::Ceiling(_) if hands_over(cell) => vec![Figure::Ceiling, Figure::KernelThreads],
        Sign::Ceiling(_) => vec![Figure::Ceiling, Figure::Usage],
    };
    let counts_kernel_threads = matches!(sign, Sign::Full(_)) && cell.kernel_workers().next().is_some();
    figures.extend(counts_kernel_threads.then_some(Figure::KernelThreads));
    let data = match sign {
        Sign::Quota(_) => of_run(&[Figure::Quota]),
        _ => of(cell, &figures),
    };
    let evidence = Told::new(told(case, cell, &sign), data.clone());
    Some(Limit { claim: Told::new(claim, data), basis: None, evidence, counter: None })
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
