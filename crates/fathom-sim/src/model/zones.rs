//! What the zones of a simulated drive are.

use super::check::allowed;
use super::{DiskModel, disk};
use crate::SimError;

/// A host-managed hard disk with shingled tracks (SMR).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZonedModel {
    /// The disk.
    pub disk: DiskModel,
    /// Its zones.
    pub zones: ZoneModel,
}

/// Zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneModel {
    /// Bytes from the start of a zone to that of the next.
    pub zone_bytes: u64,
    /// Bytes of a sequential zone that can be written; 0 is the whole zone.
    pub capacity_bytes: u64,
    /// Zones at the start that can be written anywhere.
    pub conventional: u32,
    /// Most zones that may be partly written at the same time; 0 is no limit.
    pub open_max: u32,
    /// The same for active zones.
    pub active_max: u32,
    /// Whether a read beyond the write pointer is answered; ZBC's default is that it is refused.
    pub reads_unwritten: bool,
}

/// The disk of the preset `disk` with zones of 256 MiB, one in a hundred conventional, and 128 open at most, as the data
/// sheets of such disks say (HGST Ultrastar Hs14: 256 MiB, 1 %, 128).
pub fn smr() -> ZonedModel {
    let disk = disk();
    let zone_bytes = 256 << 20;
    let conventional = (disk.capacity_bytes / zone_bytes / 100) as u32;
    let zones = ZoneModel {
        zone_bytes,
        capacity_bytes: 0,
        conventional,
        open_max: 128,
        active_max: 0,
        reads_unwritten: false,
    };
    ZonedModel { disk, zones }
}

/// Zones of a drive: 64 MiB of state.
const ZONES_MAX: u64 = 1 << 21;

impl ZoneModel {
    /// Bytes of a sequential zone that can be written.
    pub fn usable_bytes(&self) -> u64 {
        if self.capacity_bytes == 0 { self.zone_bytes } else { self.capacity_bytes }
    }

    /// Is no zone left that could be opened beside `open` others?
    pub(crate) fn is_full_at(&self, open: u32) -> bool {
        [self.open_max, self.active_max].into_iter().any(|most| most > 0 && open >= most)
    }

    pub(crate) fn check(&self, drive_bytes: u64) -> Result<(), SimError> {
        let (zone, usable) = (self.zone_bytes, self.usable_bytes());
        let is_possible = zone >= 4096 && zone.is_multiple_of(4096) && zone <= drive_bytes;
        allowed("zone", zone, is_possible, "a multiple of 4k, at most the size of the drive")?;
        let count = drive_bytes / zone;
        allowed("zone", zone, count <= ZONES_MAX, "zones so large that there are at most 2,097,152")?;
        let is_possible = usable <= zone && usable.is_multiple_of(4096);
        allowed("zone_capacity", usable, is_possible, "a multiple of 4k, at most the size of a zone")?;
        let conventional = u64::from(self.conventional);
        allowed("conventional", conventional, conventional < count, "less than all zones")
    }
}

impl ZonedModel {
    pub(crate) fn check(&self) -> Result<(), SimError> {
        self.disk.check()?;
        self.zones.check(self.disk.capacity_bytes)
    }

    /// Bytes of its whole zones.
    pub(crate) fn capacity_bytes(&self) -> u64 {
        self.disk.capacity_bytes / self.zones.zone_bytes * self.zones.zone_bytes
    }
}
