//! `nvme.apst`: may the drive enter a sleep state between two I/Os?

use super::drive::{Drive, controller_path, each_drive, feature};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::nvme::{Controller, PowerState};
use fathom_device::root::Unknown;

/// The feature "Autonomous Power State Transition"; bit 0 switches it on.
const FEATURE: u8 = 0x0c;

pub(super) const CHECK: Check = Check {
    id: "nvme.apst",
    title: "Sleep states that the drive enters by itself (APST)",
    reads: "/sys/class/nvme/N/power/pm_qos_latency_tolerance_us, Identify Controller, feature 0x0c",
    why: "Many drives have power states in which they do no I/O. Linux lets them enter such a state by themselves \
          after some idle time, if waking up takes less than a tolerance, 100 ms unless somebody changed it. The first \
          I/O after a pause then waits for the drive to wake up: this takes milliseconds, while a read takes a tenth \
          of a millisecond. During a job at full rate the drive never sleeps; a job with pauses, a fixed low rate or a \
          queue depth of 1 may be affected, but not in every run.",
    judged: "ok if the tolerance is 0, or if the drive has no sleep state that it allows. Otherwise it warns for \
             latency and repeatability. Only root can read from the drive whether there are such states.",
    remedy: "For a run: fathom run --tune. By hand (as root): echo 0 > \
             /sys/class/nvme/N/power/pm_qos_latency_tolerance_us, and restore the old value afterwards. No reboot is \
             needed; the boot parameter nvme_core.default_ps_max_latency_us=0 does the same permanently.",
    needs: Needs::Knob("nvme.apst"),
    kernels: "4.11 and later",
    sources: &["V-8", "NVM Express Base Specification 2.0, Power Management"],
    observe: Observe::Once(|scene| each_drive(scene, |drive| one(scene, drive))),
};

fn one(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let tolerance = scene.read(drive.dir.join("power/pm_qos_latency_tolerance_us"))?;
    // In the power management core, "any" means no limit and "auto" means that
    // the driver decides.
    let limit_us: u64 = match tolerance.text.as_str() {
        "any" | "auto" => u64::MAX,
        number => number.parse().map_err(|_| Unknown::garbled(&tolerance.path, number))?,
    };
    let seen = Observation::on(&drive.controller).show(&tolerance);
    if limit_us == 0 {
        return Ok(seen.ok("the drive may not enter a sleep state"));
    }
    let controller = Controller::read(scene.root, &drive.controller)?;
    if !controller.has_autonomous_power {
        let seen = seen.with(controller_path(drive), "APSTA 0");
        return Ok(seen.ok("the drive has no sleep states of its own"));
    }
    let (value, path) = feature(scene, drive, FEATURE)?;
    let seen = seen.with(path, format!("0x{value:08x}"));
    if value & 1 == 0 {
        return Ok(seen.ok("the drive has sleep states, but does not enter them by itself (APST is off)"));
    }
    Ok(match deepest(&controller.power_states, limit_us) {
        None => seen.ok(format!("no sleep state wakes up within the tolerance of {limit_us} µs")),
        Some((number, state)) => {
            seen.with(controller_path(drive), format!("PSD{number} EXLAT {}", state.exit_us)).warn_for(
                &[Latency, Repeatability],
                format!(
                    "in a pause the drive may enter power state {number}, and needs {} µs to wake up",
                    state.exit_us
                ),
            )
        }
    })
}

/// The sleep state that takes longest to leave among those allowed. The
/// driver compares the exit latency with the tolerance (`nvme_configure_apst`).
fn deepest(states: &[PowerState], limit_us: u64) -> Option<(usize, &PowerState)> {
    let sleeping = states.iter().enumerate().filter(|(_, state)| state.is_non_operational);
    sleeping.filter(|(_, state)| u64::from(state.exit_us) <= limit_us).max_by_key(|(_, state)| state.exit_us)
}
