//! Zones of `zonemode=zbd`: a table for each target of a run, which all of its jobs share (docs/adr/0028).

mod claims;
mod device;
mod report;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod zone;

pub use claims::Claims;
pub(crate) use device::reset_zone;
pub use report::table;
pub use table::ZoneTable;
pub use target::ZoneTarget;
pub use zone::{Placing, Terms};

use crate::target::OpenTarget;
use fathom_job::plan::PlannedFile;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The zones of a target, which several workers use.
pub type SharedZones = Arc<Mutex<ZoneTable>>;

/// Uses the table.
pub fn locked(zones: &SharedZones) -> MutexGuard<'_, ZoneTable> {
    zones.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What has zones, however a job names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ZonePlace {
    /// The number of a block device.
    Device(u64),
    /// Device and inode of a file.
    File(u64, u64),
    /// The name of a simulated drive.
    Simulated(String),
}

impl ZonePlace {
    /// That of a file of a job, which is open unless it is simulated.
    ///
    /// # Errors
    /// The kernel does not say what it is.
    pub fn of(file: &PlannedFile, open: Option<&OpenTarget>) -> io::Result<ZonePlace> {
        let Some(open) = open else { return Ok(ZonePlace::Simulated(file.path.clone())) };
        let stat = rustix::fs::fstat(&open.fd)?;
        Ok(match open.is_block {
            true => ZonePlace::Device(stat.st_rdev),
            false => ZonePlace::File(stat.st_dev, stat.st_ino),
        })
    }
}

/// The tables of a run. A table is made for the first job that uses the target.
#[derive(Debug, Default)]
pub struct ZoneTables {
    tables: Mutex<BTreeMap<ZonePlace, SharedZones>>,
}

impl ZoneTables {
    /// The table of this target.
    ///
    /// # Errors
    /// As `make`.
    pub fn of<E>(
        &self,
        target: ZonePlace,
        make: impl FnOnce() -> Result<ZoneTable, E>,
    ) -> Result<SharedZones, E> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(&target) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Mutex::new(make()?));
        tables.insert(target, Arc::clone(&table));
        Ok(table)
    }
}
