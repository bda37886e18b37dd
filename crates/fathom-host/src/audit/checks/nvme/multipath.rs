//! `nvme.multipath`: how many paths lead to the disk, and which one does I/O use?

use std::path::Path;

use super::drive::{Drive, no_drive};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene, each};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "nvme.multipath",
    title: "Paths to the drive",
    reads: "/sys/class/nvme/N/{state,numa_node}, /sys/class/nvme-subsystem/S/iopolicy",
    why: "A drive with two ports, or a fabric, is reached through several controllers, and the kernel shows them as \
          one disk. A policy chooses the path of each I/O: numa the nearest to the CPU, round-robin one after the \
          other, queue-depth the least busy. With one path down the disk still works, with less bandwidth; with a path \
          on another socket each I/O crosses the link between the sockets.",
    judged: "One live path: ok. Several: a remark, with the policy. A path that is not live warns for latency and \
             repeatability. With the policy numa it warns for latency if no path is on the node of the job's CPUs.",
    remedy: "Run the workers on the node of a path (cpus_allowed or numa), or choose the policy: fathom run --tune \
             --tune-knob nvme.multipath, or by hand echo round-robin > /sys/class/nvme-subsystem/S/iopolicy, and \
             restore the old value afterwards. If a path is down, check the cable and the port, and run nvme connect.",
    needs: Needs::NamedKnob("nvme.multipath"),
    kernels: "4.15 and later; policy queue-depth: 6.11",
    sources: &["V-12", "Documentation/admin-guide/nvme-multipath"],
    observe: Observe::Once(|scene| {
        let disks = scene.disks.iter().filter(|disk| !disk.controllers.is_empty());
        each(disks, no_drive, |disk| disk.name.clone(), |disk| one(scene, disk))
    }),
};

/// States of a controller (drivers/nvme/host/core.c).
const STATES: [&str; 7] = ["new", "live", "resetting", "connecting", "deleting", "deleting (no IO)", "dead"];

struct PathOf {
    drive: Drive,
    state: Raw,
    node: Option<i32>,
}

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let read = |controller: &String| path_of(scene, controller);
    let paths: Vec<PathOf> = disk.controllers.iter().map(read).collect::<Result<_, _>>()?;
    let seen = paths.iter().fold(Observation::on(&disk.name), |seen, path| seen.show(&path.state));
    let down: Vec<String> = paths.iter().filter(|path| path.state.text != "live").map(say_state).collect();
    if !down.is_empty() {
        let says = format!("not all of {} paths are live: {}", paths.len(), down.join(", "));
        return Ok(seen.warn_for(&[Latency, Repeatability], says));
    }
    if let [path] = paths.as_slice() {
        return Ok(seen.ok(format!("one path, through {}", path.drive.controller)));
    }
    let policy = policy(scene, disk)?;
    let seen = seen.show(&policy);
    let says = format!("{} paths, chosen by {}", paths.len(), policy.text);
    Ok(match policy.text == "numa" && is_remote(scene, &paths) {
        true => seen.warn_for(&[Latency], format!("{says}, and none is on the node of the job's CPUs")),
        false => seen.info(says),
    })
}

fn path_of(scene: &Scene<'_>, controller: &str) -> Result<PathOf, Unknown> {
    let drive = Drive::of(controller);
    let state = scene.read(drive.dir.join("state"))?;
    if !STATES.contains(&state.text.as_str()) {
        return Err(state.garbled());
    }
    let node = scene.value::<i32>(drive.dir.join("numa_node")).ok().map(|(node, _)| node);
    Ok(PathOf { drive, state, node })
}

fn say_state(path: &PathOf) -> String {
    format!("{} is {}", path.drive.controller, path.state.text)
}

/// The `device` of a multipath disk is its subsystem.
fn policy(scene: &Scene<'_>, disk: &Disk) -> Result<Raw, Unknown> {
    let policy = scene.read(Path::new(&disk.sys_dir).join("device/iopolicy"))?;
    match policy.text.as_str() {
        "numa" | "round-robin" | "queue-depth" => Ok(policy),
        other => Err(Unknown::garbled(&policy.path, other)),
    }
}

/// Whether the job's CPUs are known and no path is on one of their nodes.
fn is_remote(scene: &Scene<'_>, paths: &[PathOf]) -> bool {
    let Some(cpus) = &scene.job.cpus else {
        return false;
    };
    let nodes = scene.nodes();
    let near = |path: &PathOf| match path.node {
        Some(node) if node >= 0 => {
            nodes.iter().any(|(number, of)| *number as i32 == node && !of.intersection(cpus).is_empty())
        }
        _ => true,
    };
    !paths.iter().any(near)
}
