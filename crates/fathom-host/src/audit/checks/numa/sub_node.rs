//! `numa.sub_node`: is a socket divided into several nodes?

use std::collections::BTreeMap;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;
use fathom_text::words::counted;

pub(super) const CHECK: Check = Check {
    id: "numa.sub_node",
    title: "Sockets divided into nodes (SNC, NPS)",
    reads: "/sys/devices/system/node/node*/{cpulist,distance}, /sys/devices/system/cpu/cpu*/topology/physical_package_id",
    why: "A BIOS setting (Intel: Sub-NUMA Clustering, AMD: Nodes Per Socket) divides a socket into two or four nodes, \
          each with its own memory channels. A drive is then near to a quarter of the socket's CPUs. What guides say \
          about \"the socket\" then applies to that quarter, and a buffer in another quarter costs a little although \
          it is in the same socket.",
    judged: "Divided is a remark, with the nodes of each socket; one node for each socket is ok. Neither is better in \
             general; compare runs only between machines with the same setting.",
    remedy: "Place jobs on the CPUs of the drive's node, not on those of its socket. The setting itself is in the \
             BIOS. NPS1, or SNC off, gives one job the most bandwidth; more nodes give the lowest latency.",
    needs: Needs::Firmware,
    kernels: "all with NUMA",
    sources: &["M-20", "V-12", "I-1"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", one(scene))]),
};

fn one(scene: &Scene<'_>) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let mut seen = Observation::on("host");
    let mut by_socket: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
    for (node, cpus) in &nodes {
        let dir = format!("/sys/devices/system/node/node{node}");
        seen = seen.with(format!("{dir}/cpulist"), cpus.to_string());
        if let Ok(distance) = scene.read(format!("{dir}/distance")) {
            seen = seen.show(&distance);
        }
        by_socket.entry(socket(scene, cpus)?).or_default().push(*node);
    }
    let divided: Vec<String> = by_socket.iter().filter(|(_, nodes)| nodes.len() > 1).map(list).collect();
    Ok(match divided.as_slice() {
        [] => seen.ok(format!("{}, each of them a whole socket or more", counted(nodes.len(), "node"))),
        _ => seen.info(divided.join("; ")),
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
