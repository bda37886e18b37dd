//! Zones of `zonemode=zbd`: a table for each target of a run, which all of its jobs share (docs/adr/0028).

mod claims;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod zone;

pub use claims::Claims;
pub use table::ZoneTable;
pub use target::ZoneTarget;
pub use zone::{Placing, Terms, Zone};

use crate::target::{SharedDrive, locked as locked_drive};
use fathom_sim::{ZoneCondition, ZoneState};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The zones of a target, which several workers use.
pub type SharedZones = Arc<Mutex<ZoneTable>>;

/// Uses the table.
pub fn locked(zones: &SharedZones) -> MutexGuard<'_, ZoneTable> {
    zones.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tables of a run, by the name of the target. A table is made for the first job that uses the target.
#[derive(Debug, Default)]
pub struct ZoneTables {
    tables: Mutex<BTreeMap<String, SharedZones>>,
}

impl ZoneTables {
    /// The table of this target.
    ///
    /// # Errors
    /// As `make`.
    pub fn of<E>(&self, target: &str, make: impl FnOnce() -> Result<ZoneTable, E>) -> Result<SharedZones, E> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(target) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Mutex::new(make()?));
        tables.insert(target.to_owned(), Arc::clone(&table));
        Ok(table)
    }
}

/// The table of a simulated drive; `None` if it has no zones.
pub fn table_of(drive: &SharedDrive) -> Option<ZoneTable> {
    let drive = locked_drive(drive);
    let report = drive.zones()?;
    let zone = |zone: &ZoneState| match zone.condition {
        ZoneCondition::Conventional => Zone::conventional(zone.start, zone.capacity),
        ZoneCondition::Empty | ZoneCondition::Open | ZoneCondition::Full => {
            Zone::sequential(zone.start, zone.capacity, zone.write_pointer)
        }
    };
    let limits = [report.open_max, report.active_max].into_iter().filter(|most| *most > 0);
    let open_max = limits.min().unwrap_or(0);
    Some(ZoneTable::new(report.zone_bytes, report.zones.iter().map(zone).collect(), open_max))
}
