//! What the machine has: devices and what they are stacked on, mounts, swap, open files, contents,
//! and what drives report about themselves.
//!
//! Everything is read below a [`Root`]: `/`, or a recorded machine. What cannot be
//! read is an [`Unknown`] with its path and the reason. Nothing here writes, and
//! nothing judges.

pub mod address;
pub mod ask;
pub mod bounded;
pub mod command_node;
pub mod counters;
pub mod cpus;
pub mod device;
pub mod diskstat;
pub mod glob;
mod goal;
pub mod inventory;
pub mod kernel_use;
pub mod kernel_workers;
pub mod loops;
pub mod memory_beneath;
pub mod mounts;
pub mod nvme;
pub mod openers;
pub mod root;
pub mod same_file;
pub mod sampler;
pub mod sampling;
pub mod saved_path;
pub mod signature;
pub mod swaps;
pub mod sys;
pub mod target;
pub mod threads;
pub mod tree;
pub mod zones;

pub use goal::{Goal, GoalError};
pub use root::{BESIDE, Root, Trace, Unknown, Why};
