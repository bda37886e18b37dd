//! The calculations that the guides do by hand, and the errors in them.
//!
//! Every function here is pure and reads no file. The topology uses them for
//! its output, `fathom calc` offers them as commands, and [`slips`] lists the
//! figures of guides that do not follow from their own rules. The IDs (V-63,
//! M-11, I-24) are rows of the contract with the guides: `docs/guide-index.md`.

pub mod additivity;
pub mod affinity;
pub mod dma_delay;
pub mod document;
pub mod fill;
pub mod link_use;
pub mod overprovision;
pub mod pcie;
pub mod raid;
pub mod slips;
pub mod stripe;
