//! `sys.virt`: is this machine virtual, or is fathom in a container?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::device::DiskKind;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "sys.virt",
    title: "Virtual machine and container",
    reads: "/proc/cpuinfo (hypervisor), /sys/class/dmi/id/{sys_vendor,product_name}, /run/systemd/container, \
            /.dockerenv, /run/.containerenv",
    why: "In a guest, a paravirtual disk is software of the host: it may cache, share one drive among many guests, or \
          be throttled by contract, and each I/O costs exits from the guest. The figures are then those of a service, \
          not of a drive. The host can take processor time away too (sys.steal). A container is different: it shares \
          the host's kernel and drives, but cgroups may limit it. A container may run in a guest, so fathom checks for \
          both.",
    judged: "A guest warns for latency and repeatability, and for every goal where a disk under the target is \
             paravirtual or has a virtual name. A container is a remark. Without the processor's hypervisor flag: ok. \
             Some processors have no such flag; there the names in the firmware decide, and without a known name it is \
             a remark.",
    remedy: "Say in every report which layer was measured. For figures of the drive itself: pass it through to the \
             guest (VFIO), or measure on the host. For figures of the guest: measure here, until the burst credit of \
             the service is used up.",
    needs: Needs::Nothing,
    kernels: "all",
    sources: &["V-19", "T-41"],
    observe: Observe::Once(|scene| {
        let host = Observation::or_unknown("host", judge(scene));
        std::iter::once(host).chain(container(scene)).collect()
    }),
};

/// Names that hypervisors write into the firmware's tables.
const VENDORS: [&str; 9] = [
    "QEMU",
    "KVM",
    "VMware",
    "Xen",
    "innotek GmbH",
    "Amazon EC2",
    "Google Compute Engine",
    "Virtual Machine",
    "OpenStack",
];

/// Files that show which container runtime is in use.
const CONTAINER_MARKS: [(&str, &str); 3] =
    [("/run/systemd/container", "systemd"), ("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];

fn judge(scene: &Scene<'_>) -> Observed {
    let cpuinfo = scene.read("/proc/cpuinfo")?;
    let flags = cpuinfo.text.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
    let flags = flags.ok_or_else(|| Unknown::garbled(&cpuinfo.path, first_line(&cpuinfo.text)))?;
    let has_flag = flags.split_whitespace().any(|flag| flag == "hypervisor");
    let maker = maker(scene);
    let named = VENDORS.iter().any(|vendor| maker.contains(vendor));
    let mut seen = Observation::on("host").with(&cpuinfo.path, flags);
    if !maker.is_empty() {
        seen = seen.with("/sys/class/dmi/id/sys_vendor", &maker);
    }
    if has_flag || named {
        return Ok(guest(scene, seen, &maker));
    }
    Ok(match flags.starts_with("flags") {
        true => seen.ok("no hypervisor below this machine"),
        false => seen.info("no sign of a hypervisor, but these processors have no flag for it"),
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Vendor and product, if the firmware reports them.
fn maker(scene: &Scene<'_>) -> String {
    let name = |file: &str| scene.read(format!("/sys/class/dmi/id/{file}")).ok();
    let names = ["sys_vendor", "product_name"].into_iter().filter_map(name).map(|raw| raw.text);
    names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
}

fn guest(scene: &Scene<'_>, seen: Observation, maker: &str) -> Observation {
    let by = if maker.is_empty() { String::new() } else { format!(" ({maker})") };
    let disks = scene
        .disks
        .iter()
        .filter(|disk| disk.kind == DiskKind::Paravirtual || names_itself_virtual(scene, disk));
    let names: Vec<&str> = disks.map(|disk| disk.name.as_str()).collect();
    match names.is_empty() {
        true => seen.warn_for(&[Latency, Repeatability], format!("this is a virtual machine{by}")),
        false => seen.warn(format!("this is a virtual machine{by}, and {} is virtual too", names.join(", "))),
    }
}

/// Emulated disks have special model names: `QEMU NVMe Ctrl`, `Virtual disk`,
/// `VBOX HARDDISK`.
fn names_itself_virtual(scene: &Scene<'_>, disk: &crate::audit::Disk) -> bool {
    let model = disk.model(scene.root).unwrap_or_default();
    ["QEMU", "Virtual", "VBOX"].iter().any(|word| model.contains(word))
}

fn container(scene: &Scene<'_>) -> Option<Observation> {
    let (path, runtime) = CONTAINER_MARKS.into_iter().find(|(path, _)| scene.root.exists(path))?;
    let named = scene.read(path).ok().map(|raw| raw.text).filter(|text| !text.is_empty() && text.len() < 40);
    let runtime = named.unwrap_or_else(|| runtime.to_owned());
    let seen = Observation::on("container").with(path, &runtime);
    Some(seen.info(format!("fathom runs in a container ({runtime}): the limits of its cgroup apply")))
}
