//! `pcie.chipset`: is the drive connected to the chipset instead of the CPU?

use super::way::{each_end, known, show};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Pci, Scene};
use crate::topology::function::Function;
use crate::topology::role::FunctionKind;
use fathom_device::Goal::{Bandwidth, Latency, Repeatability};

pub(super) const CHECK: Check = Check {
    id: "pcie.chipset",
    title: "Drives behind the chipset",
    reads: "/sys/bus/pci/devices/BDF/{vendor,device,class} up to the CPU; /proc/cpuinfo",
    why: "Some slots and M.2 sockets are connected to the chipset (south bridge, PCH). All of them, and SATA, USB and \
          network of the board, share one link between chipset and CPU, which is as wide as four to eight lanes. This \
          link adds latency, and other devices use it too. On Intel it is not a PCI link: no tool can read its width \
          or load, so a sum of the visible links looks fine.",
    judged: "A PCIe drive behind the chipset warns for bandwidth, latency and repeatability. With Intel that is \
             inferred from the port's place (bus 0, device 1b to 1d), with AMD from the chipset's own switch. A SATA \
             controller of the chipset is a remark, because it cannot be anywhere else. The chipset of a virtual \
             machine is not real: n-a.",
    remedy: "Move the drive to a slot of the CPU; the board's manual has a block diagram. If it must stay, leave \
             the other devices of the chipset idle during a run.",
    needs: Needs::Hardware,
    kernels: "all",
    sources: &["V-73"],
    observe: Observe::Once(observe),
};

const INTEL: u32 = 0x8086;
const AMD: u32 = 0x1022;

/// The PCI device numbers of the root ports of Intel's chipsets.
const INTEL_PORTS: std::ops::RangeInclusive<u8> = 0x1b..=0x1d;

/// Bridges of AMD's chipsets: the series 300 to 600 (0x43b0 to 0x43ff), and
/// X570 (0x57a0 to 0x57af). Those of its CPUs have numbers of 0x14xx and 0x16xx.
const AMD_BRIDGES: [std::ops::RangeInclusive<u32>; 2] = [0x43b0..=0x43ff, 0x57a0..=0x57af];

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let is_virtual = scene.read("/proc/cpuinfo").is_ok_and(|raw| has_flag(&raw.text, "hypervisor"));
    if is_virtual {
        return vec![Observation::on("host").not_applicable("a virtual machine's chipset is not real")];
    }
    each_end(scene, one)
}

fn has_flag(cpuinfo: &str, flag: &str) -> bool {
    let line = cpuinfo.lines().find(|line| line.starts_with("flags"));
    line.is_some_and(|line| line.split_whitespace().any(|word| word == flag))
}

fn one(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let way: Vec<&Function> = pci.bus.up_from(end.address).collect();
    let seen = Observation::on(&disk.name);
    for function in &way {
        let (vendor, device) = (known(&function.vendor)?, known(&function.device)?);
        let is_amd = vendor == AMD && AMD_BRIDGES.iter().any(|range| range.contains(&device));
        if is_amd || is_intel_port(function, vendor, &way) {
            let says = format!(
                "behind the chipset, at the port {}: its link to the CPU is shared",
                function.address
            );
            let seen = show(show(seen, &function.vendor), &function.device);
            return Ok(seen.warn_for(&[Bandwidth, Latency, Repeatability], says));
        }
    }
    let top = way.last().copied().unwrap_or(end);
    let seen = show(show(seen, &top.vendor), &top.class);
    Ok(match end.kind == FunctionKind::Integrated && known(&end.class)? >> 8 == CLASS_SATA {
        true => seen.info(format!("on the SATA controller {} of the board", end.address)),
        false => seen.ok(format!("the path ends at {}, which is not a known port of a chipset", top.address)),
    })
}

/// Class and subclass of a SATA controller.
const CLASS_SATA: u32 = 0x0106;

/// A domain of VMD copies the numbers of the ports that it took over, so the
/// bus number of the outermost function decides.
fn is_intel_port(function: &Function, vendor: u32, way: &[&Function]) -> bool {
    let is_first_bus = way.last().is_some_and(|top| (top.address.domain, top.address.bus) == (0, 0));
    let is_place = INTEL_PORTS.contains(&function.address.device);
    vendor == INTEL && function.kind == FunctionKind::RootPort && is_place && is_first_bus
}
