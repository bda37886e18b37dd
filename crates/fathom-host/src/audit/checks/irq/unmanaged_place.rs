//! `irq.unmanaged_place`: do free interrupts arrive near the drive?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Latency;
use fathom_device::cpus::CpuSet;

use super::table;

pub(super) const CHECK: Check = Check {
    id: "irq.unmanaged_place",
    title: "Where free interrupts are handled",
    reads: "/proc/irq/N/{smp_affinity_list,effective_affinity_list} of a drive's free interrupts; \
            /sys/bus/pci/devices/F/numa_node; /sys/devices/system/node/node*/cpulist",
    why: "On a machine with several sockets an interrupt that is handled on another socket makes every completion \
          cross the link between the sockets, twice: once for the entry in the completion queue, once to wake the \
          worker. That is of the order of a microsecond on each I/O, and worse when the link is busy.",
    judged: "A free interrupt that carries I/O and is handled on another node than the drive's warns for latency; on \
             the drive's node it is ok. Managed interrupts, and queue 0 of NVMe, are left out. A machine with one node \
             is ok. A drive whose node the firmware does not report: n-a.",
    remedy: "For a run: fathom run --tune. By hand: write the node's cpulist into /proc/irq/N/smp_affinity_list, with \
             irqbalance stopped meanwhile (see irq.daemon). Move them to the other node only if the near one is \
             overloaded.",
    needs: Needs::Knob("irq.unmanaged_place"),
    kernels: "all; effective_affinity_list since 4.13",
    sources: &["V-13", "V-14", "M-1", "M-20", "M-21", "H-13"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let free = table::free(scene, disk)?;
    let seen = Observation::on(&disk.name);
    if free.is_empty() {
        return Ok(seen.not_applicable("all interrupts that carry its I/O are placed by the kernel"));
    }
    let show = |seen: Observation, one: &table::Interrupt| {
        seen.with(one.file.with_file_name("effective_affinity_list"), one.cpus.to_string())
    };
    let seen = free.iter().take(4).fold(seen, show);
    let nodes = scene.nodes_with_cpus()?;
    if nodes.len() == 1 {
        return Ok(seen.ok("the machine has one node: every CPU is near the drive"));
    }
    let (node, raw) = scene.node_of(disk)?;
    let seen = seen.show(&raw);
    let Some(node) = node else {
        return Ok(
            seen.not_applicable("the firmware does not report the drive's node (see numa.device_node)")
        );
    };
    let near = nodes.into_iter().find(|(number, _)| *number == node).map(|(_, cpus)| cpus);
    let near: CpuSet = near.ok_or_else(|| raw.garbled())?;
    let off: Vec<String> =
        free.iter().filter(|one| !one.cpus.is_within(&near)).map(|one| one.irq.to_string()).collect();
    if off.is_empty() {
        return Ok(seen.ok(format!("{} free interrupts are handled on node {node}", free.len())));
    }
    let says = format!(
        "{} of {} free interrupts (irq {}) may be handled on another node than {node}",
        off.len(),
        free.len(),
        off.join(", ")
    );
    Ok(seen.warn_for(&[Latency], says))
}
