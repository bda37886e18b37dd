//! Simulated drives that the workers of a run share, and that stay as they are from run to run of a procedure.
//!
//! Virtual time begins at zero in each run, and the time of a drive goes on: a run begins when the last one has ended.

use crate::target::{DriveInUse, OpenHow, OpenTarget, SharedDrive, TargetSource, locked};
use fathom_job::plan::simulated_model;
use fathom_sim::SimError;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The simulated drives of a run or a procedure, by name. A drive is made when it is first used.
#[derive(Default)]
pub struct SimulatedDrives {
    drives: Mutex<BTreeMap<String, SharedDrive>>,
}

impl SimulatedDrives {
    /// A run begins: no I/O is in flight, and virtual time begins at zero.
    pub fn begin_run(&self) {
        self.all().values().for_each(|drive| locked(drive).begin_run());
    }

    /// Makes the drive of this name as if it had never been written: the next use builds it again.
    pub fn purge(&self, name: &str) {
        self.all().remove(name);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, SharedDrive>> {
        self.drives.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TargetSource for SimulatedDrives {
    fn open(&self, path: &str, _how: OpenHow) -> io::Result<OpenTarget> {
        let message = format!("{path}: a run in virtual time has no files");
        Err(io::Error::new(io::ErrorKind::NotFound, message))
    }

    fn unlink(&self, _path: &str) -> io::Result<()> {
        Ok(())
    }

    fn simulated(&self, name: &str) -> io::Result<SharedDrive> {
        if let Some(drive) = self.all().get(name) {
            return Ok(Arc::clone(drive));
        }
        let cannot = |why: SimError| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{name} cannot be simulated: {why}"))
        };
        let not_one = || io::Error::new(io::ErrorKind::InvalidInput, format!("{name} is no simulated drive"));
        let model = simulated_model(name).ok_or_else(not_one)?.map_err(cannot)?;
        let drive = Arc::new(Mutex::new(DriveInUse::new(model.build().map_err(cannot)?)));
        self.all().insert(name.to_owned(), Arc::clone(&drive));
        Ok(drive)
    }
}
