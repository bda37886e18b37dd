//! `mem.headroom`: is there enough memory for the job's buffers?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::{Bandwidth, Latency, Repeatability};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "mem.headroom",
    title: "Memory available",
    reads: "/proc/meminfo: MemAvailable, MemTotal, SwapTotal, SwapFree; /sys/devices/system/node/node*/meminfo: MemFree",
    why: "Buffers are the depth times the block size times the workers: 32 workers at depth 256 with 1 MiB are 8 GiB. \
          If that is a large part of the available memory, the kernel drops caches and swaps while the test runs, and \
          this becomes part of the figure. When the memory of the near node is used up, the kernel silently takes \
          memory of the far node.",
    judged: "Buffers above half of the available memory warn for every goal; above the free memory of the one node \
             that the job runs on, for latency and bandwidth. More than 1 % of memory in swap warns for repeatability, \
             less is a remark: every server swaps out a few pages that nobody uses. Otherwise ok.",
    remedy: "Choose fewer workers, less depth or smaller blocks, or end the programs that fill the memory. To empty \
             the swap, run swapoff -a and swapon -a when there is enough free memory. An older guide is wrong about \
             vm.swappiness=100: it does not prevent swapping, but makes the kernel swap earlier.",
    needs: Needs::Job,
    kernels: "3.14 and later (MemAvailable)",
    sources: &["V-68", "V-69", "V-67"],
    observe: Observe::Once(observe),
};

const MEMINFO: &str = "/proc/meminfo";

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    match scene.read(MEMINFO) {
        Err(unknown) => vec![Observation::unknown("memory", unknown)],
        Ok(raw) => {
            let said = |subject: &str, seen: Observed| Observation::or_unknown(subject, seen);
            vec![said("memory", buffers(scene, &raw)), said("swap", swap(&raw))]
        }
    }
}

/// Kilobytes of a line, `MemFree:   60000000 kB`; in a node's file the line
/// begins with `Node 0`.
fn kb(raw: &Raw, key: &str) -> Result<u64, Unknown> {
    let line = raw.text.lines().find(|line| line.split_once(':').is_some_and(|(name, _)| is_key(name, key)));
    let value = line.and_then(|line| line.split_once(':')?.1.split_whitespace().next()?.parse().ok());
    value.ok_or_else(|| {
        Unknown::garbled(&raw.path, line.unwrap_or(raw.text.lines().next().unwrap_or_default()))
    })
}

fn is_key(name: &str, key: &str) -> bool {
    name == key || (name.starts_with("Node ") && name.ends_with(&format!(" {key}")))
}

fn show(raw: &Raw, keys: &[&str]) -> String {
    let is_shown = |line: &&str| keys.iter().any(|key| line.contains(&format!("{key}:")));
    raw.text.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}

fn buffers(scene: &Scene<'_>, raw: &Raw) -> Observed {
    let available_kb = kb(raw, "MemAvailable")?;
    let seen = Observation::on("memory").with(&raw.path, show(raw, &["MemAvailable"]));
    let Some(needed) = scene.job.buffer_bytes else {
        return Ok(seen.ok(format!("{} are available", mib(available_kb))));
    };
    let needed_kb = needed.div_ceil(1024);
    let says = format!("the job's buffers take {} of {} available", mib(needed_kb), mib(available_kb));
    if needed_kb > available_kb / 2 {
        return Ok(seen.warn(says));
    }
    let Some((node, free_kb, raw)) = own_node(scene)? else {
        return Ok(seen.ok(says));
    };
    let seen = seen.with(&raw.path, show(&raw, &["MemFree"]));
    if needed_kb > free_kb {
        let says =
            format!("the job's buffers take {}, node {node} has {} free", mib(needed_kb), mib(free_kb));
        return Ok(seen.warn_for(&[Latency, Bandwidth], says));
    }
    Ok(seen.ok(format!("{says}, and {} are free on node {node}", mib(free_kb))))
}

/// The node that all CPUs of the job are on, with its free memory.
fn own_node(scene: &Scene<'_>) -> Result<Option<(u32, u64, Raw)>, Unknown> {
    let job: Option<&CpuSet> = scene.job.cpus.as_ref().filter(|cpus| !cpus.is_empty());
    let node = job.and_then(|cpus| scene.nodes().into_iter().find(|(_, node)| cpus.is_within(node)));
    let Some((node, _)) = node else {
        return Ok(None);
    };
    let raw = scene.read(Path::new(&format!("/sys/devices/system/node/node{node}/meminfo")))?;
    Ok(Some((node, kb(&raw, "MemFree")?, raw)))
}

fn swap(raw: &Raw) -> Observed {
    let used_kb = kb(raw, "SwapTotal")?.saturating_sub(kb(raw, "SwapFree")?);
    let total_kb = kb(raw, "MemTotal")?;
    let seen = Observation::on("swap").with(&raw.path, show(raw, &["SwapTotal", "SwapFree", "MemTotal"]));
    Ok(match used_kb {
        0 => seen.ok("no swap is in use"),
        used if used > total_kb / 100 => {
            seen.warn_for(&[Repeatability], format!("{} of swap are in use", mib(used)))
        }
        used => seen.info(format!("{} of swap are in use", mib(used))),
    })
}

fn mib(kb: u64) -> String {
    format!("{} MiB", kb / 1024)
}
