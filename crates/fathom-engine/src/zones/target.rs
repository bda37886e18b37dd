//! What a target says of its zones, and what is done to them between two I/Os.

use crate::target::{SharedDrive, locked};
use fathom_sim::ZoneAction;

/// The zones of a target, as it knows them itself.
pub enum ZoneTarget {
    /// It has none: fathom keeps zones for it.
    Kept,
    /// A simulated drive.
    Simulated(SharedDrive),
}

impl ZoneTarget {
    /// Changes the zone that begins at `start`.
    ///
    /// # Errors
    /// The target does not do it.
    pub fn change(&self, start: u64, action: ZoneAction) -> Result<(), String> {
        match self {
            ZoneTarget::Kept => Ok(()),
            ZoneTarget::Simulated(drive) => {
                let changed = locked(drive).change_zone(start, action);
                changed.map_err(|why| format!("the zone at byte {start} cannot be changed: {why:?}"))
            }
        }
    }

    /// The write pointer of the zone that begins at `start`. A target without zones takes a write behind one that failed, which ends at
    /// `behind`.
    pub fn pointer(&self, start: u64, behind: u64) -> Option<u64> {
        match self {
            ZoneTarget::Kept => Some(behind),
            ZoneTarget::Simulated(drive) => {
                let drive = locked(drive);
                let report = drive.zones()?;
                report.zones.get((start / report.zone_bytes) as usize).map(|zone| zone.write_pointer)
            }
        }
    }
}
