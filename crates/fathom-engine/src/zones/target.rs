//! What a target says of its zones, and what is done to them between two I/Os.

use super::device;
use crate::target::{OpenTarget, SharedDrive, locked};
use fathom_job::plan::{PlannedFile, TargetZones};
use fathom_sim::ZoneAction;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The zones of a target, as it knows them itself.
pub enum ZoneTarget {
    /// It has none: fathom keeps zones for it.
    Kept,
    /// A simulated drive.
    Simulated(SharedDrive),
    /// A block device, and what the kernel says of its zones.
    Device(OwnedFd, TargetZones),
}

impl ZoneTarget {
    /// That of a file of a job: a zoned drive that is simulated, a zoned device, or something without zones.
    ///
    /// # Errors
    /// The descriptor cannot be duplicated.
    pub fn of(
        file: &PlannedFile,
        open: Option<&OpenTarget>,
        drive: Option<&SharedDrive>,
    ) -> io::Result<ZoneTarget> {
        Ok(match (drive, open, file.zones) {
            (Some(drive), ..) => ZoneTarget::Simulated(drive.clone()),
            (None, Some(open), Some(zones)) => ZoneTarget::Device(open.fd.try_clone()?, zones),
            _ => ZoneTarget::Kept,
        })
    }

    /// It has no zones of its own.
    pub fn is_kept(&self) -> bool {
        matches!(self, ZoneTarget::Kept)
    }

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
            ZoneTarget::Device(fd, zones) => {
                let done = if action == ZoneAction::Reset { "reset" } else { "finished" };
                let changed = device::change(fd.as_fd(), start, zones.size.0, action);
                changed.map_err(|why| format!("the zone at byte {start} cannot be {done}: {why}"))
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
            ZoneTarget::Device(fd, _) => Some(device::zone(fd.as_fd(), start)?.pointer),
        }
    }
}
