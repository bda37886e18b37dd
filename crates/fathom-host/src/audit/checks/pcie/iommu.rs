//! `pcie.iommu`: does the IOMMU flush its cache after each I/O?

use std::path::Path;

use super::way::no_link;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene, each};
use fathom_device::Goal::Iops;
use fathom_device::root::{Unknown, Why};

const GROUPS: &str = "/sys/kernel/iommu_groups";

pub(super) const CHECK: Check = Check {
    id: "pcie.iommu",
    title: "Translation of DMA by the IOMMU",
    reads: "/sys/bus/pci/devices/BDF/iommu_group, /sys/kernel/iommu_groups/G/type",
    why: "The IOMMU (the memory management unit for I/O) is between drive and memory and translates the addresses of \
          each transfer, so that a device cannot write where it should not. Every I/O maps its buffer and unmaps it \
          again. In strict mode (DMA) the hardware's cache of translations is flushed with every unmapping, which can \
          become the limit where many CPUs send small I/Os. DMA-FQ (flush queue) collects the flushes; identity does \
          not translate at all.",
    judged: "DMA (strict) warns for IOPS. DMA-FQ, identity, and no IOMMU in use are ok. Kernels before 5.15 call \
             both modes DMA, so there it is a remark.",
    remedy: "Strict mode protects against hostile devices; weigh that first. Since 5.15 one group can be changed while \
             its driver runs: echo DMA-FQ > /sys/kernel/iommu_groups/G/type. Permanently: the boot parameter \
             iommu.strict=0. identity (iommu=pt) needs a reboot or a detached driver.",
    needs: Needs::Administrator,
    kernels: "type: 5.11 and later; DMA-FQ: 5.15",
    sources: &["Documentation/ABI/testing/sysfs-kernel-iommu_groups"],
    observe: Observe::Once(|scene| {
        let ends = scene.disks.iter().filter_map(|disk| Some((disk, disk.function()?)));
        each(ends, || no_link(scene), |(disk, _)| disk.name.clone(), |(disk, end)| one(scene, disk, end))
    }),
};

fn one(scene: &Scene<'_>, disk: &Disk, end: &Path) -> Observed {
    let link = end.join("iommu_group");
    let group = match scene.root.link_name(&link) {
        Err(unknown) if unknown.why == Why::Missing => return without_group(scene, disk),
        group => group?,
    };
    let raw = scene.read(format!("{GROUPS}/{group}/type"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match raw.text.as_str() {
        "DMA-FQ" => seen.ok("DMA-FQ: translations are flushed together"),
        "identity" => seen.ok("identity: addresses are not translated"),
        "DMA" => strict(scene, seen),
        "auto" | "blocked" | "unmanaged" | "unknown" => {
            seen.info(format!("the group's type is {}", raw.text))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}

fn strict(scene: &Scene<'_>, seen: Observation) -> Observation {
    let release = scene.read("/proc/sys/kernel/osrelease");
    match release {
        Ok(Raw { path, text }) if version(&text).is_some_and(|version| version < (5, 15)) => {
            seen.with(path, text).info("DMA; this kernel does not report whether flushes are collected")
        }
        _ => seen.warn_for(&[Iops], "DMA, the strict mode: translations are flushed after each I/O"),
    }
}

/// Major and minor of `6.12.0-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// If a function is in no group and the kernel has groups, the IOMMU does not
/// translate for it.
fn without_group(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let groups = scene.root.list(GROUPS)?;
    let seen = Observation::on(&disk.name).with(GROUPS, groups.join(" "));
    Ok(match groups.as_slice() {
        [] => seen.ok("no IOMMU is in use"),
        _ => seen.ok("the IOMMU does not translate for it"),
    })
}
