//! What is below a target: target → block devices → disks → controllers → PCI functions.
//!
//! The audit, the tuning, the map and the snapshot all ask here. So they mean the same disks where
//! a user names the same target.
//!
//! [`Standing`] leads from a path to block devices, [`Graph`](crate::device::Graph) from a block
//! device to what it is made of, and [`Disk`] from a disk to its controllers and PCI functions. A
//! loop device over a file ends the way down: the file's disk holds the data of others too, so
//! only a reader that wants it asks for the standing of that file.

mod controllers;
mod disk;
mod node;
pub mod property;
mod standing;

pub use disk::Disk;
pub use node::{Near, near_cpus};
pub use standing::Standing;
