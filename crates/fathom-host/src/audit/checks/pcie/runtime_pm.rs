//! `pcie.runtime_pm`: may the kernel put the drive's controller to sleep?

use std::path::Path;

use super::way::no_link;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::Goal::Latency;
use fathom_device::root::{Unknown, Why};

pub(super) const CHECK: Check = Check {
    id: "pcie.runtime_pm",
    title: "Runtime power management of the controller",
    reads: "/sys/bus/pci/devices/BDF/power/{control,runtime_status}, d3cold_allowed",
    why: "The kernel may switch off a device that is not used for a while, including its power (D3cold), and wakes it \
          up at the next access, which takes from milliseconds to a second. Tools that save power on laptops enable \
          this for every device. Some drivers never release their device, so the setting has no effect; SATA \
          controllers do sleep. A port can sleep only when all devices below it sleep.",
    judged: "power/control \"auto\" at the drive's own function warns for latency, and so does a controller that is \
             asleep now; \"on\" is ok. \"auto\" at the ports above is usual and harmless while the drive stays on.",
    remedy: "For a run: fathom run --tune. By hand: echo on > /sys/bus/pci/devices/BDF/power/control, and restore the \
             old value afterwards. If the value changes back, look for powertop --auto-tune, TLP or laptop-mode.",
    needs: Needs::Knob("pcie.runtime_pm"),
    kernels: "2.6.32 and later",
    sources: &["V-8", "Documentation/ABI/testing/sysfs-devices-power"],
    observe: Observe::Once(|scene| {
        let ends = scene.disks.iter().filter_map(|disk| Some((disk, disk.function()?)));
        each(ends, || no_link(scene), |(disk, _)| disk.name.clone(), |(disk, end)| one(scene, disk, end))
    }),
};

fn one(scene: &Scene<'_>, disk: &Disk, end: &Path) -> Observed {
    let control = scene.read(end.join("power/control"))?;
    let mut seen = Observation::on(&disk.name).show(&control);
    let status = scene.read(end.join("power/runtime_status"));
    let is_asleep = status.as_ref().is_ok_and(|raw| raw.text == "suspended");
    for more in [status, scene.read(end.join("d3cold_allowed"))] {
        seen = match more {
            Ok(raw) => seen.show(&raw),
            Err(unknown) if unknown.why == Why::Missing => seen,
            Err(unknown) => seen.without(unknown),
        };
    }
    Ok(match control.text.as_str() {
        "on" => seen.ok("the controller stays on"),
        "auto" if is_asleep => seen.warn_for(&[Latency], "the controller is asleep and has to be woken"),
        "auto" => seen.warn_for(&[Latency], "the kernel may put the controller to sleep"),
        other => return Err(Unknown::garbled(&control.path, other)),
    })
}
