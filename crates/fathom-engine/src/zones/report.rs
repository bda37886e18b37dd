//! The table of a target, made from what it reports.

use super::device;
use super::table::{ZoneLimits, ZoneTable};
use super::target::ZoneTarget;
use super::zone::Zone;
use crate::target::{OpenTarget, SharedDrive, locked};
use fathom_job::plan::{PlannedFile, ZonePlan, most_open};
use fathom_sim::{ZoneCondition, ZoneState};
use std::io;
use std::os::fd::AsFd;

/// The zones of a target as they are now; those that it has not are empty, and as the job wants them.
///
/// # Errors
/// A device does not report them.
pub fn table(
    target: &ZoneTarget,
    asked: &ZonePlan,
    file: &PlannedFile,
    open: Option<&OpenTarget>,
) -> io::Result<ZoneTable> {
    match target {
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
    // It closes no zone by itself, so each that is partly written is open.
    let most = most_open(report.open_max, report.active_max);
    let limits = ZoneLimits { open: most, active: most };
    Some(ZoneTable::new(report.zone_bytes, report.zones.iter().map(zone).collect(), limits))
}
