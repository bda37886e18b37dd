//! The texts for drives, for what is on them and for what is made of them.

use std::fmt::Write;

use super::words;
use super::words::DiskText;
use crate::topology::block::{BlockDevice, Drive, Member, MountOn, Stack};
use crate::topology::function::Function;
use crate::topology::map::Topology;
use fathom_device::cpus::CpuSet;
use fathom_text::quantity;
use fathom_text::words::counted;

/// The disks of a function, each with its partitions. If there are several (an
/// adapter with drives behind it), each line has the identity of the disk; for
/// a single disk, the line of its function has it.
pub fn all(map: &Topology, function: &Function) -> Vec<DiskText> {
    let is_several = map.disks_of(function.address).count() > 1;
    let facts =
        |block: &BlockDevice| block.drive.as_ref().filter(|_| is_several).map(facts).unwrap_or_default();
    let disk_text = |block: &BlockDevice| {
        let disk_text = one(map, block);
        let name = disk_text.name + &path_of(function, block);
        DiskText { name, facts: facts(block), ..disk_text }
    };
    map.disks_of(function.address).map(disk_text).collect()
}

/// A disk with several paths is shown at the end of each.
fn path_of(function: &Function, block: &BlockDevice) -> String {
    let paths = &block.functions;
    let own = paths.iter().position(|address| *address == function.address);
    let own = own.filter(|_| paths.len() > 1).map(|own| format!("  path {} of {}", own + 1, paths.len()));
    own.unwrap_or_default()
}

/// A disk: size, block, what it is part of, where it is mounted.
pub fn one(map: &Topology, block: &BlockDevice) -> DiskText {
    let partitions = map.block.iter().filter(|b| b.partition.is_some() && b.parents.contains(&block.name));
    let mut below: Vec<DiskText> = partitions.map(|partition| one(map, partition)).collect();
    let mut name = block.name.clone();
    if let Some(bytes) = block.size_bytes.value {
        let _ = write!(name, " {}", quantity::bytes(bytes as f64));
    }
    if let Some(bytes) = block.drive.as_ref().and_then(|drive| drive.logical_block_bytes.value) {
        let _ = write!(name, " {bytes} B");
    }
    if let Some(zones) = block.drive.as_ref().and_then(|drive| drive.zones) {
        let _ = write!(name, " {}", zones.words());
    }
    name += mark(map, &block.name);
    let (inline, several) = placed(above(map, &block.name));
    name += &inline;
    below.extend(several);
    if let Some(reason) = &block.no_link {
        let _ = write!(name, "  link n-a: {reason}");
    }
    let flags = map.flags_of(&block.name).map(|flag| flag.short.clone()).collect();
    DiskText { name, flags, facts: Vec::new(), below }
}

/// Marks what the user asked for.
fn mark(map: &Topology, name: &str) -> &'static str {
    if map.aimed_at.contains(name) { " (target)" } else { "" }
}

/// A use, and what is on it in turn.
fn use_of(name: String, below: Vec<DiskText>) -> DiskText {
    DiskText { name, flags: Vec::new(), facts: Vec::new(), below }
}

/// One use belongs to the line of its device. Several are parallel, so each has a line of its own.
fn placed(mut uses: Vec<DiskText>) -> (String, Vec<DiskText>) {
    if uses.len() > 1 {
        return (String::new(), uses.into_iter().map(collapsed).collect());
    }
    match uses.pop().map(collapsed) {
        Some(one) => (format!(" {}", one.name), one.below),
        None => (String::new(), Vec::new()),
    }
}

/// The same use with what is on it in its own line, if that is one thing.
fn collapsed(one: DiskText) -> DiskText {
    let (inline, below) = placed(one.below);
    use_of(one.name + &inline, below)
}

/// What is on a device. A loop device is on the mount of the file system that contains its file.
fn above(map: &Topology, name: &str) -> Vec<DiskText> {
    let is_loop = |stack: &&Stack| stack.name.starts_with("loop");
    let (loops, others): (Vec<&Stack>, Vec<&Stack>) = map.stacks.iter().partition(is_loop);
    let mut loops = holders(&loops, name);
    let mut uses = holders(&others, name);
    let mounts = mounts(map, name).into_iter();
    uses.extend(mounts.map(|mount| use_of(mount.name, std::mem::take(&mut loops))));
    uses.extend(loops);
    uses
}

