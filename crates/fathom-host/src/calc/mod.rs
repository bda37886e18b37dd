//! The sums that the guides do by hand, and what they got wrong.
//!
//! Every function here is pure: figures in, figures out, no file read. The
//! topology uses them for what it prints, `fathom calc` offers them one by
//! one, and [`slips`] says where a guide's own figure is not what its own
//! rule gives. The IDs (V-63, M-11, I-24) are rows of the contract with the
//! guides: `docs/guide-index.md`.

pub mod additivity;
pub mod affinity;
pub mod dma_delay;
pub mod fill;
pub mod generation;
pub mod link_register;
pub mod link_use;
pub mod overprovision;
pub mod packet;
pub mod pcie;
pub mod slips;
pub mod stripe;
