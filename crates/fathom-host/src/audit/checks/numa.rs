//! NUMA and memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::audit::checks::prelude::*;
use crate::smbios::{MemorySlot, TABLE, memory_slots};

/// The checks of the families `numa` and `mem`.
pub(super) const FAMILY: Family = (
    include_str!("numa.toml"),
    &[
        ("numa.device_node", EachDisk(device_node)),
        ("numa.job_local", EachDisk(job_local)),
        ("numa.array_span", Several(array_span)),
        ("numa.balancing", Of("host", balancing)),
        ("numa.sub_node", Of("host", sub_node)),
        ("numa.dimms", Of("host", dimms)),
        ("mem.errors", Watch(&COUNTERS, &Several(errors))),
        ("mem.headroom", All("memory", headroom)),
    ],
);

// Where the job and its drives are.

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
fn device_node(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (node, raw) = scene.node_of(disk)?;
    let nodes = scene.nodes_with_cpus()?;
    let observation = Observation::on(&disk.name).show(&raw);
    let Some(node) = node else {
        return Ok(match nodes.len() {
            1 => observation.ok("the machine has one node"),
            count => observation
                .warn(format!("the firmware does not report which of the {count} nodes it is near to")),
        });
    };
    // A node without CPUs is possible; a node that does not exist is an error of the firmware.
    if !scene.root.exists(format!("/sys/devices/system/node/node{node}")) {
        return Err(raw.garbled());
    }
    let near = nodes.iter().find(|(number, _)| *number == node);
    let cpus = near.map_or_else(|| "no CPUs".to_owned(), |(_, cpus)| format!("CPUs {cpus}"));
    Ok(observation.ok(format!("on node {node}, near {cpus}")))
}

/// From this many I/Os in flight on, we assume that the link between the
/// sockets is busy. It is the depth of the IOPS and bandwidth jobs of the
/// guides.
const SATURATING_DEPTH: u64 = 32;

/// `numa.job_local`: do the workers run on the drive's own socket?
fn job_local(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let allowed = Allowed::of(scene)?;
    let observation = Observation::on(&disk.name);
    let observation = allowed.raw.iter().fold(observation, Observation::show);
    if nodes.len() == 1 {
        return Ok(observation.ok("the machine has one node"));
    }
    let (observation, near) = scene.near_of(disk, nodes, observation)?;
    let Some((node, near)) = near else {
        return Ok(observation
            .not_applicable("the firmware does not report the drive's node (see numa.device_node)"));
    };
    if allowed.memory.as_ref().is_some_and(|memory| !memory.contains(node)) {
        let says = format!("memory is not allowed on node {node} of the drive");
        return Ok(observation.warn_for(&[Latency, Bandwidth], says));
    }
    Ok(place(scene, observation, &allowed, node, &near))
}

fn place(
    scene: &Scene<'_>,
    observation: Observation,
    allowed: &Allowed,
    node: u32,
    near: &CpuSet,
) -> Observation {
    let cpus = &allowed.cpus;
    if cpus.is_within(near) {
        return observation.ok(format!("CPUs {cpus} are on node {node} of the drive"));
    }
    if cpus.intersection(near).is_empty() {
        let verdicts = Grades::on(&[Latency, Iops, Bandwidth], Grade::Warn);
        let is_saturating = scene.job.iodepth.is_some_and(|depth| depth >= SATURATING_DEPTH);
        let verdicts = if is_saturating { verdicts.and(&[Iops, Bandwidth], Grade::Bad) } else { verdicts };
        return observation
            .judge(verdicts, format!("none of the CPUs {cpus} is on node {node} of the drive"));
    }
    let says = format!("only some of the CPUs {cpus} are on node {node} of the drive");
    match scene.job.cpus {
        Some(_) => observation.warn_for(&[Repeatability], says),
        None => observation.info(format!("{says}; a job may choose CPUs {near}")),
    }
}

/// `numa.array_span`: are all drives of an array connected to one socket?
fn array_span(scene: &Scene<'_>) -> Vec<Observation> {
    let stack = Stack::read(scene);
    let none = || Observation::on("host").not_applicable("no target is made of several drives");
    let name = |array: &usize| stack.name(*array).to_owned();
    each(stack.arrays(), none, name, |array| array_span_of(scene, stack.name(*array), &stack.drives(*array)))
}

