//! What a target says of its zones, and what is done to them between two I/Os.

use super::device;
use super::table::{ZoneLimits, ZoneTable};
use super::zone::Zone;
use crate::target::{OpenTarget, SharedDrive, locked};
use fathom_job::plan::{PlannedFile, TargetZones, ZonePlan};
use fathom_sim::{ZoneAction, ZoneCondition, ZoneState};
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

    /// Its zones as they are now; those that it has not are empty, and as the job wants them.
    ///
    /// # Errors
    /// A device does not report them.
    pub fn table(
        &self,
        asked: &ZonePlan,
        file: &PlannedFile,
        open: Option<&OpenTarget>,
    ) -> io::Result<ZoneTable> {
        match self {
            ZoneTarget::Kept => {
                let end = file.offset.0 + file.size.0;
                let length = file.length.map_or(end, |length| length.0.max(end));
                let length = open.map_or(length, |open| open.size.max(length));
                Ok(ZoneTable::empty(asked.size.0, asked.capacity.0, length))
            }
            ZoneTarget::Simulated(drive) => {
                table_of(drive).ok_or_else(|| io::Error::other("the drive reports no zones"))
            }
            ZoneTarget::Device(fd, zones) => {
                let reported = device::report(fd.as_fd(), zones.size.0)?;
                let limits = ZoneLimits { open: zones.open_max, active: zones.active_max };
                Ok(ZoneTable::new(zones.size.0, reported, limits))
            }
        }
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

/// The table of a simulated drive; `None` if it has no zones.
fn table_of(drive: &SharedDrive) -> Option<ZoneTable> {
    let drive = locked(drive);
    let report = drive.zones()?;
    let zone = |zone: &ZoneState| match zone.condition {
        ZoneCondition::Conventional => Zone::conventional(zone.start, zone.capacity),
        ZoneCondition::Empty | ZoneCondition::Open | ZoneCondition::Full => {
            Zone::sequential(zone.start, zone.capacity, zone.write_pointer)
        }
    };
    let limits = [report.open_max, report.active_max].into_iter().filter(|most| *most > 0);
    // It closes no zone by itself, so each that is partly written is open.
    let most = limits.min().unwrap_or(0);
    let limits = ZoneLimits { open: most, active: most };
    Some(ZoneTable::new(report.zone_bytes, report.zones.iter().map(zone).collect(), limits))
}
