//! A rate limit: in a guest, a rate that does not vary while I/Os queue up is more often a
//! configured limit than the most that a device can do.

use super::Found;
use super::strain::{self, BUSY_MIN};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint;
use fathom_figures::LARGE_BLOCK;
use fathom_results::Limit;
use fathom_results::answer::limit::{Against, Guest, RateUnit, RoundRate};

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

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    let rates = cell.rate_spread();
    let variation = rates.variation()?;
    let strain = strain::strain(case, cell);
    let queues = strain.is_none_or(|strain| strain >= BUSY_MIN);
    let (variation_max, guest) = behind_whom(case, cell)?;
    if !queues || rates.samples < WINDOWS_MIN || variation >= variation_max {
        return None;
    }
    let round = round(cell);
    let against = against(round.is_some(), strain.is_some());
    let limit = Limit::RateLimit {
        iops: cell.iops(),
        bytes_per_second: cell.bytes_per_second(),
        round,
        variation,
        windows: rates.samples,
        window_s: cell.window_seconds(),
        guest,
        queueing: strain::queueing(case, cell),
    };
    Some(Found { limit, against })
}

/// What speaks against a configured limit.
fn against(is_round: bool, is_strained: bool) -> Vec<Against> {
    match (is_round, is_strained) {
        (false, _) => vec![Against::NotRound],
        (true, false) => vec![Against::NotMeasuredAlone],
        (true, true) => Vec::new(),
    }
}

/// How steady the rate must be to look like a configured limit, and who may have set it. Nobody
/// sets a limit on a loop device, on memory, or on a disk of a machine that is not a guest.
fn behind_whom(case: &Case<'_>, cell: &Cell<'_>) -> Option<(f64, Guest)> {
    let alone = case.with_only(cell);
    let has = |code| taint::found(code, &alone).is_some();
    if has("loop-device") || has("memory-backed") {
        return None;
    }
    let is_round = round(cell).is_some();
    if has("virtual-disk") {
        let most = if is_round { VARIATION_MAX } else { VARIATION_MAX_NOT_ROUND };
        return Some((most, Guest::VirtualDisk));
    }
    let hypervisor = case.hypervisor().filter(|_| is_round)?.to_owned();
    Some((VARIATION_MAX, Guest::Of { hypervisor }))
}

/// The round number that the rate is, if it is one.
fn round(cell: &Cell<'_>) -> Option<RoundRate> {
    let bytes = cell.bytes_per_second();
    // The rate that a measurement is about decides: IOPS of small blocks, bandwidth of large ones.
    let rates = match cell.planned().block_max() < LARGE_BLOCK {
        true => vec![(cell.iops(), RateUnit::Iops)],
        false => vec![(bytes / 1e6, RateUnit::Megabytes), (bytes / f64::from(1 << 20), RateUnit::Mebibytes)],
    };
    rates.into_iter().find_map(|(rate, unit)| Some(RoundRate { number: nearest_round(rate)?, unit }))
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
    use crate::limit::fixture::{Explained, IOPS, explain, reads, reads_varied};
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
            limit.evidence.contains("close to 16,000 IOPS; 0.0 % of variation over 7 windows"),
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
        let device = |limit: Explained| assert_eq!(limit.claim, "the device", "{limit:?}");
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
