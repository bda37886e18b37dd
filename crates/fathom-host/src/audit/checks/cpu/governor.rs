//! `cpu.governor`: may the clock fall between two I/Os?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::Goal::{Iops, Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.governor",
    title: "CPU frequency governor",
    reads: "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor, scaling_driver",
    why: "Between two I/Os a core has nothing to do, and a governor that follows the load lowers its clock exactly \
          then. The next completions are handled at the lower clock until the governor raises it again. At low queue \
          depth this is a large part of the latency, and it differs from run to run. At high depth the cores stay busy \
          and the effect is small.",
    judged: "ok where the governor of every policy is performance. Others warn for latency, IOPS and repeatability. \
             With the drivers intel_pstate and amd-pstate in active mode, powersave means that the hardware follows \
             the energy preference, which cpu.epp judges. Virtual machines mostly have no governor: n-a.",
    remedy: "For a run: fathom run --tune, or fathom tune plan. By hand: write performance into each policy's \
             scaling_governor, and restore the old value afterwards.",
    needs: Needs::Knob("cpu.governor"),
    kernels: "all with cpufreq",
    sources: &["V-3", "V-18", "H-3", "H-4"],
    observe: Observe::Once(|scene| {
        let missing =
            || Observation::unknown("host", Unknown::missing("/sys/devices/system/cpu/cpufreq/policy0"));
        let policies = scene.glob("/sys/devices/system/cpu/cpufreq/policy#");
        each(policies, missing, |policy| leaf(policy), |policy| one(scene, policy))
    }),
};

/// Drivers under which `powersave` leaves the clock to the hardware
/// (Documentation/admin-guide/pm/intel_pstate.rst, amd-pstate.rst).
const ACTIVE_DRIVERS: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

fn one(scene: &Scene<'_>, policy: &Path) -> Observed {
    let governor = scene.read(policy.join("scaling_governor"))?;
    let driver = scene.read(policy.join("scaling_driver"));
    let seen = Observation::on(leaf(policy)).show(&governor);
    let is_active = driver.is_ok_and(|driver| ACTIVE_DRIVERS.contains(&driver.text.as_str()));
    Ok(match governor.text.as_str() {
        "performance" => seen.ok("the governor is performance"),
        "powersave" if is_active => seen.info("powersave follows the energy preference here (see cpu.epp)"),
        "powersave" | "ondemand" | "conservative" | "schedutil" | "userspace" => seen.warn_for(
            &[Latency, Iops, Repeatability],
            format!("the governor is {}, which lowers the clock between I/Os", governor.text),
        ),
        _ => return Err(governor.garbled()),
    })
}
