//! `blk.rotational`: does the kernel treat the drive as a hard disk?

use super::setting::setting;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::device::DiskKind;

pub(super) const CHECK: Check = Check {
    id: "blk.rotational",
    title: "Whether the kernel treats the disk as a hard disk",
    reads: "/sys/block/D/queue/rotational; /sys/block/D/device/vendor, model",
    why: "The flag chooses defaults all over the kernel: the scheduler, writeback throttling (75 ms against 2 ms), how \
          a file system lays out its blocks, how swap is used. A virtual disk often says that it spins although flash \
          is behind it, and then the defaults suit a hard disk and not the flash.",
    judged: "0 is ok. 1 warns for every goal on NVMe, on disks that a hypervisor made, and on devices in memory; on a \
             SCSI or SATA disk it is a remark, because it may be true, and a warning where the vendor's name is that \
             of a hypervisor.",
    remedy: "fathom run --tune --tune-knob blk.rotational, or echo 0 > /sys/block/D/queue/rotational. Then choose the \
             scheduler again: the kernel does not do it by itself. Where a real hard disk is behind it, leave it (NVMe \
             hard disks say so since 6.13).",
    needs: Needs::NamedKnob("blk.rotational"),
    kernels: "2.6.29 and later",
    sources: &["Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

/// Vendors and models by which hypervisors name their SCSI disks.
const HYPERVISORS: [&str; 7] = ["QEMU", "VMware", "Msft", "VBOX", "Virtual", "Google", "Nutanix"];

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "rotational", 1)?;
    let seen = Observation::on(&disk.name).show(&raw);
    if value == 0 {
        return Ok(seen.ok("the kernel treats it as solid-state"));
    }
    Ok(match (disk.kind, hypervisor(scene, disk)) {
        (_, Some(name)) => {
            seen.warn(format!("the kernel treats it as a hard disk, but it is a virtual disk of {name}"))
        }
        (DiskKind::Paravirtual, None) => {
            seen.warn("the kernel treats it as a hard disk, but it is a virtual disk")
        }
        (DiskKind::Nvme | DiskKind::Pmem | DiskKind::Ram | DiskKind::Null, None) => {
            seen.warn("the kernel treats it as a hard disk, which it is most probably not")
        }
        _ => seen.info("the kernel treats it as a hard disk"),
    })
}

/// The hypervisor whose name the vendor or model of a SCSI disk contains.
pub(super) fn hypervisor(scene: &Scene<'_>, disk: &Disk) -> Option<&'static str> {
    let vendor = scene.read(disk.sys_dir.join("device/vendor")).map(|raw| raw.text);
    let name = format!("{} {}", vendor.unwrap_or_default(), disk.model(scene.root).unwrap_or_default());
    HYPERVISORS.into_iter().find(|hypervisor| name.contains(hypervisor))
}