/// `→ md0 rd1`.
fn holders(stacks: &[&Stack], name: &str) -> Vec<DiskText> {
    let of_stack = |stack: &&Stack| {
        let member = stack.members.iter().find(|member| member.name == name)?;
        Some(use_of(format!("→ {}{}", stack.name, slot(member)), Vec::new()))
    };
    stacks.iter().filter_map(of_stack).collect()
}

/// ` rd1`: its place in an array.
fn slot(member: &Member) -> String {
    member.slot.map(|slot| format!(" rd{slot}")).unwrap_or_default()
}

/// `→ xfs /data (noatime)`.
fn mounts(map: &Topology, name: &str) -> Vec<DiskText> {
    let on = map.mounts.iter().filter(|mount| mount.block == name);
    let disk_text =
        |mount: &MountOn| format!("→ {} {} ({})", mount.fs_type, mount.point.display(), notable(mount));
    on.map(|mount| use_of(disk_text(mount), Vec::new())).collect()
}

/// The mount options that matter; options that every mount has are left out.
fn notable(mount: &MountOn) -> String {
    const USUAL: [&str; 4] = ["rw", "attr2", "inode64", "noquota"];
    let mut options: Vec<&str> =
        mount.options.split(',').filter(|o| !o.is_empty() && !USUAL.contains(o)).collect();
    options.dedup();
    if options.is_empty() { "rw".to_owned() } else { options.join(", ") }
}

/// `md0 raid5 chunk 128K 3 members idle  → xfs /data (noatime)`, and below it its members, which are
/// parallel.
pub fn stack(map: &Topology, stack: &Stack) -> DiskText {
    let mut text = stack.name.clone();
    if !stack.title.is_empty() {
        let _ = write!(text, " {}", stack.title);
    }
    text += mark(map, &stack.name);
    if let Some(bytes) = stack.chunk_bytes.as_ref().and_then(|chunk| chunk.value) {
        let _ = write!(text, " chunk {}K", bytes / 1024);
    }
    let mut below = Vec::new();
    match stack.members.as_slice() {
        [one] => text += &format!(" on {}", one.name),
        several => {
            text += &format!(" {} members", several.len());
            below.extend(several.iter().map(member));
        }
    }
    if let Some(state) = stack.state.as_ref().and_then(|state| state.value.as_ref()) {
        let _ = write!(text, " {state}");
    }
    let (inline, uses) = placed(above(map, &stack.name));
    let inline = inline.trim_start().to_owned();
    let facts = Some(inline).filter(|inline| !inline.is_empty()).into_iter().collect();
    let below = uses.into_iter().chain(below).collect();
    DiskText { name: text, flags: words::flags_of(map, &stack.name), facts, below }
}

fn member(member: &Member) -> DiskText {
    use_of(format!("{}{}", member.name, slot(member)), Vec::new())
}

/// The facts about the drive at this function, if there is one, and the
/// function's interrupts.
pub fn drive_facts(map: &Topology, function: &Function) -> Vec<String> {
    let drives: Vec<&Drive> =
        map.disks_of(function.address).filter_map(|block| block.drive.as_ref()).collect();
    match drives.as_slice() {
        [drive] => facts(drive).into_iter().chain(interrupts(function)).chain(queues(drive)).collect(),
        _ => interrupts(function).into_iter().collect(),
    }
}

/// Model, serial, firmware, temperature.
fn facts(drive: &Drive) -> Vec<String> {
    let named = [("", &drive.model), ("SN ", &drive.serial), ("fw ", &drive.firmware)];
    let named = named.into_iter().filter_map(|(word, fact)| Some(format!("{word}{}", fact.value.as_ref()?)));
    named.chain(drive.temperature_c.value.map(|celsius| format!("{celsius:.0}°C"))).collect()
}

fn interrupts(function: &Function) -> Option<String> {
    let managed = function.interrupts.iter().filter(|irq| irq.managed.value == Some(true)).count();
    match (function.interrupts.len(), managed) {
        (0, _) => None,
        (all, 0) => Some(counted(all, "irq")),
        (all, managed) => Some(format!("{}, {managed} managed", counted(all, "irq"))),
    }
}

fn queues(drive: &Drive) -> Option<String> {
    let known = drive.queues.iter().filter_map(|queue| queue.cpus.get());
    let cpus: CpuSet = known.flat_map(CpuSet::iter).collect();
    match drive.queues.len() {
        0 => None,
        count if cpus.is_empty() => Some(counted(count, "queue")),
        count => Some(format!("{}→cpu {cpus}", counted(count, "queue"))),
    }
}
