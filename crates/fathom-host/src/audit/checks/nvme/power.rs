//! The power states of a drive.

use super::drive::{Drive, controller_path, feature};
use crate::audit::{Observation, Observed, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::nvme::{Controller, PowerState};
use fathom_device::root::Unknown;

/// The feature "Autonomous Power State Transition"; bit 0 switches it on.
const APST_FEATURE: u8 = 0x0c;

/// `nvme.apst`: may the drive enter a sleep state between two I/Os?
pub(super) fn apst(scene: &Scene<'_>, drive: &Drive) -> Observed {
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
    let (value, path) = feature(scene, drive, APST_FEATURE)?;
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

/// The feature "Power Management": state in bits 0 to 4, a hint about the
/// workload in bits 5 to 7.
const POWER_FEATURE: u8 = 0x02;

/// `nvme.ps`: does the drive run in its full power state?
pub(super) fn ps(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let (value, path) = feature(scene, drive, POWER_FEATURE)?;
    let raw = format!("0x{value:08x}");
    let seen = Observation::on(&drive.controller).with(&path, &raw);
    let number = value as usize & 0x1f;
    if number == 0 {
        return Ok(seen.ok("power state 0, full power"));
    }
    let controller = match Controller::read(scene.root, &drive.controller) {
        Ok(controller) => controller,
        Err(unknown) => {
            let says = format!("power state {number}, not full power");
            return Ok(seen.without(unknown).warn(says));
        }
    };
    let state = controller.power_states.get(number).ok_or_else(|| Unknown::garbled(&path, &raw))?;
    let watts = state.max_milliwatts as f64 / 1000.0;
    let seen = seen.with(controller_path(drive), format!("PSD{number} MP {} mW", state.max_milliwatts));
    if state.is_non_operational {
        return Ok(seen.info(format!("asleep in power state {number} at the moment (see nvme.apst)")));
    }
    Ok(seen.warn(format!("held in power state {number}, at most {watts:.1} W")))
}
