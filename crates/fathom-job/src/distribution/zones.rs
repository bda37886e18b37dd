//! The zones of `zoned` and `zoned_abs`, and where each lies in a region.

use super::Millionths;
use crate::units::Bytes;

/// A part of the region with its own share of the I/Os. Zones follow each other from the start of the
/// region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Its share of the I/Os. The shares of all zones make the whole.
    pub access: Millionths,
    /// How long it is.
    pub size: ZoneSize,
}

/// The length of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneSize {
    /// A share of the region (`zoned`).
    Part(Millionths),
    /// Bytes (`zoned_abs`).
    Bytes(Bytes),
}

/// Where a zone lies in a region, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneSpan {
    /// Its share of the I/Os.
    pub access: Millionths,
    /// First byte.
    pub from: u64,
    /// First byte beyond it. With `zoned_abs`, this may be beyond the region.
    pub to: u64,
}

/// Where the zones lie in a region of `size` bytes. They begin and end at multiples of `align`, rounded
/// down, so that no place lies between two zones.
pub fn spans(zones: &[Zone], size: u64, align: u64) -> Vec<ZoneSpan> {
    let align = align.max(1);
    let (mut share, mut bytes) = (0u32, 0u64);
    let mut end = |zone: &Zone| {
        let end = match zone.size {
            ZoneSize::Part(part) => {
                share += part.0;
                Millionths(share).of(size)
            }
            ZoneSize::Bytes(part) => {
                bytes = bytes.saturating_add(part.0);
                bytes
            }
        };
        end - end % align
    };
    let mut from = 0;
    let mut span = |zone: &Zone| {
        let to = end(zone);
        ZoneSpan { access: zone.access, from: std::mem::replace(&mut from, to), to }
    };
    zones.iter().map(&mut span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(sizes: &[ZoneSize], size: u64) -> Vec<(u64, u64)> {
        let zones: Vec<Zone> = sizes.iter().map(|size| Zone { access: Millionths(0), size: *size }).collect();
        spans(&zones, size, 4096).iter().map(|span| (span.from, span.to)).collect()
    }

    #[test]
    fn zones_follow_each_other_without_a_gap() {
        let share = |percent| ZoneSize::Part(Millionths(percent * Millionths::PERCENT));
        let size = 256 * 4096;
        let blocks = [(0, 25), (25, 76), (76, 256)].map(|(from, to)| (from * 4096, to * 4096));
        assert_eq!(ends(&[share(10), share(20), share(70)], size), blocks);
        let kib = |n| ZoneSize::Bytes(Bytes::kib(n));
        assert_eq!(ends(&[kib(10), kib(10)], size), [(0, 8192), (8192, 20480)]);
        assert_eq!(
            ends(&[ZoneSize::Bytes(Bytes(u64::MAX)), kib(4)], size)[1],
            (u64::MAX - 4095, u64::MAX - 4095)
        );
    }
}
