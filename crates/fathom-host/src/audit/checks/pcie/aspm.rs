//! `pcie.aspm`: may the links sleep between two I/Os?

use std::path::PathBuf;

use super::way::{Hop, each_hop, known, show};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, leaf};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Unknown;

const POLICY: &str = "/sys/module/pcie_aspm/parameters/policy";

pub(super) const CHECK: Check = Check {
    id: "pcie.aspm",
    title: "Sleep states of the PCIe links (ASPM)",
    reads: "/sys/bus/pci/devices/BDF/link/{l0s,l1,l1_1,l1_2}_aspm, link/clkpm; \
            /sys/module/pcie_aspm/parameters/policy",
    why: "A PCIe link may sleep after some microseconds without traffic, and the I/O that comes next waits until it is \
          awake: a few microseconds from the light state L0s, some tens from L1 and its substates (the scales by which \
          ports declare it end at 4 and 64 µs). At low queue depth that is a visible part of a flash read, and it \
          depends on the gaps between I/Os. At full rate links never sleep.",
    judged: "Any sleep state that is enabled on a link of the path warns for latency and repeatability; a remark for \
             the other goals. Where the kernel offers no such files: ok if its policy is performance, otherwise n-a.",
    remedy: "For a run: fathom run --tune. By hand: write 0 into the files of that link, and restore the old values \
             afterwards. This needs no boot parameter and no reboot, although an older guide says so. Without the \
             files the firmware has control: use the BIOS setting.",
    needs: Needs::Knob("pcie.aspm"),
    kernels: "5.5 and later (link/); policy: all with CONFIG_PCIEASPM",
    sources: &["V-8", "H-5", "H-6"],
    observe: Observe::Once(|scene| each_hop(scene, |hop| one(scene, hop))),
};

fn one(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let states = &hop.function.aspm;
    if states.is_empty() {
        return by_policy(scene, hop);
    }
    let seen = states.iter().fold(Observation::on(hop.subject()), show);
    let mut on = Vec::new();
    for state in states {
        if known(state)? {
            on.push(leaf(&state.path));
        }
    }
    Ok(match on.as_slice() {
        [] => seen.ok("the link does not sleep"),
        on => seen.warn_for(
            &[Latency, Repeatability],
            format!("the link may sleep between I/Os: {}", on.join(", ")),
        ),
    })
}

/// Without the link's files, the policy can only show that the link does not sleep.
fn by_policy(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let missing = || Unknown::missing(PathBuf::from(hop.function.address.sys_dir()).join("link/l1_aspm"));
    let (policy, raw) = scene.selected(POLICY).map_err(|_| missing())?;
    let seen = Observation::on(hop.subject()).show(&raw);
    match policy.as_str() {
        "performance" => Ok(seen.ok("the policy is performance: links do not sleep")),
        "default" | "powersave" | "powersupersave" => Err(missing()),
        _ => Err(raw.garbled()),
    }
}
