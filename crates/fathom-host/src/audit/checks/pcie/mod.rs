//! The PCIe path from the CPU to the drive.

pub(crate) mod link;
mod platform;

use std::collections::BTreeSet;

use crate::audit::checks::prelude::*;
use crate::audit::{Evidence, Pci};
use crate::topology::address::Address;
use crate::topology::fact::Reading;
use crate::topology::function::Function;
use crate::topology::link::Link;

/// The checks of the family `pcie`.
pub(super) const FAMILY: Family = (
    include_str!("../pcie.toml"),
    &[
        ("pcie.width", All("host", |scene| each_hop(scene, |_, hop| link::width(hop)))),
        ("pcie.speed", All("host", |scene| each_hop(scene, link::speed))),
        ("pcie.path_bw", All("host", |scene| each_end(scene, link::path_bw))),
        ("pcie.oversub", All("host", |scene| each_hop(scene, link::oversub))),
        ("pcie.chipset", All("host", platform::chipset)),
        ("pcie.aspm", All("host", |scene| each_hop(scene, platform::aspm))),
        ("pcie.runtime_pm", Several(platform::runtime_pm)),
        ("pcie.aer", Watch(platform::COUNTERS, &Several(platform::aer))),
        ("pcie.mps", All("host", |scene| each_end(scene, link::mps))),
        ("pcie.mrrs", All("host", |scene| each_end(scene, |disk, end, _| link::mrrs(scene, disk, end)))),
        ("pcie.vmd", Several(platform::vmd)),
        ("pcie.iommu", Several(platform::iommu)),
        ("pcie.slot_name", All("host", |scene| each_end(scene, platform::slot_name))),
    ],
);

// The path of the targets' data through PCIe, which the checks of this family
// share.

/// A link on the path, with the function at its lower end.
struct Hop<'a> {
    /// The function at the lower end.
    pub function: &'a Function,
    /// The link above it.
    pub link: &'a Link,
    /// The disks whose data passes the link.
    pub disks: Vec<&'a Disk>,
    /// Whether the function is a drive's own.
    pub is_end: bool,
}

impl Hop<'_> {
    /// The drive, with the address for one of several ways to it, or the address of a port of a
    /// switch.
    pub fn subject(&self) -> String {
        let has_several = self.disks.iter().any(|disk| disk.ways.len() > 1);
        match (self.is_end, has_several) {
            (true, false) => self.names(),
            (true, true) => format!("{} ({})", self.names(), self.function.address),
            (false, _) => self.function.address.to_string(),
        }
    }

    /// The disks' names.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.disks.iter().map(|disk| disk.name.as_str()).collect();
        names.join(", ")
    }
}

/// Every link on the path to the disks, each once.
fn hops<'a>(scene: &'a Scene<'_>, pci: &'a Pci) -> Vec<Hop<'a>> {
    let mut hops: Vec<Hop<'a>> = Vec::new();
    for (disk, end) in ends(scene) {
        for function in pci.bus.up_from(end) {
            let Some(link) = &function.link else { continue };
            match hops.iter_mut().find(|hop| hop.function.address == function.address) {
                Some(hop) if hop.disks.last() == Some(&disk) => {}
                Some(hop) => hop.disks.push(disk),
                None => hops.push(Hop { function, link, disks: vec![disk], is_end: function.address == end }),
            }
        }
    }
    hops
}

/// Every disk with each of its own functions: a drive with several ports is there once for each.
fn ends<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = (&'a Disk, Address)> {
    scene.disks.iter().flat_map(|disk| disk.ends().into_iter().map(move |end| (disk, end)))
}

/// One observation for each link on the path.
fn each_hop(scene: &Scene<'_>, one: impl Fn(&Scene<'_>, &Hop<'_>) -> Observed) -> ObservedAll {
    Ok(each(hops(scene, scene.pci()?), || no_link(scene), Hop::subject, |hop| one(scene, hop)))
}

/// The directory of every function on the path, each once: ports and drives,
/// the ports first.
fn functions(scene: &Scene<'_>) -> BTreeSet<PathBuf> {
    scene.disks.iter().flat_map(|disk| disk.ways.iter().flatten().cloned()).collect()
}

/// One observation for each disk on PCI and each of its own functions.
fn each_end(scene: &Scene<'_>, one: impl Fn(&Disk, &Function, &Pci) -> Observed) -> ObservedAll {
    let pci = scene.pci()?;
    let ends = ends(scene).filter_map(|(disk, end)| Some((disk, pci.bus.functions.get(&end)?)));
    Ok(each(ends, || no_link(scene), |(disk, _)| disk.name.clone(), |(disk, end)| one(disk, end, pci)))
}

/// The observation that no disk has a PCIe link, with the reason.
fn no_link(scene: &Scene<'_>) -> Observation {
    Observation::on("host").not_applicable(match scene.disks.as_slice() {
        [] => "there is no disk below the target",
        disks if disks.iter().all(|disk| disk.ways.is_empty()) => "the disks below the target are not on PCI",
        _ => {
            "no PCIe link leads to the disks: their controller is part of the chipset or of a virtual machine"
        }
    })
}

/// The value, or why there is none.
fn known<T: Clone>(fact: &Reading<T>) -> Result<T, Unknown> {
    fact.value.clone().ok_or_else(|| unknown(fact))
}

fn unknown<T>(fact: &Reading<T>) -> Unknown {
    let reason = fact.reason.clone().unwrap_or_default();
    Unknown { path: fact.path.clone(), reason, why: fact.why.unwrap_or(Why::Failed) }
}

/// Adds a fact, known or not, as evidence.
fn show<T>(mut observation: Observation, fact: &Reading<T>) -> Observation {
    observation.evidence.push(match &fact.raw {
        Some(raw) => Evidence::read(&fact.path, raw),
        None => unknown(fact).into(),
    });
    observation
}
