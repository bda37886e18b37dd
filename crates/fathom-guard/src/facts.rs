//! All facts for the verdict on a block device, gathered at once.

use crate::array::container_of;
use fathom_device::device::ByIdNames;
use fathom_device::device::{DevNumber, Graph, Identity, Node, Relation, disks_named};
use fathom_device::kernel_use::{FileUse, KernelUse, standing_on};
use fathom_device::loops::LoopDevice;
use fathom_device::mounts::{Mount, PoolMember, all_mounts, pool_members};
use fathom_device::openers::{Opener, openers};
use fathom_device::openers::{Reserved, reserved_devices};
use fathom_device::root::{Root, Unknown};
use fathom_device::same_file::FileView;
use fathom_device::signature::{Contents, Samples, partitions};
use fathom_device::swaps::{Swap, active_swaps};
use std::fs::File;
use std::io;
use std::iter::Chain;
use std::ops::Range;
use std::path::Path;
use std::slice::Iter;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct NodeContents {
    pub node: String,
    /// What was found at both ends and at the places of spare superblocks.
    pub contents: Result<Contents, String>,
}

impl NodeContents {
    pub(super) fn of(node: impl Into<String>, all_contents: io::Result<Contents>) -> Self {
        Self { node: node.into(), contents: all_contents.map_err(|e| e.to_string()) }
    }
}

/// The facts about a block device as a target for writing.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The target and everything that shares bytes with it.
    pub graph: Graph,
    /// The identity of the target.
    pub identity: Identity,
    /// All other disks, to find names that only the target has.
    pub others: Others,
    /// The target again, through the other paths to its disk.
    pub paths: Vec<Graph>,
    /// What does not depend on the target. The monitors of its arrays are not among the openers.
    pub shared: SharedFacts,
    /// Contents of the target, of the nodes within it, and of the disk around
    /// a partition.
    pub contents: Vec<NodeContents>,
    /// Uses of the files behind the target, other than loop devices.
    pub behind: Vec<Behind>,
    /// Samples of the whole target, or why they could not be read; `None`
    /// where the verdict did not depend on them.
    pub samples: Option<Result<Samples, String>>,
}

/// A use of the file behind a loop device that the target is made of.
#[derive(Debug, Clone)]
pub struct Behind {
    pub device: LoopDevice,
    pub standing: FileUse,
}

/// What does not depend on the target: read once where many targets are
/// looked at, and shared by the facts about all of them.
#[derive(Debug, Clone)]
pub struct SharedFacts {
    by_id: Arc<ByIdNames>,
    disks: Arc<[Identity]>,
    /// Mounts, each with the block device it comes from.
    pub mounts: Arc<[(DevNumber, Mount)]>,
    /// Members of mounted file systems of several devices.
    pub pools: Arc<[PoolMember]>,
    /// Active swap.
    pub swaps: Arc<[Swap]>,
    /// Other processes' open devices.
    pub openers: Arc<[Opener]>,
    /// Devices that the running system needs.
    pub reserved: Arc<[Reserved]>,
    loops: Arc<[LoopDevice]>,
    /// The kernel's uses of files, without loop devices.
    uses: Arc<[KernelUse]>,
}

impl SharedFacts {
    /// Reads them. A fact that must be known and cannot be read is an error, because fathom does not
    /// write to anything that may be in use.
    pub fn read(root: &Root) -> Result<Self, Unknown> {
        Ok(Self { openers: openers(root)?.into(), ..Self::without_openers(root)? })
    }

    /// The same without the open devices of other processes, for which every process must be looked
    /// at.
    pub(super) fn without_openers(root: &Root) -> Result<Self, Unknown> {
        let mounts = all_mounts(root)?.into_iter();
        let mounts = mounts.filter_map(|mount| Some((mount.block_number(root)?, mount)));
        let by_id = ByIdNames::read(root);
        let (mut loops, mut uses) = (Vec::new(), Vec::new());
        let disks = disks_named(root, &by_id)?.into();
        let (mounts, swaps) = (mounts.collect(), active_swaps(root)?.into());
        for by in KernelUse::all(root)? {
            match by {
                KernelUse::Loop(device) => loops.push(device),
                by => uses.push(by),
            }
        }
        Ok(Self {
            disks,
            by_id: Arc::new(by_id),
            mounts,
            pools: pool_members(root).into(),
            swaps,
            openers: Arc::default(),
            reserved: reserved_devices(root).into(),
            loops: loops.into(),
            uses: uses.into(),
        })
    }
}

