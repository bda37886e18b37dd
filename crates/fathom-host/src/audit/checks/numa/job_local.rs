//! `numa.job_local`: do the workers run on the drive's own socket?

use crate::audit::{Check, Disk, Grade, Grades, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::cpus::CpuSet;

use super::allowed::Allowed;

pub(super) const CHECK: Check = Check {
    id: "numa.job_local",
    title: "Workers and memory near the drive",
    reads: "the job's CPUs, else Cpus_allowed_list of /proc/self/status; Mems_allowed_list; \
            /sys/bus/pci/devices/F/numa_node, /sys/devices/system/node/node*/cpulist",
    why: "From the other socket every command, every completion and every byte crosses the link between the sockets. \
          At depth one that adds between some tenths of a microsecond and a few microseconds; near saturation it costs \
          bandwidth and IOPS, because that link is shared with everything else. A worker that may run on both sides \
          gives a figure that depends on where it was started.",
    judged: "On the drive's node only: ok. On others only: warns for latency, IOPS and bandwidth, and is bad for IOPS \
             and bandwidth with 32 and more I/Os in flight. On both by the job's own choice: warns for repeatability. \
             On both because nothing was chosen: a remark. Memory that is not allowed on the drive's node warns for \
             latency and bandwidth. One node: ok. A drive of unknown node: n-a.",
    remedy: "Choose the CPUs of the drive's node (cpus_allowed= or numa_cpu_nodes=, numa_mem_policy=). fathom sets \
             both in its workers; numactl and taskset are not needed. The cpuset of the container or cgroup must allow \
             these CPUs.",
    needs: Needs::Job,
    kernels: "all with NUMA",
    sources: &["V-12", "V-13", "H-12", "H-11", "M-20", "I-4", "I-33", "M-1"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

/// From this many I/Os in flight on, we assume that the link between the
/// sockets is busy. It is the depth of the IOPS and bandwidth jobs of the
/// guides (V-35, V-37).
const SATURATING_DEPTH: u64 = 32;

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let nodes = scene.nodes_with_cpus()?;
    let allowed = Allowed::of(scene)?;
    let seen = Observation::on(&disk.name);
    let seen = allowed.raw.iter().fold(seen, Observation::show);
    if nodes.len() == 1 {
        return Ok(seen.ok("the machine has one node"));
    }
    let (node, raw) = scene.node_of(disk)?;
    let seen = seen.show(&raw);
    let Some(node) = node else {
        return Ok(
            seen.not_applicable("the firmware does not report the drive's node (see numa.device_node)")
        );
    };
    let near = nodes.into_iter().find(|(number, _)| *number == node).map(|(_, cpus)| cpus);
    let near = near.ok_or_else(|| raw.garbled())?;
    if allowed.memory.as_ref().is_some_and(|memory| !memory.contains(node)) {
        let says = format!("memory is not allowed on node {node} of the drive");
        return Ok(seen.warn_for(&[Latency, Bandwidth], says));
    }
    Ok(place(scene, seen, &allowed, node, &near))
}

fn place(scene: &Scene<'_>, seen: Observation, allowed: &Allowed, node: u32, near: &CpuSet) -> Observation {
    let cpus = &allowed.cpus;
    if cpus.is_within(near) {
        return seen.ok(format!("CPUs {cpus} are on node {node} of the drive"));
    }
    if cpus.intersection(near).is_empty() {
        let verdicts = Grades::on(&[Latency, Iops, Bandwidth], Grade::Warn);
        let is_saturating = scene.job.iodepth.is_some_and(|depth| depth >= SATURATING_DEPTH);
        let verdicts = if is_saturating { verdicts.and(&[Iops, Bandwidth], Grade::Bad) } else { verdicts };
        return seen.judge(verdicts, format!("none of the CPUs {cpus} is on node {node} of the drive"));
    }
    let says = format!("only some of the CPUs {cpus} are on node {node} of the drive");
    match scene.job.cpus {
        Some(_) => seen.warn_for(&[Repeatability], says),
        None => seen.info(format!("{says}; a job may choose CPUs {near}")),
    }
}
