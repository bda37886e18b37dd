//! Block devices: what they are called, who they are, and what stands on and
//! under them.

mod graph;
mod identity;
mod number;
pub(crate) mod serial;

pub use graph::{Graph, Node, Relation};
pub use identity::{DiskKind, Identity, all_disks};
pub use number::{DevNumber, NotADevNumber};
