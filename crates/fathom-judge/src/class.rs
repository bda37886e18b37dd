//! What kind of device has such figures.
//!
//! One entry of [`CLASSES`] a kind, with the figures that say so. The first that fits is told; where
//! none fits, nothing is. A kind is a likeness, not an identity: an array or a cache can look like
//! a faster drive than its members.

use crate::case::Case;
use crate::cell::Cell;
use crate::taint;
use fathom_job::direction::Direction;
use fathom_results::{ClassKind, DeviceClass};

/// The figures by which kinds differ, from whichever jobs measured them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Traits {
    /// Mean latency of one small random read at a time, ns.
    read_alone_ns: Option<f64>,
    /// Small random reads per second with more in flight.
    reads_per_second: Option<f64>,
    /// The largest bandwidth of large reads, bytes per second.
    read_bandwidth: Option<f64>,
    /// The largest bandwidth of any job, bytes per second.
    bandwidth: f64,
    /// The rate that all random jobs have in common, if a limit holds them there.
    cap: Option<Cap>,
}

/// A rate at which several jobs were held.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cap {
    iops: f64,
    jobs: usize,
    /// The largest difference of a job from the mean of them, as a share.
    apart: f64,
    is_network: bool,
}

/// The kind, if the figures are of it.
type ClassRule = fn(&Traits) -> Option<ClassKind>;

/// The kinds, the most certain first.
const CLASSES: [ClassRule; 5] = [capped, hard_disk, sata_ssd, nvme_ssd, memory_card];

/// The kind of device, for a run that reached a disk.
pub(crate) fn class(case: &Case<'_>) -> Option<DeviceClass> {
    if !case.reaches_disk() {
        return None;
    }
    let traits = Traits::of(case);
    let is_virtual = taint::found("virtual-disk", case).is_some();
    let kind = CLASSES.iter().find_map(|rule| rule(&traits))?;
    Some(DeviceClass { kind, is_virtual })
}

/// From this many in flight on, a rate says what a device does with many at once.
const MANY: u32 = 16;
/// Blocks up to this size are small, from [`LARGE`] on large.
const SMALL: u64 = 16 << 10;
const LARGE: u64 = 128 << 10;

impl Traits {
    fn of(case: &Case<'_>) -> Self {
        let cells = || case.on_disk().filter(|cell| cell.ios() > 0 && !cell.is_too_short());
        let block = |cell: &Cell<'_>| cell.planned().block_max().0;
        let is_random_read = |cell: &&Cell<'_>| {
            let job = cell.planned();
            job.rw.random && !job.writes() && block(cell) <= SMALL
        };
        let only = |direction| move |cell: &&Cell<'_>| cell.flows().all(|(d, _)| d == direction);
        let most = |rates: &mut dyn Iterator<Item = f64>| rates.reduce(f64::max);
        let large_reads = cells().filter(|cell| block(cell) >= LARGE).filter(only(Direction::Read));
        Traits {
            read_alone_ns: cells()
                .filter(is_random_read)
                .find(|cell| cell.depth() == 1)
                .and_then(|c| c.latency_ns_mean()),
            reads_per_second: most(
                &mut cells().filter(is_random_read).filter(|c| c.depth() >= MANY).map(|c| c.iops()),
            ),
            read_bandwidth: most(&mut large_reads.map(|cell| cell.bytes_per_second())),
            bandwidth: most(&mut cells().map(|cell| cell.bytes_per_second())).unwrap_or(0.0),
            cap: Cap::of(case),
        }
    }
}

impl Cap {
    /// How far jobs that one limit holds may be apart: a token bucket holds its rate within a percent
    /// or two over a second, as for the limit of one measurement (`limit/cap.rs`).
    const APART_MAX: f64 = 0.02;
    /// How much the rate of one job may vary from second to second.
    const VARIATION_MAX: f64 = 0.02;
    /// Models of disks that a network provides.
    const NETWORK: [&str; 4] = ["elastic block store", "persistentdisk", "persistent disk", "azure"];

    fn of(case: &Case<'_>) -> Option<Cap> {
        let is_virtual = taint::found("virtual-disk", case).is_some();
        let random = || {
            case.on_disk()
                .filter(|cell| cell.ios() > 0 && cell.planned().rw.random && cell.depth() >= MANY)
                .filter(|cell| cell.planned().block_max().0 <= SMALL)
        };
        let rates: Vec<f64> = random().map(|cell| cell.iops()).collect();
        let steady =
            |cell: &Cell<'_>| cell.rate_spread().variation().is_some_and(|share| share < Self::VARIATION_MAX);
        if !is_virtual || rates.len() < 2 || !random().all(steady) {
            return None;
        }
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let apart = rates.iter().map(|rate| (rate / mean - 1.0).abs()).fold(0.0, f64::max);
        let model = case.target_fact("model").unwrap_or_default().to_ascii_lowercase();
        let is_network = Self::NETWORK.iter().any(|name| model.contains(name))
            || case.target_fact("kind") == Some("remote");
        (apart < Self::APART_MAX).then_some(Cap { iops: mean, jobs: rates.len(), apart, is_network })
    }

