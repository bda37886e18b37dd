//! All that the verdict on a block device rests on, gathered in one go.

use std::io;

use crate::device::{DevNumber, Graph, Identity, Node, all_disks};
use crate::guard::paths::other_paths;
use crate::mounts::{Mount, PoolMember, all_mounts, pool_members};
use crate::openers::{Opener, openers};
use crate::reserved::{Reserved, reserved_devices};
use crate::root::{Root, Unknown};
use crate::signature::Contents;
use crate::swaps::{Swap, active_swaps};

/// What lies on one node, or why that cannot be told.
#[derive(Debug, Clone)]
pub struct NodeContents {
    /// Kernel name of the node.
    pub node: String,
    /// What was found at both ends.
    pub contents: Result<Contents, String>,
}

/// The facts about a block device as a target for writing.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The target and everything that shares bytes with it.
    pub graph: Graph,
    /// Who the target is.
    pub identity: Identity,
    /// All other disks, for the uniqueness of names.
    pub others: Vec<Identity>,
    /// The target again, through the other paths to its disk.
    pub paths: Vec<Graph>,
    /// Mounts, each with the block device it comes from.
    pub mounts: Vec<(DevNumber, Mount)>,
    /// Members of mounted file systems of several devices.
    pub pools: Vec<PoolMember>,
    /// Active swap.
    pub swaps: Vec<Swap>,
    /// Other processes' open devices.
    pub openers: Vec<Opener>,
    /// Devices that the system stands on.
    pub reserved: Vec<Reserved>,
    /// Contents of the target and of the nodes within it.
    pub contents: Vec<NodeContents>,
}

/// What does not depend on the target: read once where many targets are
/// looked at.
#[derive(Debug, Clone)]
pub struct Surroundings {
    disks: Vec<Identity>,
    mounts: Vec<(DevNumber, Mount)>,
    pools: Vec<PoolMember>,
    swaps: Vec<Swap>,
    openers: Vec<Opener>,
    reserved: Vec<Reserved>,
}

impl Surroundings {
    /// Reads them. A question that must be answered and cannot be is an
    /// error: what we cannot rule out, we do not write.
    pub fn read(root: &Root) -> Result<Self, Unknown> {
        let mounts = all_mounts(root)?.into_iter();
        let mounts = mounts.filter_map(|mount| Some((mount.block_number(root)?, mount)));
        Ok(Self {
            disks: all_disks(root)?,
            mounts: mounts.collect(),
            pools: pool_members(root),
            swaps: active_swaps(root)?,
            openers: openers(root)?,
            reserved: reserved_devices(root),
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
        Self::about(root, Surroundings::read(root)?, target, look_into)
    }

    /// The same, in surroundings that have been read.
    pub fn about(
        root: &Root,
        surroundings: Surroundings,
        target: DevNumber,
        look_into: impl Fn(&Node) -> io::Result<Contents>,
    ) -> Result<Self, Unknown> {
        let graph = Graph::read(root, target)?;
        let identity = Identity::read(root, &graph)?;
        let disk = graph.whole_disk().number;
        let Surroundings { mut disks, mounts, pools, swaps, openers, reserved } = surroundings;
        disks.retain(|other| other.dev != disk);
        let paths = other_paths(root, &graph, &identity, &disks)?;
        let contents = contents(&graph, look_into);
        Ok(Self { graph, identity, others: disks, paths, mounts, pools, swaps, openers, reserved, contents })
    }
}

/// Nodes of size 0 have no ends to look at.
fn contents(graph: &Graph, look_into: impl Fn(&Node) -> io::Result<Contents>) -> Vec<NodeContents> {
    let within = graph.nodes().iter();
    let within = within.filter(|node| node.relation.is_within_target() && node.size_bytes > 0);
    within
        .map(|node| NodeContents {
            node: node.name.clone(),
            contents: look_into(node).map_err(|e| e.to_string()),
        })
        .collect()
}
