//! Everything about the host: the audit, the map from targets to processors, the list of
//! what could be measured, the snapshot of the host that a run keeps, captures of machines, saved printouts of other
//! programs, and the calculators of the guides.
//!
//! It reads through `fathom_device`, below a root that is a parameter. Nothing here
//! writes. From the guard it uses only the inspection of a device and its rules, for
//! the checks of the family `safe` and for the list.

#![forbid(unsafe_code)]

pub mod audit;
pub mod calc;
pub mod capture;
pub mod cgroup;
pub mod devices;
pub mod printout;
pub mod smbios;
pub mod snapshot;
mod texts;
pub mod topology;
