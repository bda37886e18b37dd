//! `nvme.ps`: does the drive run in its full power state?

use super::drive::{Drive, controller_path, each_drive, feature};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::nvme::Controller;
use fathom_device::root::Unknown;

/// The feature "Power Management": state in bits 0 to 4, a hint about the
/// workload in bits 5 to 7.
const FEATURE: u8 = 0x02;

pub(super) const CHECK: Check = Check {
    id: "nvme.ps",
    title: "Power state of the drive",
    reads: "feature 0x02 (Power Management), Identify Controller",
    why: "An NVMe drive has a list of power states. State 0 has full power; each further state has a lower peak power, \
          so the drive does less at the same time. A drive in a lower state, to save the power of a chassis or a \
          laptop battery, is slower, most of all at writes; vendors do not document by how much. The state stays until \
          somebody changes it or the controller is reset.",
    judged: "ok in state 0. Any other state in which the drive does I/O warns for every goal. A state without I/O is a \
             sleep state that the drive entered by itself: a remark here, because nvme.apst judges it.",
    remedy: "For a run: fathom run --tune --tune-knob nvme.ps. By hand: nvme set-feature /dev/nvmeX -f 2 \
             --value=0 (not saved; a reset undoes it). If a power budget of the server is the reason, ask \
             who set it.",
    needs: Needs::NamedKnob("nvme.ps"),
    kernels: "all; reading the feature needs root",
    sources: &["V-8", "NVM Express Base Specification 2.0, feature Power Management"],
    observe: Observe::Once(|scene| each_drive(scene, |drive| one(scene, drive))),
};

fn one(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let (value, path) = feature(scene, drive, FEATURE)?;
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
