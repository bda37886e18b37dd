//! Zones with their own share of the I/Os.

use crate::source::seed::Random;
use fathom_job::distribution::{Millionths, Zone, spans};

/// Draws places: first a zone, then one of its places.
#[derive(Clone, Debug, PartialEq)]
pub struct Zones {
    zones: Vec<ZonePlaces>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct ZonePlaces {
    /// Shares of this zone and of those before it, in millionths.
    upto: u32,
    first: u64,
    count: u64,
}

impl Zones {
    /// The zones in a region of `size` bytes, whose places are multiples of `align` and hold a block of
    /// `block` bytes. The plan has checked that each zone with a share of the I/Os has a place.
    pub fn new(zones: &[Zone], size: u64, align: u64, block: u64) -> Zones {
        let places = size.saturating_sub(block) / align + 1;
        let mut upto = 0;
        let mut zones: Vec<ZonePlaces> = spans(zones, size, align)
            .iter()
            .map(|span| {
                upto += span.access.0;
                let (first, end) = (span.from / align, (span.to / align).min(places));
                ZonePlaces { upto, first, count: end.saturating_sub(first) }
            })
            .collect();
        zones.retain(|zone| zone.count > 0);
        Zones { zones }
    }

    #[inline]
    pub fn place(&self, random: &mut Random) -> u64 {
        let point = random.below(Millionths::ALL.0.into()) as u32;
        let index = self.zones.partition_point(|zone| zone.upto <= point);
        let zone = self.zones[index.min(self.zones.len() - 1)];
        zone.first + random.below(zone.count)
    }
}
