//! All facts for the verdict on a block device, gathered at once.

use std::io;
use std::sync::Arc;

use crate::monitor::without_monitors;
use crate::others::Others;
use crate::paths::other_paths;
use crate::windows;
use fathom_device::device::by_id::ByIdNames;
use fathom_device::device::{DevNumber, Graph, Identity, Node, Relation, disks_named};
use fathom_device::kernel_use::{FileUse, KernelUse, standing_on};
use fathom_device::loops::LoopDevice;
use fathom_device::mounts::{Mount, PoolMember, all_mounts, pool_members};
use fathom_device::openers::{Opener, openers};
use fathom_device::reserved::{Reserved, reserved_devices};
use fathom_device::root::{Root, Unknown};
use fathom_device::same_file::FileView;
use fathom_device::signature::{Contents, Samples};
use fathom_device::swaps::{Swap, active_swaps};

#[derive(Debug, Clone)]
pub struct NodeContents {
    pub node: String,
    /// What was found at both ends and at the places of spare superblocks.
    pub contents: Result<Contents, String>,
}

impl NodeContents {
    pub(super) fn of(node: impl Into<String>, found: io::Result<Contents>) -> Self {
        Self { node: node.into(), contents: found.map_err(|e| e.to_string()) }
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
    mounts: Arc<[(DevNumber, Mount)]>,
    pools: Arc<[PoolMember]>,
    swaps: Arc<[Swap]>,
    openers: Arc<[Opener]>,
    reserved: Arc<[Reserved]>,
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
        let mut surroundings = Self {
            disks: disks_named(root, &by_id)?.into(),
            by_id: Arc::new(by_id),
            mounts: mounts.collect(),
            pools: pool_members(root).into(),
            swaps: active_swaps(root)?.into(),
            openers: Arc::default(),
            reserved: reserved_devices(root).into(),
            loops: Arc::default(),
            uses: Arc::default(),
        };
        let (loops, uses): (Vec<_>, Vec<_>) =
            KernelUse::all(root)?.into_iter().partition(|by| matches!(by, KernelUse::Loop(_)));
        let device = |by| if let KernelUse::Loop(device) = by { Some(device) } else { None };
        surroundings.loops = loops.into_iter().filter_map(device).collect();
        surroundings.uses = uses.into();
        Ok(surroundings)
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

    /// The same, in surroundings that have been read.
    pub fn about(
        root: &Root,
        surroundings: SharedFacts,
        target: DevNumber,
        look_into: impl Fn(&Node) -> io::Result<Contents>,
    ) -> Result<Self, Unknown> {
        let SharedFacts { by_id, disks, mounts, pools, swaps, openers, reserved, loops, uses } = surroundings;
        let graph = Graph::among(root, target, &loops)?;
        let openers = without_monitors(root, &graph, openers);
        let identity = Identity::with_names(root, &graph, by_id.of(target))?;
        let others = Others::than(graph.whole_disk().number, disks);
        let paths = other_paths(root, &graph, &identity, &others, &loops)?;
        let mut contents = contents(&graph, &look_into);
        contents.extend(windows::around(root, &graph, &loops, &look_into));
        let behind = behind(root, &graph, &loops, &uses);
        Ok(Self {
            graph,
            identity,
            others,
            paths,
            mounts,
            pools,
            swaps,
            openers,
            reserved,
            contents,
            behind,
            samples: None,
        })
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