    /// The limit that somebody may have set: the nearest hundred, if it is within one percent.
    fn set(self) -> f64 {
        let round = (self.iops / 100.0).round() * 100.0;
        if (round / self.iops - 1.0).abs() < 0.01 { round } else { self.iops.round() }
    }
}

fn capped(traits: &Traits) -> Option<ClassKind> {
    let cap = traits.cap?;
    let Cap { iops, jobs, apart, is_network } = cap;
    Some(ClassKind::Capped { iops_max: cap.set() as u64, is_network, jobs: jobs as u64, iops, apart })
}

/// A head must move and the disk must turn: half a turn at 15,000 rpm, the fastest that was sold,
/// takes 2 ms, so even 32 requests in the best order stay below 1,000 a second.
fn hard_disk(traits: &Traits) -> Option<ClassKind> {
    let read_ns = traits.read_alone_ns.filter(|ns| (2e6..60e6).contains(ns))?;
    let reads = traits.reads_per_second.filter(|rate| *rate < 1_000.0);
    let is_slow = traits.reads_per_second.is_none() || reads.is_some();
    (is_slow && traits.bandwidth <= 400e6).then_some(ClassKind::HardDisk { read_ns, reads })
}

/// A SATA link of 6 Gb/s carries 600 MB/s after its coding of 8 bits in 10. The other limits are
/// wide: one read takes some flash 60 µs and a slow controller several hundred.
fn sata_ssd(traits: &Traits) -> Option<ClassKind> {
    let bytes_per_second = traits.read_bandwidth.filter(|rate| (200e6..600e6).contains(rate))?;
    let read_ns = traits.read_alone_ns.filter(|ns| (40e3..600e3).contains(ns))?;
    let reads = traits.reads_per_second.filter(|rate| (5e3..120e3).contains(rate))?;
    (traits.bandwidth < 650e6).then_some(ClassKind::SataSsd { read_ns, reads, bytes_per_second })
}

/// More than a SATA link carries, at the latency of flash or of a faster medium. A read from memory
/// through the block layer takes 1 to 5 µs, which is below the range.
fn nvme_ssd(traits: &Traits) -> Option<ClassKind> {
    let bytes_per_second = traits.read_bandwidth.filter(|rate| *rate >= 900e6)?;
    let read_ns = traits.read_alone_ns.filter(|ns| (6e3..250e3).contains(ns))?;
    Some(ClassKind::NvmeSsd { read_ns, bytes_per_second })
}

/// Flash behind a slow controller: SD cards (UHS-I carries 104 MB/s) and USB sticks; a read takes from
/// 150 µs to some milliseconds.
fn memory_card(traits: &Traits) -> Option<ClassKind> {
    let bytes_per_second = traits.read_bandwidth.filter(|rate| *rate < 200e6)?;
    let read_ns = traits.read_alone_ns.filter(|ns| (150e3..5e6).contains(ns))?;
    let reads = traits.reads_per_second.filter(|rate| (500.0..15e3).contains(rate))?;
    Some(ClassKind::MemoryCard { read_ns, reads, bytes_per_second })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(read_alone_us: f64, reads: f64, megabytes: f64) -> Option<String> {
        let traits = Traits {
            read_alone_ns: Some(read_alone_us * 1e3),
            reads_per_second: Some(reads),
            read_bandwidth: Some(megabytes * 1e6),
            bandwidth: megabytes * 1e6,
            cap: None,
        };
        let kind = CLASSES.iter().find_map(|rule| rule(&traits))?;
        Some(fathom_words::class::says(&DeviceClass { kind, is_virtual: false }))
    }

    #[test]
    fn kinds_by_their_figures() {
        // Latency alone in µs, reads a second at depth 32, MB/s: the order of magnitude of each kind.
        for (case, expected) in [
            ((90.0, 90e3, 556.0), Some("like a SATA SSD")),
            ((80.0, 300e3, 3_500.0), Some("like an NVMe SSD")),
            ((10.0, 550e3, 2_500.0), Some("like an NVMe SSD")),
            ((8_500.0, 180.0, 210.0), Some("like a hard disk")),
            ((4_000.0, 520.0, 260.0), Some("like a hard disk")),
            ((400.0, 3_000.0, 90.0), Some("like a memory card or a USB stick")),
            ((1_000.0, 3_000.0, 125.0), Some("like a memory card or a USB stick")),
            // Between the kinds, and memory: nothing is said.
            ((700.0, 16_000.0, 700.0), None),
            ((1.5, 600e3, 6_000.0), None),
        ] {
            let (alone, reads, flow) = case;
            assert_eq!(says(alone, reads, flow).as_deref(), expected, "{case:?}");
        }
    }

    #[test]
    fn a_cap_is_told_as_the_number_that_somebody_set() {
        let cap = |iops: f64| Cap { iops, jobs: 3, apart: 0.004, is_network: true }.set();
        assert_eq!((cap(15_934.0), cap(3_004.0), cap(12_345.0)), (15_900.0, 3_000.0, 12_300.0));
    }
}