impl Facts {
    /// Gathers the facts about `target`. `look_into` reads a node's contents.
    ///
    /// A question that must be answered and cannot be is an error: what we
    /// cannot rule out, we do not write.
    pub fn gather(
        root: &Root,
        target: DevNumber,
        look_into: impl Fn(&Node) -> io::Result<Contents>,
    ) -> Result<Self, Unknown> {
        Self::about(root, SharedFacts::read(root)?, target, look_into)
    }

    /// The same, with shared facts that have been read.
    pub fn about(
        root: &Root,
        shared: SharedFacts,
        target: DevNumber,
        look_into: impl Fn(&Node) -> io::Result<Contents>,
    ) -> Result<Self, Unknown> {
        let graph = Graph::among(root, target, &shared.loops)?;
        let openers = without_monitors(root, &graph, shared.openers);
        let shared = SharedFacts { openers, ..shared };
        let identity = Identity::with_names(root, &graph, shared.by_id.of(target))?;
        let others = Others::than(graph.whole_disk().number, Arc::clone(&shared.disks));
        let paths = other_paths(root, &graph, &identity, &others, &shared.loops)?;
        let mut contents = contents(&graph, &look_into);
        contents.extend(around(root, &graph, &shared.loops, &look_into));
        let behind = behind(root, &graph, &shared.loops, &shared.uses);
        Ok(Self { graph, identity, others, paths, shared, contents, behind, samples: None })
    }
}

/// Loop devices over the same file are left out, since they are in the graph.
fn behind(root: &Root, graph: &Graph, loops: &[LoopDevice], others: &[KernelUse]) -> Vec<Behind> {
    if others.is_empty() {
        return Vec::new();
    }
    let mut behind = Vec::new();
    for device in loops {
        if !graph.is_made_of(device.number) || device.backing_device.is_some() {
            continue;
        }
        let standing = standing_on(root, &FileView::behind(root, device), others);
        behind.extend(standing.into_iter().map(|standing| Behind { device: device.clone(), standing }));
    }
    behind
}

/// Nodes of size 0 have no ends to look at.
fn contents(graph: &Graph, look_into: &impl Fn(&Node) -> io::Result<Contents>) -> Vec<NodeContents> {
    // What fills the disk around a partition fills the partition too.
    let is_looked_into =
        |node: &&Node| node.relation.is_within_target() || node.relation == Relation::WholeDisk;
    let nodes = graph.nodes().iter().filter(is_looked_into).filter(|node| node.size_bytes > 0);
    nodes.map(|node| NodeContents::of(&node.name, look_into(node))).collect()
}

/// The disks of a machine without the one in question. All of these share one table: a copy for
/// each would grow with the square of the number of disks.
#[derive(Debug, Clone)]
pub struct Others {
    disks: Arc<[Identity]>,
    /// Place of the one that is left out, if it is in the table.
    own: Option<usize>,
}

impl Others {
    /// All of these disks but `disk`.
    pub(super) fn than(disk: DevNumber, disks: Arc<[Identity]>) -> Self {
        let own = disks.iter().position(|other| other.dev == disk);
        Self { disks, own }
    }
}

impl<'a> IntoIterator for &'a Others {
    type Item = &'a Identity;
    type IntoIter = Chain<Iter<'a, Identity>, Iter<'a, Identity>>;

    fn into_iter(self) -> Self::IntoIter {
        let end = self.own.unwrap_or(self.disks.len());
        let rest = self.own.map_or(end, |own| own + 1);
        self.disks[..end].iter().chain(&self.disks[rest..])
    }
}

// Other ways to the same disk.
//
// A disk behind two host adapters or two NVMe controllers appears twice when no multipath driver
// joins its paths, and the graph of neither device mentions the other: what is mounted through one
// looks free through the other. The guard recognises them by a world-wide name, which two disks
// never share, together with the size.

/// The graphs of the target as reached through its disk's other paths.
///
/// If the kernel knows a partition on one path only, the whole disk is taken in its place on the
/// other path.
pub fn other_paths(
    root: &Root,
    graph: &Graph,
    identity: &Identity,
    others: &Others,
    loops: &[LoopDevice],
) -> Result<Vec<Graph>, Unknown> {
    let same_disk = |other: &&Identity| {
        identity.wwid.is_some()
            && other.wwid == identity.wwid
            && other.size_bytes == graph.whole_disk().size_bytes
    };
    let disks = others.into_iter().filter(same_disk).map(|other| Graph::among(root, other.dev, loops));
    disks.map(|disk| counterpart(root, graph, disk?, loops)).collect()
}