fn array_span_of(scene: &Scene<'_>, array: &str, drives: &[&Disk]) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let mut observation = Observation::on(array);
    if drives.is_empty() {
        return Ok(observation.not_applicable("it has no drive below it"));
    }
    let mut by_node: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let mut untold = Vec::new();
    for drive in drives {
        let (node, raw) = scene.node_of(drive)?;
        observation = observation.show(&raw);
        match node {
            Some(node) => by_node.entry(node).or_default().push(&drive.name),
            None => untold.push(drive.name.as_str()),
        }
    }
    if nodes.len() == 1 {
        return Ok(observation.ok("the machine has one node"));
    }
    let lists: Vec<String> =
        by_node.iter().map(|(node, names)| format!("node {node}: {}", names.join(" "))).collect();
    Ok(match (by_node.len(), untold.is_empty()) {
        (2.., _) => {
            let says = format!("its drives are on {} nodes ({})", by_node.len(), lists.join("; "));
            observation.warn_for(&[Iops, Bandwidth], says)
        }
        (1, true) => observation.ok(format!("all its drives are on one node ({})", lists.join("; "))),
        _ => observation
            .not_applicable(format!("the firmware does not report the node of {}", untold.join(", "))),
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
    fn read(scene: &'s Scene<'_>) -> Self {
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
    fn arrays(&self) -> impl Iterator<Item = usize> {
        (0..self.members.len()).filter(|array| !self.members[*array].is_empty())
    }

    /// The name of the device at an index.
    fn name(&self, at: usize) -> &'s str {
        &self.devices[at].name
    }

    /// The drives at the bottom of a stacked device, each once. We visit every
    /// device once and without recursion, because a capture may contain devices
    /// that are made of themselves, and stacks of any height.
    fn drives(&self, array: usize) -> Vec<&'s Disk> {
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
fn balancing(scene: &Scene<'_>) -> Observed {
    let (value, raw) = scene.value::<u8>("/proc/sys/kernel/numa_balancing")?;
    let observation = Observation::on("host").show(&raw);
    if value > NORMAL | TIERING {
        return Err(raw.garbled());
    }
    if value == 0 {
        return Ok(observation.ok("the kernel does not move memory between nodes"));
    }
    if value == TIERING {
        return Ok(observation.info("pages move between kinds of memory"));
    }
    if scene.nodes_with_cpus()?.len() == 1 {
        return Ok(observation.ok("the machine has one node, so nothing is balanced"));
    }
    Ok(match scene.job.cpus {
        Some(_) => {
            observation.warn_for(&[Repeatability], "the kernel moves memory although the workers are pinned")
        }
        None => observation.info("the kernel moves memory and tasks to the same node"),
    })
}

/// `numa.sub_node`: is a socket divided into several nodes?
fn sub_node(scene: &Scene<'_>) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let mut observation = Observation::on("host");
    let mut by_socket: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
    for (node, cpus) in &nodes {
        let dir = format!("/sys/devices/system/node/node{node}");
        observation = observation.with(format!("{dir}/cpulist"), cpus.to_string());
        if let Ok(distance) = scene.read(format!("{dir}/distance")) {
            observation = observation.show(&distance);
        }
        by_socket.entry(socket(scene, cpus)?).or_default().push(*node);
    }
    let divided: Vec<String> = by_socket.iter().filter(|(_, nodes)| nodes.len() > 1).map(list).collect();
    Ok(match divided.as_slice() {
        [] => {
            observation.ok(format!("{}, each of them a whole socket or more", counted(nodes.len(), "node")))
        }
        _ => observation.info(divided.join("; ")),
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

// The memory: its modules, its errors, and how much is free.

/// `numa.dimms`: are all memory channels filled, with equal modules?
fn dimms(scene: &Scene<'_>) -> Observed {
    let bytes = scene.root.read_bytes(TABLE)?;
    let start = &bytes[..bytes.len().min(16)];
    let garbled = || Unknown::garbled(TABLE.as_ref(), &String::from_utf8_lossy(start));
    let slots = memory_slots(&bytes).ok_or_else(garbled)?;
    Ok(judged_dimms(TABLE.as_ref(), &slots))
}

/// Judges the modules that `path` lists.
pub(crate) fn judged_dimms(path: &Path, slots: &[MemorySlot]) -> Observation {
    let filled: Vec<&MemorySlot> = slots.iter().filter(|slot| slot.size_mb.is_some()).collect();
    let lines: Vec<String> = filled.iter().map(|slot| line(slot)).collect();
    let observation = Observation::on("host").with(path, lines.join("\n"));
    if filled.is_empty() {
        return observation.not_applicable("the firmware lists no memory module");
    }
    let counted = format!("{} of {} slots are filled", filled.len(), slots.len());
    let faults = [empty_channels(slots), mixed(&filled)];
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    if !faults.is_empty() {
        return observation.warn_for(&[Bandwidth], format!("{counted}: {}", faults.join("; ")));
    }
    let slow =
        filled.iter().find(|slot| slot.configured_mts < slot.speed_mts && slot.configured_mts.is_some());
    match slow {
        Some(slot) => {
            observation.info(format!("{counted}, and modules run below their speed: {}", line(slot)))
        }
        None => observation.ok(format!("{counted}, all equal")),
    }
}

fn line(slot: &MemorySlot) -> String {
    let mts = |speed: Option<u16>| speed.map_or("?".to_owned(), |speed| speed.to_string());
    let size_mb = slot.size_mb.unwrap_or(0);
    let (runs, can) = (mts(slot.configured_mts), mts(slot.speed_mts));
    format!("{} {}: {size_mb} MB, {runs} of {can} MT/s", slot.bank, slot.locator).trim().to_owned()
}

/// How many channels are empty, if the name of every slot contains its channel.
fn empty_channels(slots: &[MemorySlot]) -> Option<String> {
    let mut channels: BTreeMap<String, bool> = BTreeMap::new();
    for slot in slots {
        *channels.entry(slot.channel()?).or_default() |= slot.size_mb.is_some();
    }
    let empty = channels.iter().filter(|(_, is_filled)| !**is_filled).count();
    (empty > 0).then(|| format!("{empty} of {} channels are empty", channels.len()))
}

fn mixed(filled: &[&MemorySlot]) -> Option<String> {
    let sizes: BTreeSet<_> = filled.iter().map(|slot| slot.size_mb).collect();
    let speeds: BTreeSet<_> = filled.iter().map(|slot| slot.configured_mts.or(slot.speed_mts)).collect();
    match (sizes.len() > 1, speeds.len() > 1) {
        (false, false) => None,
        (true, false) => Some("modules differ in size".to_owned()),
        (false, true) => Some("modules differ in speed".to_owned()),
        (true, true) => Some("modules differ in size and speed".to_owned()),
    }
}

const COUNTERS: [&str; 2] =
    ["/sys/devices/system/edac/mc/mc#/ce_count", "/sys/devices/system/edac/mc/mc#/ue_count"];

/// `mem.errors`: were there memory errors?
fn errors(scene: &Scene<'_>) -> Vec<Observation> {
    let files: Vec<_> = COUNTERS.iter().flat_map(|pattern| scene.glob(pattern)).collect();
    let missing =
        || Observation::unknown("host", Unknown::missing("/sys/devices/system/edac/mc/mc0/ce_count"));
    each(files, missing, |file| subject(file), |file| errors_of(scene, file))
}

// The host catalogue has this in one row with numa.dimms. It is a separate
// check because it is made again at the end of a run, and modules of unequal
// size must not taint the run.

/// `mc0`.
fn subject(file: &Path) -> String {
    file.parent().map(leaf).unwrap_or_default()
}

fn errors_of(scene: &Scene<'_>, file: &Path) -> Observed {
    let (count, raw) = scene.value::<u64>(file)?;
    let observation = Observation::on(subject(file)).show(&raw);
    let is_corrected = leaf(file) == "ce_count";
    let word = if is_corrected { "corrected" } else { "uncorrected" };
    Ok(match (scene.growth(file), count) {
        (_, 0) => observation.ok(format!("no {word} error since boot")),
        (Ok((grown, _)), _) if grown > 0 => {
            let verdicts = match is_corrected {
                true => Grades::on(&[Repeatability], Grade::Warn),
                false => Grades::all(Grade::Bad),
            };
            observation.judge(verdicts, format!("{grown} {word} errors while we looked"))
        }
        _ => observation.info(format!("{count} {word} errors since boot")),
    })
}

const MEMINFO: &str = "/proc/meminfo";

/// `mem.headroom`: is there enough memory for the job's buffers?
fn headroom(scene: &Scene<'_>) -> ObservedAll {
    let raw = scene.read(MEMINFO)?;
    let buffers = Observation::or_unknown("memory", buffers(scene, &raw));
    Ok(vec![buffers, Observation::or_unknown("swap", swap(&raw))])
}

/// Kilobytes of a line, `MemFree:   60000000 kB`; in a node's file the line
/// begins with `Node 0`.
fn kb(raw: &Raw, key: &str) -> Result<u64, Unknown> {
    let line = raw.text.lines().find(|line| line.split_once(':').is_some_and(|(name, _)| is_key(name, key)));
    let value = line.and_then(|line| line.split_once(':')?.1.split_whitespace().next()?.parse().ok());
    value.ok_or_else(|| {
        Unknown::garbled(&raw.path, line.unwrap_or(raw.text.lines().next().unwrap_or_default()))
    })
}

fn is_key(name: &str, key: &str) -> bool {
    name == key || (name.starts_with("Node ") && name.ends_with(&format!(" {key}")))
}

fn show(raw: &Raw, keys: &[&str]) -> String {
    let is_shown = |line: &&str| keys.iter().any(|key| line.contains(&format!("{key}:")));
    raw.text.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

fn buffers(scene: &Scene<'_>, raw: &Raw) -> Observed {
    let available_kb = kb(raw, "MemAvailable")?;
    let observation = Observation::on("memory").with(&raw.path, show(raw, &["MemAvailable"]));
    let Some(needed) = scene.job.buffer_bytes else {
        return Ok(observation.ok(format!("{} are available", mib(available_kb))));
    };
    let needed_kb = needed.div_ceil(1024);
    let says = format!("the job's buffers take {} of {} available", mib(needed_kb), mib(available_kb));
    if needed_kb > available_kb / 2 {
        return Ok(observation.warn(says));
    }
    let Some((node, free_kb, raw)) = own_node(scene)? else {
        return Ok(observation.ok(says));
    };
    let observation = observation.with(&raw.path, show(&raw, &["MemFree"]));
    if needed_kb > free_kb {
        let says =
            format!("the job's buffers take {}, node {node} has {} free", mib(needed_kb), mib(free_kb));
        return Ok(observation.warn_for(&[Latency, Bandwidth], says));
    }
    Ok(observation.ok(format!("{says}, and {} are free on node {node}", mib(free_kb))))
}

/// The node that all CPUs of the job are on, with its free memory.
fn own_node(scene: &Scene<'_>) -> Result<Option<(u32, u64, Raw)>, Unknown> {
    let job: Option<&CpuSet> = scene.job.cpus.as_ref().filter(|cpus| !cpus.is_empty());
    let node = job.and_then(|cpus| scene.nodes().into_iter().find(|(_, node)| cpus.is_within(node)));
    let Some((node, _)) = node else {
        return Ok(None);
    };
    let raw = scene.read(Path::new(&format!("/sys/devices/system/node/node{node}/meminfo")))?;
    Ok(Some((node, kb(&raw, "MemFree")?, raw)))
}

fn swap(raw: &Raw) -> Observed {
    let used_kb = kb(raw, "SwapTotal")?.saturating_sub(kb(raw, "SwapFree")?);
    let total_kb = kb(raw, "MemTotal")?;
    let observation =
        Observation::on("swap").with(&raw.path, show(raw, &["SwapTotal", "SwapFree", "MemTotal"]));
    Ok(match used_kb {
        0 => observation.ok("no swap is in use"),
        used if used > total_kb / 100 => {
            observation.warn_for(&[Repeatability], format!("{} of swap are in use", mib(used)))
        }
        used => observation.info(format!("{} of swap are in use", mib(used))),
    })
}

fn mib(kb: u64) -> String {
    format!("{} MiB", kb / 1024)
}
