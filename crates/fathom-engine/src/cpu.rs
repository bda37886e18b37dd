//! Where a worker runs: CPUs, NUMA memory, priority.

use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_job::priorities;
use fathom_job::value::MemPolicy;
use rustix::process::setpriority_process;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;

/// Applies a job's placement to the calling thread. Errors name the option.
pub fn place(plan: &PlannedJob) -> io::Result<()> {
    if let Some(cpus) = &plan.cpus {
        set_affinity(cpus).map_err(|e| named("cpus_allowed", e))?;
    } else if let Some(nodes) = plan.job.get(&opt::NUMA_CPU_NODES) {
        set_affinity(&cpus_of_nodes(&nodes)?).map_err(|e| named("numa_cpu_nodes", e))?;
    }
    if let Some(policy) = plan.job.get(&opt::NUMA_MEM_POLICY) {
        set_memory_policy(&policy).map_err(|e| named("numa_mem_policy", e))?;
    }
    let nice = plan.job.get(&opt::NICE);
    if nice != 0 {
        // None means this thread on Linux.
        setpriority_process(None, nice as i32).map_err(|e| named("nice", e.into()))?;
    }
    set_io_priority(plan).map_err(|e| named("prio", e))
}

fn named(option: &str, e: io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{option} cannot be applied: {e}"))
}

/// The CPUs of the NUMA nodes that a job names. It is an error if this machine lacks one of the nodes.
fn cpus_of_nodes(nodes: &[usize]) -> io::Result<Vec<usize>> {
    let mut cpus = Vec::new();
    for node in nodes {
        let list = std::fs::read_to_string(format!("{NODES}/node{node}/cpulist")).map_err(|_| {
            let present = std::fs::read_to_string(format!("{NODES}/online")).unwrap_or_default();
            let message = match present.trim() {
                "" => format!("numa_cpu_nodes={node}: the kernel of this machine names no NUMA nodes"),
                present => format!("numa_cpu_nodes={node}: this machine has only the NUMA nodes {present}"),
            };
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })?;
        cpus.extend(numbers_of(&list));
    }
    Ok(cpus)
}

/// Where the kernel describes the NUMA nodes.
const NODES: &str = "/sys/devices/system/node";

/// The numbers of a list such as `0-3,8`.
fn numbers_of(list: &str) -> Vec<usize> {
    let parts = list.trim().split(',').filter(|part| !part.is_empty());
    let ranges = parts.filter_map(|part| {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        Some(low.parse::<usize>().ok()?..=high.parse::<usize>().ok()?)
    });
    ranges.flatten().collect()
}

pub(crate) fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
}

/// Lets the calling thread run on these CPUs only.
///
/// # Errors
/// None of them can be used.
pub fn set_affinity(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu));
    Ok(sched_setaffinity(None, &set)?)
}

fn set_memory_policy(policy: &MemPolicy) -> io::Result<()> {
    // Modes of set_mempolicy(2): default 0, preferred 1, bind 2, interleave 3,
    // local 4.
    let (mode, nodes): (i32, &[usize]) = match policy {
        MemPolicy::Default => (0, &[]),
        MemPolicy::Prefer(node) => (1, std::slice::from_ref(node)),
        MemPolicy::Bind(nodes) => (2, nodes),
        MemPolicy::Interleave(nodes) => (3, nodes),
        MemPolicy::Local => (4, &[]),
    };
    let mut mask = [0u64; 16];
    for &node in nodes {
        *mask.get_mut(node / 64).ok_or_else(|| io::Error::other("no such node"))? |= 1 << (node % 64);
    }
    let bits = if nodes.is_empty() { 0 } else { mask.len() * 64 };
    // SAFETY: the kernel reads `bits` bits of a mask that outlives the call.
    let done = unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask.as_ptr(), bits) };
    check(done as i32)
}

fn set_io_priority(plan: &PlannedJob) -> io::Result<()> {
    let Some(value) = priorities::own(&plan.job) else { return Ok(()) };
    // IOPRIO_WHO_PROCESS = 1.
    // SAFETY: no pointers; who 0 is this thread.
    check(unsafe { libc::syscall(libc::SYS_ioprio_set, 1, 0, u32::from(value)) } as i32)
}

fn check(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    #[test]
    fn a_placement_that_cannot_be_had_is_named() {
        let mut plan = planned("[j]\nioengine=null\nrw=read\nsize=1m\n").jobs.remove(0);
        plan.cpus = Some(vec![1000]);
        let message = place(&plan).expect_err("no such CPU").to_string();
        assert!(message.starts_with("cpus_allowed cannot be applied: "), "{message}");
        let missing = "[j]\nioengine=null\nrw=read\nsize=1m\nnuma_mem_policy=bind:1023\n";
        let message = place(&planned(missing).jobs[0]).expect_err("no such node").to_string();
        assert!(message.starts_with("numa_mem_policy cannot be applied: "), "{message}");
        let missing = "[j]\nioengine=null\nrw=read\nsize=1m\nnuma_cpu_nodes=1023\n";
        let message = place(&planned(missing).jobs[0]).expect_err("no such node").to_string();
        assert!(message.starts_with("numa_cpu_nodes=1023: "), "the option that was written: {message}");
    }
}
