//! Block devices: what they are called, who they are, and what stands on and
//! under them.

pub(crate) mod by_id;
mod graph;
mod identity;
mod number;
pub(crate) mod serial;

pub(crate) use identity::disks_named;

pub use graph::{Graph, Node, Relation};
pub use identity::{DiskKind, Identity, all_disks};
pub use number::{DevNumber, NotADevNumber};
