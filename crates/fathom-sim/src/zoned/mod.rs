//! A host-managed zoned drive: the zones of another drive, which takes only writes at a zone's write pointer.
//!
//! It refuses what the standards (ZBC, ZNS) refuse: a write that is not at the write pointer or goes beyond the capacity of
//! its zone, a read beyond the write pointer, and a write that needs more open or active zones than the drive has. A real drive closes
//! a zone that it opened itself instead of refusing another one; this one is stricter, so that a host that exceeds a limit is seen.

use crate::{
    Decided, DriveCounters, Io, IoKind, SimError, SimulatedDrive, Submitted, ZoneAction, ZoneCondition,
    ZoneModel, ZoneRefusal, ZoneReport, ZoneState,
};

/// A drive with zones.
pub struct ZonedDrive {
    drive: Box<dyn SimulatedDrive>,
    model: ZoneModel,
    zones: Vec<ZoneState>,
    open: u32,
}

impl ZonedDrive {
    /// A drive whose sequential zones are all empty.
    ///
    /// # Errors
    /// The model has no such zones.
    pub fn new(model: &ZoneModel, drive: Box<dyn SimulatedDrive>) -> Result<Self, SimError> {
        model.check(drive.capacity_bytes())?;
        let count = drive.capacity_bytes() / model.zone_bytes;
        let zone = |index: u64| {
            let (start, is_conventional) = (index * model.zone_bytes, index < u64::from(model.conventional));
            ZoneState {
                start,
                capacity: if is_conventional { model.zone_bytes } else { model.usable_bytes() },
                write_pointer: start,
                condition: if is_conventional { ZoneCondition::Conventional } else { ZoneCondition::Empty },
            }
        };
        Ok(ZonedDrive { drive, model: *model, zones: (0..count).map(zone).collect(), open: 0 })
    }

    fn zone(&mut self, offset: u64) -> Result<&mut ZoneState, ZoneRefusal> {
        let index = (offset / self.model.zone_bytes) as usize;
        self.zones.get_mut(index).ok_or(ZoneRefusal::BeyondTheZone)
    }

    /// Whether the drive does this I/O; a write then has moved the pointer of its zone.
    fn admit(&mut self, io: Io) -> Result<(), ZoneRefusal> {
        match io.kind {
            IoKind::Flush => Ok(()),
            IoKind::Read => self.admit_read(io),
            IoKind::Write => self.admit_write(io),
            IoKind::Trim => self.admit_trim(io),
        }
    }

    fn admit_read(&mut self, io: Io) -> Result<(), ZoneRefusal> {
        let (zone_bytes, answers) = (self.model.zone_bytes, self.model.reads_unwritten);
        let zone = self.zone(io.offset)?;
        let end = match zone.condition {
            ZoneCondition::Conventional => zone.start + zone_bytes,
            _ if answers => zone.start + zone_bytes,
            _ => zone.write_pointer,
        };
        if io.offset + io.length <= end { Ok(()) } else { Err(ZoneRefusal::BeyondThePointer) }
    }

    fn admit_write(&mut self, io: Io) -> Result<(), ZoneRefusal> {
        let model = self.model;
        let (open, zone) = (self.open, self.zone(io.offset)?);
        let end = io.offset + io.length;
        if end > zone.start + zone.capacity {
            return Err(ZoneRefusal::BeyondTheZone);
        }
        match zone.condition {
            ZoneCondition::Conventional => return Ok(()),
            ZoneCondition::Full => return Err(ZoneRefusal::NotAtThePointer),
            _ if io.offset != zone.write_pointer => return Err(ZoneRefusal::NotAtThePointer),
            ZoneCondition::Empty if model.is_full_at(open) => return Err(ZoneRefusal::TooManyOpen),
            ZoneCondition::Empty => {}
            ZoneCondition::Open => {}
        }
        let was_open = zone.condition == ZoneCondition::Open;
        zone.write_pointer = end;
        let is_full = end == zone.start + zone.capacity;
        zone.condition = if is_full { ZoneCondition::Full } else { ZoneCondition::Open };
        match (was_open, is_full) {
            (false, false) => self.open += 1,
            (true, true) => self.open -= 1,
            _ => {}
        }
        Ok(())
    }

    /// A trim of a whole sequential zone empties it.
    fn admit_trim(&mut self, io: Io) -> Result<(), ZoneRefusal> {
        let zone_bytes = self.model.zone_bytes;
        let zone = self.zone(io.offset)?;
        if zone.condition == ZoneCondition::Conventional {
            return Ok(());
        }
        if io.offset != zone.start || io.length != zone_bytes {
            return Err(ZoneRefusal::NotAZone);
        }
        self.change(io.offset, ZoneAction::Reset)
    }

    fn change(&mut self, offset: u64, action: ZoneAction) -> Result<(), ZoneRefusal> {
        let zone = self.zone(offset)?;
        if zone.condition == ZoneCondition::Conventional {
            return Err(ZoneRefusal::NotAZone);
        }
        let was_open = zone.condition == ZoneCondition::Open;
        match action {
            ZoneAction::Reset => (zone.write_pointer, zone.condition) = (zone.start, ZoneCondition::Empty),
            ZoneAction::Finish => {
                (zone.write_pointer, zone.condition) = (zone.start + zone.capacity, ZoneCondition::Full);
            }
        }
        self.open -= u32::from(was_open);
        Ok(())
    }
}

impl SimulatedDrive for ZonedDrive {
    fn capacity_bytes(&self) -> u64 {
        self.zones.len() as u64 * self.model.zone_bytes
    }

    fn submit(&mut self, now_ns: u64, tag: u64, io: Io) -> Submitted {
        match self.admit(io) {
            Ok(()) => self.drive.submit(now_ns, tag, io),
            Err(why) => Submitted::Refused(why),
        }
    }

    fn next_decision_ns(&self) -> Option<u64> {
        self.drive.next_decision_ns()
    }

    fn decide(&mut self, now_ns: u64, decided: &mut Vec<Decided>) {
        self.drive.decide(now_ns, decided);
    }

    fn counters(&self) -> DriveCounters {
        self.drive.counters()
    }

    fn unwritten_read_bytes(&self) -> u64 {
        self.drive.unwritten_read_bytes()
    }

    fn zones(&self) -> Option<ZoneReport<'_>> {
        let ZoneModel { zone_bytes, open_max, active_max, .. } = self.model;
        Some(ZoneReport { zone_bytes, open_max, active_max, zones: &self.zones })
    }

    fn change_zone(&mut self, offset: u64, action: ZoneAction) -> Result<(), ZoneRefusal> {
        self.change(offset, action)
    }
}
