//! `numa.device_node`: does the firmware report which socket a drive is connected to?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "numa.device_node",
    title: "NUMA node of the drive",
    reads: "/sys/bus/pci/devices/F/{numa_node,local_cpulist}, /sys/devices/system/node/node*/cpulist",
    why: "In a machine of several sockets each PCIe slot belongs to one of them, and I/O from another socket crosses \
          the link between them. The system can only place workers, buffers and interrupts near the drive if the \
          firmware reports the drive's node. Where it does not (-1), the kernel treats every node as equally near, and \
          a run uses one of them by chance.",
    judged: "A reported node is ok. No node (-1) warns for every goal on a machine with several nodes, and is ok on a \
             machine with one. Drives that are not on PCI: n-a.",
    remedy: "Look for a newer BIOS and for its NUMA setting (also called SRAT, the firmware's table of nodes), or move \
             the drive to another slot. Until then find the socket of the slot in the board's manual, and place the \
             job there by hand (cpus_allowed=, numa_cpu_nodes=). Some older boards even report the wrong node: compare \
             a run on each.",
    needs: Needs::Firmware,
    kernels: "all; the function's own file numa_node since 2.6.31",
    sources: &["V-12", "H-10", "H-11", "M-20", "I-4"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
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
