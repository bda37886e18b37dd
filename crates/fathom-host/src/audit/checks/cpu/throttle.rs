//! `cpu.throttle`: did heat slow the processors down?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::root::Unknown;

const COUNTER: &str = "/sys/devices/system/cpu/cpu#/thermal_throttle/*_throttle_count";

pub(super) const CHECK: Check = Check {
    id: "cpu.throttle",
    title: "Thermal throttling of the processors",
    reads: "/sys/devices/system/cpu/cpu*/thermal_throttle/{core,package}_throttle_count",
    why: "A processor that reaches its limit lowers its own clock, whatever the governor says. Every figure that is \
          measured meanwhile is that of a slower machine. No setting shows it, only these counters do.",
    judged: "bad for every goal where a counter grows during the run or the audit. Earlier events are a remark: they \
             show that the cooling was not sufficient before. Processors without the counters: n-a.",
    remedy: "Improve the cooling (fans, filters, room), then measure again. Fan speed is set in the BIOS or the \
             management controller (BMC).",
    needs: Needs::Hardware,
    kernels: "x86 with thermal interrupts (Intel); 2.6.30 and later",
    sources: &["V-7", "H-7", "H-33"],
    observe: Observe::Watch(&[COUNTER], |scene| {
        let first = "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
        let missing = || Observation::unknown("host", Unknown::missing(first));
        each(scene.glob(COUNTER), missing, |path| cpu(path), |path| one(scene, path))
    }),
};

/// The CPU that a counter's path belongs to.
fn cpu(path: &Path) -> String {
    path.ancestors().nth(2).map(leaf).unwrap_or_default()
}

fn one(scene: &Scene<'_>, path: &Path) -> Observed {
    let (count, raw) = scene.value::<u64>(path)?;
    let seen = Observation::on(cpu(path)).show(&raw);
    Ok(match (scene.growth(path), count) {
        (Ok((0, _)), 0) => seen.ok("never throttled"),
        (Ok((0, _)), _) => seen.info(format!("throttled {count} times since boot, but not while we looked")),
        (Ok((grown, _)), _) => seen.bad(format!("throttled {grown} times while we looked")),
        (Err(_), 0) => seen.ok("never throttled since boot"),
        (Err(unknown), _) => seen.without(unknown).info(format!("throttled {count} times since boot")),
    })
}
