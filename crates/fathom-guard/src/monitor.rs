//! mdmon: the process that keeps the metadata of an array with external metadata. The kernel does not write that itself, so
//! as long as such an array with redundancy runs, mdmon has its members open for writing.

use std::path::Path;
use std::sync::Arc;

use crate::array::container_of;
use fathom_device::device::{DevNumber, Graph, Relation};
use fathom_device::openers::Opener;
use fathom_device::root::Root;

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
