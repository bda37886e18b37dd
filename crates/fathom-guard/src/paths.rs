//! Other ways to the same disk.
//!
//! A disk behind two host adapters or two NVMe controllers appears twice when no multipath driver
//! joins its paths, and the graph of neither device mentions the other: what is mounted through one
//! looks free through the other. The guard recognises them by a world-wide name, which two disks
//! never share, together with the size.

use crate::others::Others;
use fathom_device::device::{Graph, Identity, Relation};
use fathom_device::loops::LoopDevice;
use fathom_device::root::{Root, Unknown};

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
