//! Devices that are made of others, and mounts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::block::{BlockDevice, BlockDevices};
use super::fact::Reading;
use fathom_device::mounts::{all_mounts, pool_members};
use fathom_device::root::Root;

/// A device that is made of others and is not a partition.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Stack {
    /// Kernel name.
    pub name: String,
    /// The name that a user gave it (device-mapper), or its level (`raid5`).
    pub title: String,
    /// Consecutive bytes on one member.
    pub chunk_bytes: Option<Reading<u64>>,
    /// Its current work (`idle`, `resync`).
    pub state: Option<Reading<String>>,
    /// Members.
    pub members: Vec<Member>,
}

/// A member of a stack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Member {
    /// Kernel name.
    pub name: String,
    /// Its slot number in an array.
    pub slot: Option<u32>,
    /// The disks below it.
    pub disks: Vec<String>,
}

/// A mounted file system, on a device of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MountOn {
    /// Kernel name of the device.
    pub block: String,
    /// The mount point.
    pub point: PathBuf,
    /// File system type.
    pub fs_type: String,
    /// Mount options.
    pub options: String,
}

/// All stacks, in the order of their names.
pub fn stacks(root: &Root, blocks: &BlockDevices) -> Vec<Stack> {
    let made = blocks.values().filter(|block| block.partition.is_none() && !block.parents.is_empty());
    made.map(|block| stack(root, block, blocks)).collect()
}

fn stack(root: &Root, block: &BlockDevice, blocks: &BlockDevices) -> Stack {
    let file = |name: &str| block.dir.join(name);
    let is_md = root.exists(file("md"));
    let chunk = Reading::parsed(root, file("md/chunk_size"));
    let state = Reading::text(root, file("md/sync_action"));
    let texts = ["md/level", "dm/name", "loop/backing_file"];
    let title = texts.iter().find_map(|text| root.read_text(file(text)).ok()).unwrap_or_default();
    let member = |name: &String| Member {
        name: name.clone(),
        slot: root.read_value(file(&format!("md/dev-{name}/slot"))).ok(),
        disks: disks_under(blocks, name),
    };
    let mut members: Vec<Member> = block.parents.iter().map(member).collect();
    members.sort_by_key(|member| (member.slot.unwrap_or(u32::MAX), member.name.clone()));
    Stack {
        name: block.name.clone(),
        title,
        // A mirror has no chunk, which the kernel writes as 0.
        chunk_bytes: (is_md && chunk.value != Some(0)).then_some(chunk),
        state: is_md.then_some(state),
        members,
    }
}

/// The disks at the bottom of a device, each once. A capture may contain
/// devices that are made of each other, so we visit each device only once.
pub fn disks_under(blocks: &BlockDevices, name: &str) -> Vec<String> {
    let mut seen = BTreeSet::from([name]);
    let mut waiting = vec![name];
    let mut disks = Vec::new();
    while let Some(block) = waiting.pop().and_then(|name| blocks.get(name)) {
        if block.parents.is_empty() {
            disks.push(block.name.clone());
        }
        waiting.extend(
            block
                .parents
                .iter()
                .map(String::as_str)
                .filter(|name| blocks.contains_key(*name) && seen.insert(name)),
        );
    }
    disks.sort();
    disks
}

/// Every mount of a device of the map, each mount point once. If a file system
/// is on several devices, each of them has the mount.
pub fn mounts(root: &Root, blocks: &BlockDevices) -> Vec<MountOn> {
    let name_of = |number| blocks.values().find(|block| block.number == number).map(|block| &block.name);
    let pools = pool_members(root);
    let mut mounts = Vec::new();
    for mount in all_mounts(root).unwrap_or_default() {
        for name in mount.block_numbers(root, &pools).into_iter().filter_map(name_of) {
            let (point, fs_type, options) =
                (mount.point.clone(), mount.fs_type.clone(), mount.options.clone());
            mounts.push(MountOn { block: name.clone(), point, fs_type, options });
        }
    }
    mounts.sort_by(|a, b| (&a.block, &a.point).cmp(&(&b.block, &b.point)));
    mounts.dedup_by(|a, b| (&a.block, &a.point) == (&b.block, &b.point));
    mounts
}
