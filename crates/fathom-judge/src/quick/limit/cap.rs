//! A rate limit: in a guest, a rate that does not vary while I/Os queue up is more often a
//! configured limit than the most that a device can do.

use super::Limit;
use super::device::not_alone;
use super::strain::{self, BUSY_MIN};
use crate::case::Case;
use crate::cell::Cell;
use crate::quick::told::{Figure, Told, of, of_run};
use crate::taint;
use fathom_figures::LARGE_BLOCK;
use fathom_text::quantity::{bandwidth, iops, percent};

/// A token bucket holds its rate within a percent or two over a second; the
/// rates of devices that share queues, caches and garbage collection vary more.
const VARIATION_MAX: f64 = 0.02;
/// A rate that is not a round number must be steadier than that.
const VARIATION_MAX_NOT_ROUND: f64 = 0.01;
/// With fewer windows the variation itself is not known.
const WINDOWS_MIN: u64 = 5;
/// How close to a round number counts as that number: headers and the edges of
/// windows cost less.
const ROUND_WITHIN: f64 = 0.01;
/// First digits of the limits that people set: 3,000 and 16,000 IOPS, 125, 250,
/// 500 and 1,000 MB/s (or MiB/s) are the steps of cloud volumes.
const ROUND: &[f64] = &[1.0, 1.25, 1.5, 1.6, 2.0, 2.5, 3.0, 3.2, 4.0, 5.0, 6.0, 6.4, 7.5, 8.0, 9.0];

/// What a rate that is a round number says.
const ROUND_CLAIM: &str = "a rate limit, probably of the hypervisor or the volume";
/// What any other rate says.
const FLAT_CLAIM: &str = "perhaps a rate limit, as the rate hardly varied";

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let rates = cell.rate_spread();
    let variation = rates.variation()?;
    let strain = strain::strain(case, cell);
    let queues = strain.is_none_or(|strain| strain >= BUSY_MIN);
    let (variation_max, place) = behind_whom(case, cell)?;
    if !queues || rates.samples < WINDOWS_MIN || variation >= variation_max {
        return None;
    }
    let round = round(cell);
    let evidence = format!(
        "{}: {} IOPS, {}{}; {} of variation over {} windows of {} s",
        cell.name(),
        iops(cell.iops()),
        bandwidth(cell.bytes_per_second()),
        round.as_ref().map(|what| format!(", which is {what}")).unwrap_or_default(),
        percent(variation),
        rates.samples,
        cell.window_seconds(),
    );
    let evidence = Told::new(evidence, of(cell, &[Figure::Seconds])).and(place);
    Some(Limit {
        claim: Told::new(if round.is_some() { ROUND_CLAIM } else { FLAT_CLAIM }, Vec::new()),
        basis: None,
        evidence: evidence.and(strain::told(case, cell)),
        counter: against(round.is_some(), strain.is_some()),
    })
}

/// What speaks against a configured limit.
fn against(is_round: bool, is_strained: bool) -> Option<Told> {
    let odd = "the rate is not a round number; it may be the most that the device can do";
    match (is_round, is_strained) {
        (false, _) => Some(Told::new(odd, Vec::new())),
        (true, false) => Some(not_alone()),
        (true, true) => None,
    }
}

/// How steady the rate must be to look like a configured limit, and who may have set it. Nobody
/// sets a limit on a loop device, on memory, or on a disk of a machine that is not a guest.
fn behind_whom(case: &Case<'_>, cell: &Cell<'_>) -> Option<(f64, Told)> {
    let alone = case.with_only(cell);
    let found = |code| taint::found(code, &alone).is_some();
    if found("loop-device") || found("memory-backed") {
        return None;
    }
    let is_round = round(cell).is_some();
    if found("virtual-disk") {
        let most = if is_round { VARIATION_MAX } else { VARIATION_MAX_NOT_ROUND };
        return Some((most, Told::new(" on a virtual disk", of_run(&[Figure::Target]))));
    }
    let name = case.hypervisor().filter(|_| is_round)?;
    Some((VARIATION_MAX, Told::new(format!(" in a guest of {name}"), of_run(&[Figure::Hypervisor]))))
}

