//! `pcie.mps`: do packets carry as much as all ports on the path can take?

use super::way::{each_end, known, show};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Pci};
use crate::calc::packet::{LinkDirection, efficiency};
use crate::calc::pcie::Generation;
use crate::topology::function::Function;
use crate::topology::role::Role;
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "pcie.mps",
    title: "Payload of the PCIe packets (MPS)",
    reads: "/sys/bus/pci/devices/BDF/config: Device Capabilities 2:0, Device Control 7:5, of every function on the \
            path",
    why: "Data crosses PCIe in packets, each with 20 to 24 bytes of overhead. With 128 bytes of payload 84 % of a Gen3 \
          link is data, with 256 bytes 91 %, with 512 bytes 95 %. All functions on a path must be able to take the \
          size, and firmware often leaves them at 128 although they can take more.",
    judged: "Warns for bandwidth if the drive's payload is smaller than what all functions on its path can take, and \
             reports the possible gain. Only root may read these registers.",
    remedy: "The boot parameter pci=pcie_bus_perf lets the kernel set the largest sizes. It is risky: it also limits \
             read requests to that size, can break transfers between devices, and may not work with a device that is \
             added later. Many BIOSes have \"Max Payload Size\" as well. The gain is a few per cent at most: try it on \
             a machine that you can restart.",
    needs: Needs::Reboot,
    kernels: "pci=pcie_bus_perf: 3.2 and later",
    sources: &["I-10", "PCI Express Base Specification 5.0, 7.5.3"],
    observe: Observe::Once(|scene| each_end(scene, one)),
};

fn one(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let seen = Observation::on(&disk.name);
    let Some(link) = &end.link else {
        return Ok(seen.not_applicable("no PCIe link leads to its controller"));
    };
    let now = known(&end.payload_bytes)?;
    let mut could = known(&end.payload_capable_bytes)?;
    let mut seen = show(show(seen, &end.payload_bytes), &end.payload_capable_bytes);
    // VMD is not a hop: it only gives new names to the functions that it hides.
    for function in pci.bus.up_from(end.address).skip(1).filter(|function| function.role != Role::Nest) {
        could = could.min(known(&function.payload_capable_bytes)?);
        seen = show(seen, &function.payload_capable_bytes);
    }
    if now >= could {
        return Ok(fits(seen, now));
    }
    Ok(gap(seen, known(&link.current.speed)?, now, could))
}

/// The payload is the most that the path can take.
pub(crate) fn fits(seen: Observation, now: u32) -> Observation {
    seen.ok(format!("{now} bytes, the most that the path can take"))
}

/// The payload of `now` bytes is less than the `could` bytes that every
/// function on the way can take.
pub(crate) fn gap(seen: Observation, generation: Generation, now: u32, could: u32) -> Observation {
    let share = |bytes| efficiency(generation, bytes, LinkDirection::DeviceToHost);
    let gain = (share(could) / share(now) - 1.0) * 100.0;
    seen.warn_for(&[Bandwidth], format!("packets carry {now} bytes, the whole path could take {could}: {gain:.1} % more data on a full link"))
}
