//! Judges and draws the machine: the audit, the map from targets to processors, what a
//! run keeps about its host, recorded machines, and the guides' calculators.
//!
//! What is read comes from `fathom_device`, below a root that is a parameter. Nothing
//! here writes. Of the guard only its look at a device is used, for the checks of the
//! family `safe`.

#![forbid(unsafe_code)]

pub mod audit;
pub mod calc;
pub mod capture;
pub mod smbios;
pub mod snapshot;
pub mod topology;
