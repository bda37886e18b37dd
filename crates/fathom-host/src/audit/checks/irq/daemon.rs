//! `irq.daemon`: does something move interrupts while we measure?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::Repeatability;
use fathom_device::ask::Question;
use fathom_device::root::Unknown;

use super::table;

pub(super) const CHECK: Check = Check {
    id: "irq.daemon",
    title: "irqbalance",
    reads: "the state of irqbalance.service; without systemd, the names of all processes (/proc/*/comm)",
    why: "irqbalance checks every ten seconds where interrupts are handled and moves those that it may move. In the \
          middle of a measurement this is a step in the latency without a visible cause. It cannot move the interrupts \
          of NVMe queues; it can move those of virtio, of SAS and Fibre Channel adapters (HBAs) and of network cards.",
    judged: "Running warns for repeatability where a target's interrupts can be moved; where the kernel places all of \
             them it is a remark. Not running is ok.",
    remedy: "For a run: fathom run --tune stops it and starts it again. By hand: systemctl stop irqbalance, and \
             systemctl start irqbalance after the test. Do not disable or remove it, as an older guide recommends: \
             without it the interrupts of all other devices stay where they began, often on one CPU, and this has \
             caused soft lockups.",
    needs: Needs::Knob("irq.daemon"),
    kernels: "all",
    sources: &["V-14", "V-18", "M-17", "H-13", "I-25", "I-49"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", one(scene))]),
};

/// The first word of a unit's state (systemctl(1)).
const STATES: [&str; 8] =
    ["active", "reloading", "inactive", "failed", "activating", "deactivating", "maintenance", "refreshing"];

fn one(scene: &Scene<'_>) -> Observed {
    let (is_running, raw) = match unit(scene) {
        Ok((true, raw)) => (true, raw),
        Ok((false, raw)) => process(scene).filter(|(runs, _)| *runs).unwrap_or((false, raw)),
        Err(unknown) => process(scene).ok_or(unknown)?,
    };
    let seen = Observation::on("host").show(&raw);
    if !is_running {
        return Ok(seen.ok("irqbalance is not running"));
    }
    let has_free = |disk| table::free(scene, disk).is_ok_and(|free| !free.is_empty());
    let movable: Vec<&str> =
        scene.disks.iter().filter(|disk| has_free(disk)).map(|disk| disk.name.as_str()).collect();
    if movable.is_empty() {
        return Ok(seen.info("irqbalance is running, and cannot move the interrupts of the targets"));
    }
    let says = format!("irqbalance is running, and may move the interrupts of {}", movable.join(", "));
    Ok(seen.warn_for(&[Repeatability], says))
}

fn unit(scene: &Scene<'_>) -> Result<(bool, Raw), Unknown> {
    let raw = scene.ask(&Question::Unit { unit: "irqbalance.service".to_owned() })?;
    let state = raw.text.split(' ').next().unwrap_or_default();
    if !STATES.contains(&state) {
        return Err(raw.garbled());
    }
    Ok((matches!(state, "active" | "reloading" | "activating" | "refreshing"), raw))
}

/// By the names of the processes; `None` where none can be seen.
fn process(scene: &Scene<'_>) -> Option<(bool, Raw)> {
    let mut names =
        scene.glob("/proc/#/comm").into_iter().filter_map(|path| scene.read(path).ok()).peekable();
    let first = names.peek()?.clone();
    let found = names.find(|name| name.text == "irqbalance");
    Some(found.map_or((false, first), |name| (true, name)))
}
