//! From a model to a drive.

use crate::{DriveArray, DriveModel, FlashDrive, HardDisk, SimError, SimulatedDrive};

impl DriveModel {
    /// Makes the drive: new, without data, at time 0.
    ///
    /// # Errors
    /// The model contradicts itself, leaves too little, or takes too much memory.
    pub fn build(&self) -> Result<Box<dyn SimulatedDrive>, SimError> {
        self.check()?;
        Ok(match self {
            Self::Flash(model) => Box::new(FlashDrive::new(model)?),
            Self::Disk(model) => Box::new(HardDisk::new(model)?),
            Self::Array(model) => {
                let drives = (0..model.drives).map(|_| model.drive.build()).collect::<Result<_, _>>()?;
                Box::new(DriveArray::new(model, drives)?)
            }
        })
    }
}
