//! Where the job and its drives are.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::audit::{Disk, Grade, Grades, Observation, Observed, Raw, Scene, each};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;
use fathom_text::words::counted;

/// The CPUs and memory nodes that the job's workers, or else this process, may use.
struct Allowed {
    /// CPUs of the job if it names any, else those of this process.
    pub cpus: CpuSet,
    /// Nodes whose memory this process may use.
    pub memory: Option<CpuSet>,
    /// The lines of `/proc/self/status` that were read.
    pub raw: Option<Raw>,
}

impl Allowed {
    /// From the job, and from this process's own status, which a capture keeps.
    /// The status shows which CPUs a container or a cgroup does not allow.
    pub fn of(scene: &Scene<'_>) -> Result<Self, Unknown> {
        let status = scene.read("/proc/self/status");
        let list = |raw: &Raw, key: &str| -> Option<CpuSet> {
            let line = raw.text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
            CpuSet::from_list(line).ok()
        };
        let memory = status.as_ref().ok().and_then(|raw| list(raw, "Mems_allowed_list"));
        if let Some(cpus) = scene.job.cpus.clone() {
            return Ok(Self { cpus, memory, raw: None });
        }
        let raw = status?;
        let lists: Vec<&str> = raw.text.lines().filter(|line| line.contains("_allowed_list")).collect();
        let shown = Raw { path: raw.path.clone(), text: lists.join("\n") };
        let garbled = || Unknown::garbled(&raw.path, &shown.text);
        let cpus = list(&raw, "Cpus_allowed_list").filter(|cpus| !cpus.is_empty()).ok_or_else(garbled)?;
        Ok(Self { cpus, memory, raw: Some(shown) })
    }
}

/// `numa.device_node`: does the firmware report which socket a drive is connected to?
pub(super) fn device_node(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (node, raw) = scene.node_of(disk)?;
    let nodes = scene.nodes_with_cpus()?;
    let seen = Observation::on(&disk.name).show(&raw);
    let Some(node) = node else {
        return Ok(match nodes.len() {
            1 => seen.ok("the machine has one node"),
            count => {
                seen.warn(format!("the firmware does not report which of the {count} nodes it is near to"))
            }
        });
    };
    // A node without CPUs is possible; a node that does not exist is an error of the firmware.
    if !scene.root.exists(format!("/sys/devices/system/node/node{node}")) {
        return Err(raw.garbled());
    }
    let near = nodes.iter().find(|(number, _)| *number == node);
    let cpus = near.map_or_else(|| "no CPUs".to_owned(), |(_, cpus)| format!("CPUs {cpus}"));
    Ok(seen.ok(format!("on node {node}, near {cpus}")))
}

/// From this many I/Os in flight on, we assume that the link between the
/// sockets is busy. It is the depth of the IOPS and bandwidth jobs of the
/// guides (V-35, V-37).
const SATURATING_DEPTH: u64 = 32;

/// `numa.job_local`: do the workers run on the drive's own socket?
pub(super) fn job_local(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let allowed = Allowed::of(scene)?;
    let seen = Observation::on(&disk.name);
    let seen = allowed.raw.iter().fold(seen, Observation::show);
    if nodes.len() == 1 {
        return Ok(seen.ok("the machine has one node"));
    }
    let (seen, near) = scene.near_of(disk, nodes, seen)?;
    let Some((node, near)) = near else {
        return Ok(
            seen.not_applicable("the firmware does not report the drive's node (see numa.device_node)")
        );
    };
    if allowed.memory.as_ref().is_some_and(|memory| !memory.contains(node)) {
        let says = format!("memory is not allowed on node {node} of the drive");
        return Ok(seen.warn_for(&[Latency, Bandwidth], says));
    }
    Ok(place(scene, seen, &allowed, node, &near))
}

fn place(scene: &Scene<'_>, seen: Observation, allowed: &Allowed, node: u32, near: &CpuSet) -> Observation {
    let cpus = &allowed.cpus;
    if cpus.is_within(near) {
        return seen.ok(format!("CPUs {cpus} are on node {node} of the drive"));
    }
    if cpus.intersection(near).is_empty() {
        let verdicts = Grades::on(&[Latency, Iops, Bandwidth], Grade::Warn);
        let is_saturating = scene.job.iodepth.is_some_and(|depth| depth >= SATURATING_DEPTH);
        let verdicts = if is_saturating { verdicts.and(&[Iops, Bandwidth], Grade::Bad) } else { verdicts };
        return seen.judge(verdicts, format!("none of the CPUs {cpus} is on node {node} of the drive"));
    }
    let says = format!("only some of the CPUs {cpus} are on node {node} of the drive");
    match scene.job.cpus {
        Some(_) => seen.warn_for(&[Repeatability], says),
        None => seen.info(format!("{says}; a job may choose CPUs {near}")),
    }
}

/// `numa.array_span`: are all drives of an array connected to one socket?
pub(super) fn array_span(scene: &Scene<'_>) -> Vec<Observation> {
    let stack = Stack::read(scene);
    let none = || Observation::on("host").not_applicable("no target is made of several drives");
    let name = |array: &usize| stack.name(*array).to_owned();
    each(stack.arrays(), none, name, |array| array_span_of(scene, stack.name(*array), &stack.drives(*array)))
}

