//! md arrays: made of devices that the guard admitted, and taken apart again (docs/adr/0020).
//!
//! ```text
//! members ─plan─► what would be lost ─consent─► guard admits all ─► record ─► mdadm ─► looked up in the kernel
//! ```
//! The guard holds every member until the moment before mdadm starts, because mdadm claims the members
//! itself. Their descriptors and the locks against udev stay with fathom, and mdadm opens the members
//! through these descriptors, so that no name is looked up a second time.
//!
//! An array with the metadata of Intel's firmware is a volume in a container of the same members: mdadm makes, and stops, the
//! one after the other.
//!
//! Only an array that fathom made is taken apart. Its record is no consent: a person names the array.

mod create;
mod error;
mod kernel;
mod mdadm;
mod metadata;
mod plan;
mod record;
mod remove;
mod superblock;

pub use create::{MadeArray, check, create};
pub use error::ArrayError;
pub(crate) use kernel::container_of;
pub use mdadm::commands;
pub use metadata::{ArrayLevel, ArrayMetadata};
pub use plan::{ArrayPlan, ArraySpec, plan};
pub use record::{ArrayRecord, ArrayRecords};
pub use remove::{RemovalPlan, check_removal, plan_removal, remove};
