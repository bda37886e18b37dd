//! Block devices: their names, their identity, and the devices above and below them.

pub mod by_id;
mod graph;
mod identity;
mod number;
pub mod serial;

pub use graph::{Graph, Node, Relation};
pub use identity::{DiskKind, Identity, all_disks, disks_named};
pub use number::{DevNumber, NotADevNumber};