fn array_span_of(scene: &Scene<'_>, array: &str, drives: &[&Disk]) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let mut seen = Observation::on(array);
    if drives.is_empty() {
        return Ok(seen.not_applicable("it has no drive below it"));
    }
    let mut by_node: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let mut untold = Vec::new();
    for drive in drives {
        let (node, raw) = scene.node_of(drive)?;
        seen = seen.show(&raw);
        match node {
            Some(node) => by_node.entry(node).or_default().push(&drive.name),
            None => untold.push(drive.name.as_str()),
        }
    }
    if nodes.len() == 1 {
        return Ok(seen.ok("the machine has one node"));
    }
    let lists: Vec<String> =
        by_node.iter().map(|(node, names)| format!("node {node}: {}", names.join(" "))).collect();
    Ok(match (by_node.len(), untold.is_empty()) {
        (2.., _) => {
            let says = format!("its drives are on {} nodes ({})", by_node.len(), lists.join("; "));
            seen.warn_for(&[Iops, Bandwidth], says)
        }
        (1, true) => seen.ok(format!("all its drives are on one node ({})", lists.join("; "))),
        _ => seen.not_applicable(format!("the firmware does not report the node of {}", untold.join(", "))),
    })
}

/// The block devices of a scene and what is directly below each, read once for all of them.
struct Stack<'s> {
    /// Stacked devices in the order of the scene, then the drives at the bottom.
    devices: Vec<&'s Disk>,
    /// For each of `devices`, the indexes of its members in `devices`.
    members: Vec<Vec<usize>>,
}

impl<'s> Stack<'s> {
    /// Reads the `slaves` of every stacked device of the scene.
    pub(super) fn read(scene: &'s Scene<'_>) -> Self {
        let devices: Vec<&Disk> = scene.stacked.iter().chain(&scene.disks).collect();
        let places = devices.iter().enumerate().map(|(at, device)| (device.sys_dir.as_path(), at));
        let places: HashMap<&Path, usize> = places.collect();
        let members = |array: &Disk| {
            let links = scene.glob(&format!("{}/slaves/*", array.sys_dir.display()));
            let dirs = links.iter().filter_map(|link| scene.root.resolve(link).ok());
            // A partition's directory is in that of its disk.
            dirs.filter_map(|dir| dir.ancestors().find_map(|dir| places.get(dir).copied())).collect()
        };
        let members = scene.stacked.iter().map(members).collect();
        Self { devices, members }
    }

    /// The indexes of the stacked devices that are made of others.
    pub(super) fn arrays(&self) -> impl Iterator<Item = usize> {
        (0..self.members.len()).filter(|array| !self.members[*array].is_empty())
    }

    /// The name of the device at an index.
    pub(super) fn name(&self, at: usize) -> &'s str {
        &self.devices[at].name
    }

    /// The drives at the bottom of a stacked device, each once. We visit every
    /// device once and without recursion, because a capture may contain devices
    /// that are made of themselves, and stacks of any height.
    pub(super) fn drives(&self, array: usize) -> Vec<&'s Disk> {
        let mut is_seen = vec![false; self.devices.len()];
        is_seen[array] = true;
        let (mut left, mut drives) = (vec![array], Vec::new());
        while let Some(at) = left.pop() {
            let Some(members) = self.members.get(at) else {
                drives.push(self.devices[at]);
                continue;
            };
            let is_new = |member: &usize| !std::mem::replace(&mut is_seen[*member], true);
            let new: Vec<usize> = members.iter().copied().filter(is_new).collect();
            left.extend(new.into_iter().rev());
        }
        drives
    }
}

/// Bits of the value: balance between nodes; move between kinds of memory.
const NORMAL: u8 = 1;
const TIERING: u8 = 2;

/// `numa.balancing`: does the kernel move memory between nodes while we measure?
pub(super) fn balancing(scene: &Scene<'_>) -> Observed {
    let (value, raw) = scene.value::<u8>("/proc/sys/kernel/numa_balancing")?;
    let seen = Observation::on("host").show(&raw);
    if value > NORMAL | TIERING {
        return Err(raw.garbled());
    }
    if value == 0 {
        return Ok(seen.ok("the kernel does not move memory between nodes"));
    }
    if value == TIERING {
        return Ok(seen.info("pages move between kinds of memory"));
    }
    if scene.nodes_with_cpus()?.len() == 1 {
        return Ok(seen.ok("the machine has one node, so nothing is balanced"));
    }
    Ok(match scene.job.cpus {
        Some(_) => seen.warn_for(&[Repeatability], "the kernel moves memory although the workers are pinned"),
        None => seen.info("the kernel moves memory and tasks to the same node"),
    })
}

/// `numa.sub_node`: is a socket divided into several nodes?
pub(super) fn sub_node(scene: &Scene<'_>) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let mut seen = Observation::on("host");
    let mut by_socket: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
    for (node, cpus) in &nodes {
        let dir = format!("/sys/devices/system/node/node{node}");
        seen = seen.with(format!("{dir}/cpulist"), cpus.to_string());
        if let Ok(distance) = scene.read(format!("{dir}/distance")) {
            seen = seen.show(&distance);
        }
        by_socket.entry(socket(scene, cpus)?).or_default().push(*node);
    }
    let divided: Vec<String> = by_socket.iter().filter(|(_, nodes)| nodes.len() > 1).map(list).collect();
    Ok(match divided.as_slice() {
        [] => seen.ok(format!("{}, each of them a whole socket or more", counted(nodes.len(), "node"))),
        _ => seen.info(divided.join("; ")),
    })
}

fn list((socket, nodes): (&i32, &Vec<u32>)) -> String {
    let nodes: Vec<String> = nodes.iter().map(u32::to_string).collect();
    format!("socket {socket} is divided into nodes {}", nodes.join(", "))
}

/// The socket of a node's first CPU. A virtual machine may have several sockets
/// in one node; then no socket is divided.
fn socket(scene: &Scene<'_>, cpus: &CpuSet) -> Result<i32, Unknown> {
    let cpu = cpus.iter().next().unwrap_or(0);
    Ok(scene.value(format!("/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"))?.0)
}
