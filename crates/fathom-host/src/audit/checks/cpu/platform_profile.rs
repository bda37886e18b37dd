//! `cpu.platform_profile`: which power profile does the firmware use?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Latency, Repeatability};

pub(super) const CHECK: Check = Check {
    id: "cpu.platform_profile",
    title: "Power profile of the platform",
    reads: "/sys/firmware/acpi/platform_profile, platform_profile_choices",
    why: "Some machines let the system choose between profiles that the firmware then applies: fans, power limits, how \
          fast the clock follows the load. It corresponds to the \"Performance\" policy of the BIOS, but can be \
          changed at run time. In a quiet or saving profile the processor is slower although every other setting is \
          right.",
    judged: "performance and max-power are ok. low-power, cool, quiet, balanced and balanced-performance warn for \
             latency and repeatability. custom is a remark. Most servers have no such file: n-a.",
    remedy: "For a run: fathom run --tune. By hand: echo performance > /sys/firmware/acpi/platform_profile. Where \
             power-profiles-daemon or tuned-ppd runs, it may change the profile back.",
    needs: Needs::Knob("cpu.platform_profile"),
    kernels: "5.12 and later",
    sources: &["I-6", "H-7", "Documentation/userspace-api/sysfs-platform_profile.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", one(scene))]),
};

const PROFILE: &str = "/sys/firmware/acpi/platform_profile";

fn one(scene: &Scene<'_>) -> Observed {
    let raw = scene.read(PROFILE)?;
    let seen = Observation::on("host").show(&raw);
    let says = format!("the profile is {}", raw.text);
    Ok(match raw.text.as_str() {
        "performance" | "max-power" => seen.ok(says),
        "low-power" | "cool" | "quiet" | "balanced" | "balanced-performance" => {
            seen.warn_for(&[Latency, Repeatability], says)
        }
        "custom" => seen.info(says),
        _ => return Err(raw.garbled()),
    })
}
