//! What is on the way from the CPU to the drive.

use super::{Hop, each_end, functions, known, no_link, show};
use crate::audit::checks::prelude::*;
use crate::audit::{Pci, has_cpu_flag};
use crate::topology::address::Address;
use crate::topology::function::{Function, FunctionKind};
use fathom_device::address::aer_total;

const INTEL: u32 = 0x8086;
const AMD: u32 = 0x1022;

/// The PCI device numbers of the root ports of Intel's chipsets.
const INTEL_PORTS: std::ops::RangeInclusive<u8> = 0x1b..=0x1d;

/// Bridges of AMD's chipsets: the series 300 to 600 (0x43b0 to 0x43ff), and
/// X570 (0x57a0 to 0x57af). Those of its CPUs have numbers of 0x14xx and 0x16xx.
const AMD_BRIDGES: [std::ops::RangeInclusive<u32>; 2] = [0x43b0..=0x43ff, 0x57a0..=0x57af];

/// `pcie.chipset`: is the drive connected to the chipset instead of the CPU?
pub(super) fn chipset(scene: &Scene<'_>) -> ObservedAll {
    if has_cpu_flag(scene.root, "hypervisor") {
        return Ok(vec![Observation::on("host").not_applicable("a virtual machine's chipset is not real")]);
    }
    each_end(scene, chipset_of)
}

