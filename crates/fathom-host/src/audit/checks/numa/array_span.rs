//! `numa.array_span`: are all drives of an array connected to one socket?

mod stack;

use std::collections::BTreeMap;

use stack::Stack;

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::Goal::{Bandwidth, Iops};

pub(super) const CHECK: Check = Check {
    id: "numa.array_span",
    title: "Nodes of an array's drives",
    reads: "/sys/block/D/slaves down to the drives, /sys/bus/pci/devices/F/numa_node of each",
    why: "No CPU is near to all drives of an array over both sockets: whichever CPU computes parity or copies data, \
          part of the traffic crosses the link between the sockets, and the slowest drive decides how long a stripe \
          takes. For this reason guides for RAID on NVMe require all drives on one CPU.",
    judged: "Drives on more than one node warn for IOPS and bandwidth, with the list of nodes; all drives on one node, \
             or a machine with one node, is ok. Where the firmware does not report a drive's node: n-a. No array: n-a.",
    remedy: "Move drives between slots until all are on one node (fathom topology shows which slot belongs to which \
             node), or build one array for each node. Two arrays, each used from its own socket, are faster than one \
             across both.",
    needs: Needs::Hardware,
    kernels: "all with NUMA",
    sources: &["I-4", "M-3", "M-7", "V-72"],
    observe: Observe::Once(|scene| {
        let stack = Stack::read(scene);
        let none = || Observation::on("host").not_applicable("no target is made of several drives");
        let name = |array: &usize| stack.name(*array).to_owned();
        each(stack.arrays(), none, name, |array| one(scene, stack.name(*array), &stack.drives(*array)))
    }),
};

fn one(scene: &Scene<'_>, array: &str, drives: &[&Disk]) -> Observed {
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
