//! `numa.balancing`: does the kernel move memory about while we measure?

use crate::audit::{Check, Needs, Observation, Scene, Verdict, Verdicts};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "numa.balancing",
    title: "Automatic NUMA balancing",
    reads: "/proc/sys/kernel/numa_balancing, /sys/devices/system/node/node*/cpulist",
    why: "To learn which memory a task uses, the kernel takes away access to it bit by bit, catches the faults, and \
          moves pages to the node that uses them, or the task to the pages. For a database without placing of its \
          own that is a gain. For a pinned measurement it is faults in the middle of I/O, without anything left to \
          improve.",
    judged: "1 warns for repeatability when the job names its CPUs, and is a remark otherwise. 0 is ok; so is a \
             machine with one node, on which it does nothing. 2 only moves pages between kinds of memory: a remark.",
    remedy: "For a run: fathom run --tune. By hand: sysctl kernel.numa_balancing=0, and afterwards what it was. \
             The services tuned and saptune switch it off for databases too.",
    needs: Needs::Knob("numa.balancing"),
    kernels: "3.13 and later; the value 2 since 5.18",
    sources: &["V-12", "I-33", "Documentation/admin-guide/sysctl/kernel.rst"],
    counters: &[],
    look,
};

/// Bits of the value: balance between nodes; move between kinds of memory.
const NORMAL: u8 = 1;
const TIERING: u8 = 2;

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    vec![one(scene).unwrap_or_else(|unknown| Observation::unknown("host", unknown))]
}

fn one(scene: &Scene<'_>) -> Result<Observation, Unknown> {
    let (value, raw) = scene.value::<u8>("/proc/sys/kernel/numa_balancing")?;
    let seen = Observation::on("host").with(&raw.path, &raw.text);
    if value > NORMAL | TIERING {
        return Err(Unknown::garbled(&raw.path, &raw.text));
    }
    if value == 0 {
        return Ok(seen.ok("memory stays where it is"));
    }
    if value == TIERING {
        return Ok(seen.info("pages move between kinds of memory"));
    }
    if scene.nodes_with_cpus()?.len() == 1 {
        return Ok(seen.ok("the machine has one node, so that nothing is balanced"));
    }
    Ok(match scene.job.cpus {
        Some(_) => {
            let says = "the kernel moves memory of workers that are pinned anyway";
            seen.judge(Verdicts::on(&[Repeatability], Verdict::Warn), says)
        }
        None => seen.info("the kernel moves memory and tasks towards each other"),
    })
}
