//! Drives that are pulled and plugged in again.

use crate::{Drive, wait_until};
use std::fs;
use std::path::PathBuf;

/// A drive's PCI function, and the port above it that finds it again.
pub struct Slot {
    function: PathBuf,
    port: PathBuf,
}

impl Slot {
    /// Where the drive is.
    pub fn of(drive: &Drive) -> Self {
        let function = drive.sysfs().join("device/device").canonicalize().unwrap();
        let port = function.parent().unwrap().to_owned();
        Self { function, port }
    }

    /// Takes the drive away, as when it is pulled.
    pub fn pull(&self) {
        fs::write(self.function.join("remove"), "1").unwrap();
        wait_until("the drive to go", || (!self.function.exists()).then_some(()));
    }

    /// Pulls it and finds it again.
    pub fn renew(&self, serial: &str) -> Drive {
        self.pull();
        self.plug(serial)
    }

    /// Finds the drive again.
    pub fn plug(&self, serial: &str) -> Drive {
        fs::write(self.port.join("rescan"), "1").unwrap();
        Drive::by_serial(serial)
    }
}
