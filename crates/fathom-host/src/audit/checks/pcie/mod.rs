//! The PCIe path from the CPU to the drive.

pub(crate) mod link;
mod platform;
mod way;

use super::Family;
use crate::audit::Observe::{Several, Watch};
use way::{each_end, each_hop};

/// The checks of the family `pcie`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("pcie.width", Several(|scene| each_hop(scene, |_, hop| link::width(hop)))),
        ("pcie.speed", Several(|scene| each_hop(scene, link::speed))),
        ("pcie.path_bw", Several(|scene| each_end(scene, link::path_bw))),
        ("pcie.oversub", Several(link::oversub)),
        ("pcie.chipset", Several(platform::chipset)),
        ("pcie.aspm", Several(|scene| each_hop(scene, platform::aspm))),
        ("pcie.runtime_pm", Several(platform::runtime_pm)),
        ("pcie.aer", Watch(platform::COUNTERS, &Several(platform::aer))),
        ("pcie.mps", Several(|scene| each_end(scene, link::mps))),
        ("pcie.mrrs", Several(|scene| each_end(scene, |disk, end, _| link::mrrs(scene, disk, end)))),
        ("pcie.vmd", Several(platform::vmd)),
        ("pcie.iommu", Several(platform::iommu)),
        ("pcie.slot_name", Several(|scene| each_end(scene, platform::slot_name))),
    ],
);
