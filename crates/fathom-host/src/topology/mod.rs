//! The path of the data: target, block stack, drive, PCI Express hops, NUMA
//! node, with need and capacity at every link.
//!
//! The map is made in steps: names of slots, the [`bus`] with its [`function`]s and [`link`]s, [`block`] devices and the arrays
//! made of them, the load of every link, and last the [`flags`]. Printing ([`text`], [`svg`]) and JSON (serde) use the finished
//! map and read nothing.
//!
//! Everything works without root. [`Complete::missing`] lists what only root
//! can read.

pub use fathom_device::address;
pub mod block;
pub mod bus;
pub mod fact;
pub mod flags;
pub mod function;
pub mod link;
pub mod map;
pub mod svg;
pub mod text;

pub use map::{Complete, MapError, MapRequest, SCHEMA, Topology};
