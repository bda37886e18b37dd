//! `numa.balancing`: does the kernel move memory between nodes while we measure?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Repeatability;

pub(super) const CHECK: Check = Check {
    id: "numa.balancing",
    title: "Automatic NUMA balancing",
    reads: "/proc/sys/kernel/numa_balancing, /sys/devices/system/node/node*/cpulist",
    why: "To learn which memory a task uses, the kernel removes access to it part by part, counts the page faults, and \
          moves pages to the node that uses them, or the task to the pages. A database that does not place its memory \
          itself gains from this. A pinned measurement gets page faults in the middle of I/O and gains nothing.",
    judged: "1 warns for repeatability when the job names its CPUs, and is a remark otherwise. 0 is ok; so is a \
             machine with one node, on which it does nothing. 2 only moves pages between kinds of memory: a remark.",
    remedy: "For a run: fathom run --tune. By hand: sysctl kernel.numa_balancing=0, and restore the old value \
             afterwards. The services tuned and saptune also switch it off for databases.",
    needs: Needs::Knob("numa.balancing"),
    kernels: "3.13 and later; the value 2 since 5.18",
    sources: &["V-12", "I-33", "Documentation/admin-guide/sysctl/kernel.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", one(scene))]),
};

/// Bits of the value: balance between nodes; move between kinds of memory.
const NORMAL: u8 = 1;
const TIERING: u8 = 2;

fn one(scene: &Scene<'_>) -> Observed {
    let (value, raw) = scene.value::<u8>("/proc/sys/kernel/numa_balancing")?;
    let seen = Observation::on("host").show(&raw);
    if value > NORMAL | TIERING {
        return Err(raw.garbled());
    }
    if value == 0 {
        return Ok(seen.ok("the kernel does not move memory between nodes"));
    }
    if value == TIERING {
        return Ok(seen.info("pages move between kinds of memory"));
    }
    if scene.nodes_with_cpus()?.len() == 1 {
        return Ok(seen.ok("the machine has one node, so nothing is balanced"));
    }
    Ok(match scene.job.cpus {
        Some(_) => seen.warn_for(&[Repeatability], "the kernel moves memory although the workers are pinned"),
        None => seen.info("the kernel moves memory and tasks to the same node"),
    })
}
