//! Models: what a simulated drive is made of, before it is made.

mod array;
mod check;
mod disk;
mod flash;
mod preset;
mod remarks;
mod text;
mod zones;

pub use array::{ArrayModel, Redundancy};
pub use disk::{DiskModel, disk};
pub use flash::{FlashModel, HeatModel, NandModel, SlcFull, SlcModel};
pub use preset::{MEMORY_BYTES_MAX, consumer, datacentre, qlc, thermal};
pub use remarks::ModelRemark;
pub use text::PRESETS;
pub use zones::{ZoneModel, ZonedModel, smr};

use crate::{DriveArray, FlashDrive, HardDisk, SimError, SimulatedDrive, ZonedDrive};

/// Everything that can be simulated.
#[derive(Debug, Clone, PartialEq)]
pub enum DriveModel {
    /// A flash drive.
    Flash(Box<FlashModel>),
    /// A hard disk.
    Disk(DiskModel),
    /// A hard disk with zones that are written in order.
    Zoned(ZonedModel),
    /// Several of the same.
    Array(ArrayModel),
}

impl DriveModel {
    /// Whether the drive can be made, before memory is taken.
    ///
    /// # Errors
    /// The model contradicts itself, leaves too little, or takes too much memory.
    pub fn check(&self) -> Result<(), SimError> {
        match self {
            Self::Flash(model) => model.space().map(|_| ()),
            Self::Disk(model) => model.check(),
            Self::Zoned(model) => model.check(),
            Self::Array(model) => {
                model.check()?;
                if matches!(*model.drive, Self::Zoned(_)) {
                    let text = "an array of zoned drives is not simulated".to_owned();
                    return Err(SimError::Contradiction { text });
                }
                model.drive.check()?;
                let needed_bytes = model.drive.memory_bytes()?.saturating_mul(u64::from(model.drives));
                if needed_bytes > model.drive.memory_bytes_max() {
                    return Err(SimError::NoMemory { needed_bytes });
                }
                Ok(())
            }
        }
    }

    /// Bytes that the drive has for data: 1/scale of a whole one, in whole units; of an array, in whole chunks.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn capacity_bytes(&self) -> Result<u64, SimError> {
        Ok(match self {
            Self::Flash(model) => u64::from(model.space()?.units()) * u64::from(model.unit_bytes),
            Self::Disk(model) => model.capacity_bytes,
            Self::Zoned(model) => model.capacity_bytes(),
            Self::Array(model) => model.capacity_of(model.drive.capacity_bytes()?),
        })
    }

    /// It is one of so many equal parts of a whole drive; of an array, each of its drives is.
    pub fn scale(&self) -> u32 {
        match self {
            Self::Flash(model) => model.scale,
            Self::Disk(_) | Self::Zoned(_) => 1,
            Self::Array(model) => model.drive.scale(),
        }
    }

    /// Bytes of memory that the drive takes.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn memory_bytes(&self) -> Result<u64, SimError> {
        match self {
            Self::Flash(model) => model.space().map(|space| space.memory_bytes()),
            Self::Disk(_) | Self::Zoned(_) => Ok(0),
            Self::Array(model) => Ok(model.drive.memory_bytes()?.saturating_mul(u64::from(model.drives))),
        }
    }

    /// What a plan must say of the drive.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn remarks(&self) -> Result<Vec<ModelRemark>, SimError> {
        match self {
            Self::Flash(model) => model.remarks(),
            Self::Disk(_) | Self::Zoned(_) => Ok(Vec::new()),
            Self::Array(model) => model.drive.remarks(),
        }
    }

    /// Bytes of memory that the drive may take: [`MEMORY_BYTES_MAX`], unless `memory=` says otherwise; 0 for a hard disk, which
    /// keeps no map.
    pub fn memory_bytes_max(&self) -> u64 {
        match self {
            Self::Flash(model) => model.memory_bytes_max,
            Self::Disk(_) | Self::Zoned(_) => 0,
            Self::Array(model) => model.drive.memory_bytes_max(),
        }
    }
}

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
            Self::Zoned(model) => {
                Box::new(ZonedDrive::new(&model.zones, Box::new(HardDisk::new(&model.disk)?))?)
            }
            Self::Array(model) => {
                let drives = (0..model.drives).map(|_| model.drive.build()).collect::<Result<_, _>>()?;
                Box::new(DriveArray::new(model, drives)?)
            }
        })
    }
}
