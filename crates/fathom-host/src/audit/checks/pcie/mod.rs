//! The PCIe path from the CPU to the drive.

mod aer;
mod aspm;
mod chipset;
mod iommu;
pub(crate) mod mps;
pub(crate) mod mrrs;
mod oversub;
pub(crate) mod path_bw;
mod runtime_pm;
mod slot_name;
pub(crate) mod speed;
mod vmd;
mod way;
pub(crate) mod width;

use super::Check;

/// The checks of the family `pcie`.
pub(super) const CHECKS: &[Check] = &[
    width::CHECK,
    speed::CHECK,
    path_bw::CHECK,
    oversub::CHECK,
    chipset::CHECK,
    aspm::CHECK,
    runtime_pm::CHECK,
    aer::CHECK,
    mps::CHECK,
    mrrs::CHECK,
    vmd::CHECK,
    iommu::CHECK,
    slot_name::CHECK,
];
