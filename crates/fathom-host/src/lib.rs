//! Reads the machine and guards every target that is opened.
//!
//! Two halves that never mix. The *readers* ([`device`], [`mounts`],
//! [`swaps`], [`openers`], [`signature`], [`target`], [`diskstat`],
//! [`snapshot`]) take a [`Root`] and return facts; they change nothing, and
//! what they cannot read is an [`Unknown`] with its path and reason. The
//! [`guard`] turns those facts into a verdict and is the only place that
//! hands out a descriptor that can write.
//!
//! The law of the guard: what holds mounts, swap, a running array or any
//! other user is never written, whatever was said; what holds data is
//! written only when the person at the keyboard names that very device by
//! something that does not move (serial, WWID, by-id name, backing path and
//! size). A job file carries no consent, so a job file alone can never
//! destroy what a device holds.

pub mod ask;
pub mod audit;
mod boot;
pub mod bounded;
pub mod calc;
pub mod capture;
pub mod cpus;
pub mod device;
pub mod diskstat;
pub mod glob;
mod goal;
pub mod guard;
pub mod kernel_use;
pub mod kernel_workers;
pub mod loops;
pub mod mounts;
pub mod nvme;
pub mod openers;
pub mod purge;
pub mod reserved;
mod root;
pub mod same_file;
mod sampling;
mod saved_path;
pub mod signals;
pub mod signature;
pub mod smbios;
pub mod snapshot;
pub mod swaps;
mod sys;
pub mod target;
pub mod topology;
pub mod tree;
pub mod tune;

pub use goal::{Goal, GoalError};
pub use root::{BESIDE, Root, Trace, Unknown, Why};