/// The round number that the rate is, if it is one.
fn round(cell: &Cell<'_>) -> Option<String> {
    let bytes = cell.bytes_per_second();
    let units = [(cell.iops(), "IOPS"), (bytes / 1e6, "MB/s"), (bytes / f64::from(1 << 20), "MiB/s")];
    // The rate that a measurement is about decides: IOPS of small blocks,
    // bandwidth of large ones.
    let is_small = cell.planned().block_max() < LARGE_BLOCK;
    let mut asked = units.into_iter().filter(|(_, unit)| is_small == (*unit == "IOPS"));
    asked.find_map(|(rate, unit)| Some(format!("close to {} {unit}", nearest_round(rate)?)))
}

fn nearest_round(rate: f64) -> Option<u64> {
    if rate < 1.0 {
        return None;
    }
    let decade = 10_f64.powf(rate.log10().floor());
    let steps = ROUND.iter().map(|digits| digits * decade).chain([10.0 * decade]);
    let near = steps.into_iter().find(|step| (rate / step - 1.0).abs() <= ROUND_WITHIN)?;
    Some(near.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quick::limit::fixture::{IOPS, explain, reads, reads_varied};
    use crate::surrounds::Surrounds;

    fn guest() -> Surrounds {
        Surrounds { disk_name: Some("vda".to_owned()), is_virtual: Some(true), ..crate::fixture::surrounds() }
    }

    #[test]
    fn flat_and_round_in_a_guest() {
        let limit = explain(
            reads_varied(&[16_010, 15_990, 16_000, 16_005, 15_995, 16_000, 16_000], 1_993_000),
            &guest(),
            IOPS,
        );
        assert!(limit.claim.starts_with("a rate limit"), "{limit:?}");
        assert!(
            limit.evidence.contains("close to 16000 IOPS; 0.0 % of variation over 7 windows"),
            "{limit:?}"
        );
        assert!(
            limit.evidence.ends_with("latency 19.9 × that of one alone") && limit.counter.is_none(),
            "{limit:?}"
        );
    }

    #[test]
    fn flat_but_not_round_has_something_against_it() {
        let limit = explain(reads(17_300), &guest(), IOPS);
        assert!(
            limit.claim.starts_with("perhaps a rate limit")
                && limit.counter.unwrap().contains("not a round number")
        );
    }

    #[test]
    fn bare_metal_variation_or_no_queue_are_no_limit() {
        let device = |limit: Limit| assert_eq!(limit.claim, "the device", "{limit:?}");
        device(explain(reads(16_000), &crate::fixture::surrounds(), IOPS));
        let unnamed = Surrounds { hypervisor: Some("kvm".to_owned()), ..crate::fixture::surrounds() };
        device(explain(reads(17_300), &unnamed, IOPS));
        let varied = [14_000, 17_500, 15_200, 16_900, 15_000, 17_400, 16_000];
        let varies = explain(reads_varied(&varied, 1_950_000), &guest(), IOPS);
        assert_eq!(varies.claim, "the virtual disk");
        let in_guest = Surrounds { is_loop: true, disk_name: Some("loop0".to_owned()), ..unnamed };
        assert_eq!(explain(reads(16_000), &in_guest, IOPS).claim, "the loop device");
        let unstrained = explain(reads(290_000), &guest(), IOPS);
        assert!(unstrained.claim.contains("queue depth"), "{unstrained:?}");
    }

    #[test]
    fn round_numbers() {
        let cases = [
            (3_009.0, Some(3_000)),
            (16_100.0, Some(16_000)),
            (999.0, Some(1_000)),
            (125.4, Some(125)),
            (17_300.0, None),
            (0.4, None),
        ];
        for (rate, round) in cases {
            assert_eq!(nearest_round(rate), round, "{rate}");
        }
    }
}
