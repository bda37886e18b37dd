//! `pcie.vmd`: is the drive behind Intel's Volume Management Device?

use super::way::no_link;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, each, leaf};
use crate::topology::address::Address;

pub(super) const CHECK: Check = Check {
    id: "pcie.vmd",
    title: "Intel Volume Management Device (VMD)",
    reads: "/sys/bus/pci/devices/BDF/driver of every function on the path; the PCI domain",
    why: "VMD is a function of Intel's CPUs that takes PCIe ports over and shows the drives behind them in a PCI \
          domain of its own. It is needed for Intel's RAID (VROC) and for hot-plug with LEDs. The interrupts of the \
          drives then arrive as interrupts of the VMD, and its driver passes them on, so several queues share a \
          vector, and the usual files about interrupts say less.",
    judged: "A remark if the drive is behind a VMD; ok if it is not. It is neither wrong nor slow by itself, but two \
             machines that differ in it cannot be compared.",
    remedy: "Leave it, or switch VMD off for that port in the BIOS if no VROC array needs it (the array would \
             disappear). The kernel's own vmd driver supports it; the boot parameter that disabled this driver in \
             favour of a vendor's is out of date.",
    needs: Needs::Firmware,
    kernels: "4.5 and later",
    sources: &["I-8", "I-11"],
    observe: Observe::Once(|scene| {
        let disks = scene.disks.iter().filter(|disk| !disk.ways.is_empty());
        each(disks, || no_link(scene), |disk| disk.name.clone(), |disk| one(scene, disk))
    }),
};

/// Domains from here on are made by drivers (drivers/pci/controller/vmd.c).
const DOMAIN_FIRST: u32 = 0x10000;

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let mut seen = Observation::on(&disk.name);
    let mut unread = None;
    for dir in disk.functions() {
        let path = dir.join("driver");
        match scene.root.link_name(&path) {
            Ok(driver) => {
                seen = seen.with(&path, &driver);
                if driver == "vmd" {
                    return Ok(seen.info(format!("behind the VMD {}", leaf(dir))));
                }
            }
            Err(unknown) => unread = Some(unknown),
        }
    }
    let mut addresses = disk.functions().iter().filter_map(|dir| Address::all_in(dir).last().copied());
    if let Some(made) = addresses.rfind(|address| address.domain >= DOMAIN_FIRST) {
        return Ok(seen.info(format!("in the PCI domain {:x}, which a driver such as VMD made", made.domain)));
    }
    match unread {
        Some(unknown) => Err(unknown),
        None => Ok(seen.ok("no VMD on the path")),
    }
}
