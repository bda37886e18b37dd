//! Simulated drives: what a flash drive, a hard disk and an array answer, and when.
//!
//! A simulated drive keeps no data. It is given I/Os with the time at which each is submitted, and says when
//! each is complete. Times are integers of nanoseconds in virtual time. Nothing here reads a clock, a file or
//! a random device, so the same I/Os at the same times give the same completions everywhere. The crate uses
//! none of fathom's other types.
#![forbid(unsafe_code)]

mod array;
mod disk;
mod error;
mod flash;
mod forecast;
mod io;
mod model;
mod translation;
mod zoned;

pub use array::DriveArray;
pub use disk::HardDisk;
pub use error::SimError;
pub use flash::FlashDrive;
pub use forecast::{fifo_write_amplification, greedy_write_amplification};
pub use io::{
    Decided, DriveCounters, Io, IoKind, SimulatedDrive, Submitted, ZoneAction, ZoneCondition, ZoneRefusal,
    ZoneReport, ZoneState,
};
pub use model::{
    ArrayModel, DiskModel, DriveModel, FlashModel, HeatModel, MEMORY_BYTES_MAX, ModelRemark, NandModel,
    PRESETS, Redundancy, SlcFull, SlcModel, ZoneModel, ZonedModel, consumer, datacentre, disk, qlc, smr,
    thermal,
};
pub use translation::{Division, FlashSpace, FlashWork, Frontiers, PlacedBy, Translation, VictimChoice};
pub use zoned::ZonedDrive;
