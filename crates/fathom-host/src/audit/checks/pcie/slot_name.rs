//! `pcie.slot_name`: what is the name of the drive's slot?

use super::way::{each_end, show};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Pci};
use crate::topology::function::Function;

pub(super) const CHECK: Check = Check {
    id: "pcie.slot_name",
    title: "Name of the slot",
    reads: "/sys/bus/pci/slots/*/address, /sys/firmware/dmi/tables/DMI (SMBIOS type 9)",
    why: "The kernel numbers drives in the order of discovery, so nvme3 may be another drive after a reboot. The name \
          that is printed next to the slot helps to find the drive in the machine; firmware and hot-plug drivers \
          mostly know it. Report it with every figure, and with every advice to move or reseat a drive.",
    judged: "A remark with the name, where one is known. Firmware fills its table at power-on and may be wrong, so the \
             bus address is shown too.",
    remedy: "Nothing needs to be done. Only root may read the firmware's table; where neither source has the name, \
             note the serial number (fathom topology shows it) and look at the label on the drive.",
    needs: Needs::Nothing,
    kernels: "all; hot-plug drivers or SMBIOS 2.6 and later",
    sources: &["M-3", "M-4", "M-10", "H-10"],
    observe: Observe::Once(|scene| each_end(scene, one)),
};

fn one(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let label = pci.bus.up_from(end.address).find_map(|function| function.slot.as_ref());
    let seen = Observation::on(&disk.name);
    match (label, &pci.slots_unknown) {
        (Some(label), _) => {
            let name = label.value.as_deref().unwrap_or_default();
            Ok(show(seen, label).info(format!("slot {name:?}, at {}", end.address)))
        }
        (None, Some(unknown)) => Err(unknown.clone()),
        (None, None) => Ok(seen.not_applicable("the firmware has no name for its slot")),
    }
}