/// What the target is on this path: the disk, or the partition of the same number.
fn counterpart(root: &Root, graph: &Graph, disk: Graph, loops: &[LoopDevice]) -> Result<Graph, Unknown> {
    let Some(number) = graph.target().partition else {
        return Ok(disk);
    };
    let is_it = |relation, partition| relation == Relation::Partition && partition == Some(number);
    let same = disk.nodes().iter().find(|node| is_it(node.relation, node.partition));
    let same = same.map(|node| Graph::among(root, node.number, loops)).transpose()?;
    Ok(same.unwrap_or(disk))
}

// The contents of files and devices of which the target shows only a part: a loop device can begin
// anywhere in its file, and end anywhere.
//
// A file system that fills the file, or a partition in it, is in the window as well, although
// nothing at the window's ends shows it.

/// The contents around each window that the target is made of.
pub(super) fn around(
    root: &Root,
    graph: &Graph,
    loops: &[LoopDevice],
    look_into: &impl Fn(&Node) -> io::Result<Contents>,
) -> Vec<NodeContents> {
    let is_window = |device: &&LoopDevice| graph.is_made_of(device.number) && device.is_window(root);
    let looked = loops.iter().filter(is_window).flat_map(|device| match device.backing_device {
        Some(number) => {
            let below = graph.node(number);
            below.map(|below| NodeContents::of(&below.name, look_into(below))).into_iter().collect()
        }
        None => in_file(root, device),
    });
    looked.collect()
}

/// The contents of the file, and of those of its partitions that reach into the window but do not begin where
/// it begins: a partition that begins there is seen in the window itself.
fn in_file(root: &Root, device: &LoopDevice) -> Vec<NodeContents> {
    let name = format!("{} behind {}", device.backing_file.display(), device.name);
    let unreachable =
        "the file behind the loop device cannot be reached, and the device shows only a part of it";
    let file = FileView::behind(root, device).reader().ok_or_else(|| io::Error::other(unreachable));
    file.and_then(|file| around_window(root, device, &name, &file))
        .unwrap_or_else(|e| vec![NodeContents::of(name, Err(e))])
}

fn around_window(root: &Root, device: &LoopDevice, name: &str, file: &File) -> io::Result<Vec<NodeContents>> {
    let size_bytes = file.metadata()?.len();
    let window = device.window(root, size_bytes);
    let reaches_in =
        |part: &Range<u64>| part.start < window.end && window.start < part.end && part.start != window.start;
    let mut all_contents = vec![NodeContents::of(name, Contents::read(file, size_bytes))];
    for part in partitions(file, size_bytes)?.into_iter().filter(reaches_in) {
        let node = format!("the partition at byte {} of {name}", part.start);
        all_contents.push(NodeContents::of(node, Contents::read_range(file, part)));
    }
    Ok(all_contents)
}

/// Where mdmon leaves its process number, in a file with the name of the container. Only root can write there (mdmon(8)).
const PID_DIR: &str = "/run/mdadm";
const COMM: &str = "mdmon";

/// The openers without the monitors of the arrays that the target is, or is made of. They write metadata beside the data of
/// these arrays, as md itself does for others.
pub fn without_monitors(root: &Root, graph: &Graph, openers: Arc<[Opener]>) -> Arc<[Opener]> {
    let pids = monitors(root, graph);
    let is_member = |number: DevNumber| {
        graph.nodes().iter().any(|node| node.number == number && node.relation == Relation::Slave)
    };
    let is_monitor = |open: &Opener| open.comm == COMM && pids.contains(&open.pid) && is_member(open.number);
    if pids.is_empty() || !openers.iter().any(is_monitor) {
        return openers;
    }
    openers.iter().filter(|open| !is_monitor(open)).cloned().collect()
}

/// The process numbers of the monitors of the arrays at or below the target.
fn monitors(root: &Root, graph: &Graph) -> Vec<u32> {
    let is_below = |relation| matches!(relation, Relation::Target | Relation::WholeDisk | Relation::Slave);
    let arrays = graph.nodes().iter().filter(|node| is_below(node.relation));
    let containers = arrays.filter_map(|node| container_of(root, &node.name));
    containers
        .filter_map(|container| root.read_value(Path::new(PID_DIR).join(format!("{container}.pid"))).ok())
        .collect()
}