fn chipset_of(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let way: Vec<&Function> = pci.bus.up_from(end.address).collect();
    let observation = Observation::on(&disk.name);
    for function in &way {
        let (vendor, device) = (known(&function.vendor)?, known(&function.device)?);
        let is_amd = vendor == AMD && AMD_BRIDGES.iter().any(|range| range.contains(&device));
        if is_amd || is_intel_port(function, vendor, &way) {
            let says = format!(
                "behind the chipset, at the port {}: its link to the CPU is shared",
                function.address
            );
            let observation = show(show(observation, &function.vendor), &function.device);
            return Ok(observation.warn_for(&[Bandwidth, Latency, Repeatability], says));
        }
    }
    let top = way.last().copied().unwrap_or(end);
    let observation = show(show(observation, &top.vendor), &top.class);
    Ok(match end.kind == FunctionKind::Integrated && known(&end.class)? >> 8 == CLASS_SATA {
        true => observation.info(format!("on the SATA controller {} of the board", end.address)),
        false => observation
            .ok(format!("the path ends at {}, which is not a known port of a chipset", top.address)),
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

const POLICY: &str = "/sys/module/pcie_aspm/parameters/policy";

/// `pcie.aspm`: may the links sleep between two I/Os?
pub(super) fn aspm(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let states = &hop.function.aspm;
    if states.is_empty() {
        return by_policy(scene, hop);
    }
    let observation = states.iter().fold(Observation::on(hop.subject()), show);
    let mut on = Vec::new();
    for state in states {
        if known(state)? {
            on.push(leaf(&state.path));
        }
    }
    Ok(match on.as_slice() {
        [] => observation.ok("the link does not sleep"),
        on => observation.warn_for(
            &[Latency, Repeatability],
            format!("the link may sleep between I/Os: {}", on.join(", ")),
        ),
    })
}

/// Without the link's files, the policy can only show that the link does not sleep.
fn by_policy(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let missing = || Unknown::missing(PathBuf::from(hop.function.address.sys_dir()).join("link/l1_aspm"));
    let (policy, raw) = scene.selected(POLICY).map_err(|_| missing())?;
    let observation = Observation::on(hop.subject()).show(&raw);
    match policy.as_str() {
        "performance" => Ok(observation.ok("the policy is performance: links do not sleep")),
        "default" | "powersave" | "powersupersave" => Err(missing()),
        _ => Err(raw.garbled()),
    }
}

/// `pcie.runtime_pm`: may the kernel put the drive's controller to sleep?
pub(super) fn runtime_pm(scene: &Scene<'_>) -> Vec<Observation> {
    let ends = scene.disks.iter().filter_map(|disk| Some((disk, disk.function()?)));
    each(
        ends,
        || no_link(scene),
        |(disk, _)| disk.name.clone(),
        |(disk, end)| runtime_pm_of(scene, disk, end),
    )
}

fn runtime_pm_of(scene: &Scene<'_>, disk: &Disk, end: &Path) -> Observed {
    let control = scene.read(end.join("power/control"))?;
    let mut observation = Observation::on(&disk.name).show(&control);
    let status = scene.read(end.join("power/runtime_status"));
    let is_asleep = status.as_ref().is_ok_and(|raw| raw.text == "suspended");
    for more in [status, scene.read(end.join("d3cold_allowed"))] {
        observation = match more {
            Ok(raw) => observation.show(&raw),
            Err(unknown) if unknown.why == Why::Missing => observation,
            Err(unknown) => observation.without(unknown),
        };
    }
    Ok(match control.text.as_str() {
        "on" => observation.ok("the controller stays on"),
        "auto" if is_asleep => {
            observation.warn_for(&[Latency], "the controller is asleep and has to be woken")
        }
        "auto" => observation.warn_for(&[Latency], "the kernel may put the controller to sleep"),
        other => return Err(Unknown::garbled(&control.path, other)),
    })
}

/// The counters of functions one to six levels below a host bridge, and below
/// a domain that VMD made.
pub(super) const COUNTERS: &[&str] = &[
    "/sys/devices/pci*/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/pci*/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/pci*/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
];

/// The file, whether the link repairs its errors, and whether every function
/// has the file (otherwise only root ports have it).
const FILES: [(&str, bool, bool); 6] = [
    ("aer_dev_correctable", true, true),
    ("aer_dev_nonfatal", false, true),
    ("aer_dev_fatal", false, true),
    ("aer_rootport_total_err_cor", true, false),
    ("aer_rootport_total_err_nonfatal", false, false),
    ("aer_rootport_total_err_fatal", false, false),
];

/// `pcie.aer`: are there errors on the links while data moves?
pub(super) fn aer(scene: &Scene<'_>) -> Vec<Observation> {
    each(functions(scene), || no_link(scene), |dir| leaf(dir), |dir| aer_of(scene, dir))
}

#[derive(Default)]
struct Errors {
    repaired: u64,
    lost: u64,
    past: u64,
    before: Option<Unknown>,
}

fn aer_of(scene: &Scene<'_>, dir: &Path) -> Observed {
    let mut observation = Observation::on(leaf(dir));
    let mut errors = Errors::default();
    for (file, is_repaired, is_of_all) in FILES {
        let path = dir.join(file);
        let raw = match scene.read(&path) {
            Err(unknown) if !is_of_all && unknown.why == Why::Missing => continue,
            answer => answer?,
        };
        let now = total(&raw.text).ok_or_else(|| raw.garbled())?;
        observation = observation.show(&raw);
        match grown(scene, &path, now) {
            Ok(grown) if is_repaired => errors.repaired += grown,
            Ok(grown) => errors.lost += grown,
            Err(unknown) => errors.before = Some(unknown),
        }
        errors.past += now;
    }
    Ok(judge_aer(observation, errors))
}

fn judge_aer(observation: Observation, errors: Errors) -> Observation {
    let Errors { repaired, lost, past, before } = errors;
    match (lost, repaired, past) {
        (1.., ..) => observation.bad(format!("{lost} errors while we looked that the link could not repair")),
        (0, 1.., _) => {
            observation.warn(format!("{repaired} errors while we looked, repaired by sending again"))
        }
        (0, 0, 0) => observation.ok("no errors since boot"),
        (0, 0, _) => {
            let observation = before.into_iter().fold(observation, Observation::without);
            observation.info(format!("{past} errors counted since boot, none while we looked"))
        }
    }
}

fn grown(scene: &Scene<'_>, path: &Path, now: u64) -> Result<u64, Unknown> {
    let before = scene.before(path)?;
    let count = total(before).ok_or_else(|| Unknown::garbled(path, before))?;
    // A hot reset clears the counters; all errors that they show now came after it.
    Ok(now.checked_sub(count).unwrap_or(now))
}

/// The number in a file that contains only a number, or in the line `TOTAL_ERR_… N` of a list.
fn total(text: &str) -> Option<u64> {
    aer_total(text).or_else(|| text.trim().parse().ok())
}

/// Domains from here on are made by drivers (drivers/pci/controller/vmd.c).
const DOMAIN_FIRST: u32 = 0x10000;

/// `pcie.vmd`: is the drive behind Intel's Volume Management Device?
pub(super) fn vmd(scene: &Scene<'_>) -> Vec<Observation> {
    let disks = scene.disks.iter().filter(|disk| !disk.ways.is_empty());
    each(disks, || no_link(scene), |disk| disk.name.clone(), |disk| vmd_of(scene, disk))
}

fn vmd_of(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let mut observation = Observation::on(&disk.name);
    let mut unread = None;
    for dir in disk.functions() {
        let path = dir.join("driver");
        match scene.root.link_name(&path) {
            Ok(driver) => {
                observation = observation.with(&path, &driver);
                if driver == "vmd" {
                    return Ok(observation.info(format!("behind the VMD {}", leaf(dir))));
                }
            }
            Err(unknown) => unread = Some(unknown),
        }
    }
    let mut addresses = disk.functions().iter().filter_map(|dir| Address::all_in(dir).last().copied());
    if let Some(made) = addresses.rfind(|address| address.domain >= DOMAIN_FIRST) {
        return Ok(
            observation.info(format!("in the PCI domain {:x}, which a driver such as VMD made", made.domain))
        );
    }
    match unread {
        Some(unknown) => Err(unknown),
        None => Ok(observation.ok("no VMD on the path")),
    }
}

const GROUPS: &str = "/sys/kernel/iommu_groups";

/// `pcie.iommu`: does the IOMMU flush its cache after each I/O?
pub(super) fn iommu(scene: &Scene<'_>) -> Vec<Observation> {
    let ends = scene.disks.iter().filter_map(|disk| Some((disk, disk.function()?)));
    each(ends, || no_link(scene), |(disk, _)| disk.name.clone(), |(disk, end)| iommu_of(scene, disk, end))
}

fn iommu_of(scene: &Scene<'_>, disk: &Disk, end: &Path) -> Observed {
    let link = end.join("iommu_group");
    let group = match scene.root.link_name(&link) {
        Err(unknown) if unknown.why == Why::Missing => return without_group(scene, disk),
        group => group?,
    };
    let raw = scene.read(format!("{GROUPS}/{group}/type"))?;
    let observation = Observation::on(&disk.name).show(&raw);
    Ok(match raw.text.as_str() {
        "DMA-FQ" => observation.ok("DMA-FQ: translations are flushed together"),
        "identity" => observation.ok("identity: addresses are not translated"),
        "DMA" => strict(scene, observation),
        "auto" | "blocked" | "unmanaged" | "unknown" => {
            observation.info(format!("the group's type is {}", raw.text))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}

fn strict(scene: &Scene<'_>, observation: Observation) -> Observation {
    let release = scene.read("/proc/sys/kernel/osrelease");
    match release {
        Ok(Raw { path, text }) if version(&text).is_some_and(|version| version < (5, 15)) => observation
            .with(path, text)
            .info("DMA; this kernel does not report whether flushes are collected"),
        _ => observation.warn_for(&[Iops], "DMA, the strict mode: translations are flushed after each I/O"),
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
    let observation = Observation::on(&disk.name).with(GROUPS, groups.join(" "));
    Ok(match groups.as_slice() {
        [] => observation.ok("no IOMMU is in use"),
        _ => observation.ok("the IOMMU does not translate for it"),
    })
}

/// `pcie.slot_name`: what is the name of the drive's slot?
pub(super) fn slot_name(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let label = pci.bus.up_from(end.address).find_map(|function| function.slot.as_ref());
    let observation = Observation::on(&disk.name);
    match (label, &pci.slots_unknown) {
        (Some(label), _) => {
            let name = label.value.as_deref().unwrap_or_default();
            Ok(show(observation, label).info(format!("slot {name:?}, at {}", end.address)))
        }
        (None, Some(unknown)) => Err(unknown.clone()),
        (None, None) => Ok(observation.not_applicable("the firmware has no name for its slot")),
    }
}
