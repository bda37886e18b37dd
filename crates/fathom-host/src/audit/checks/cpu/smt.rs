//! `cpu.smt`: do two workers have to share a core?

use std::collections::BTreeSet;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.smt",
    title: "Threads that share a core (SMT, Hyper-Threading)",
    reads: "/sys/devices/system/cpu/smt/active, /sys/devices/system/cpu/cpu*/topology/thread_siblings_list",
    why: "With SMT one core shows up as two CPUs that share its execution units and caches. Two busy workers on one \
          core each get clearly less than a core of their own; a worker whose sibling CPU is idle gets the whole core. \
          So the figure of the same job depends on where its workers happen to run. Guides do not agree whether SMT \
          should be on; with one worker for each core it makes no difference.",
    judged: "Off is ok. On is a remark, unless the job has more workers than its CPUs have cores, or names both \
             threads of a core as its CPUs without saying how many workers there are: that warns for latency and \
             repeatability.",
    remedy: "Give the job one CPU of each core (cpus_allowed=, or --set cpus_allowed=): the first of each line of \
             thread_siblings_list. Do not write smt/control during tests: it takes CPUs offline, and the kernel then \
             assigns the queues and interrupts of every NVMe drive again.",
    needs: Needs::Job,
    kernels: "smt/active: 4.19",
    sources: &["V-9", "V-17", "I-6", "I-7", "H-17"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", whole(scene))]),
};

fn whole(scene: &Scene<'_>) -> Observed {
    let raw = scene.read("/sys/devices/system/cpu/smt/active")?;
    let seen = Observation::on("host").show(&raw);
    match raw.text.as_str() {
        "0" => Ok(seen.ok("each core runs one thread")),
        "1" => shared(scene, seen),
        _ => Err(raw.garbled()),
    }
}

fn shared(scene: &Scene<'_>, seen: Observation) -> Observed {
    let online = scene.cpus_online()?;
    let named = scene.job.cpus.as_ref();
    let allowed = named.unwrap_or(&online);
    let (cores, shown) = cores(scene, allowed)?;
    let seen = shown.iter().fold(seen, Observation::show);
    let threads = allowed.len();
    let must_share = match scene.job.workers {
        Some(workers) => workers > cores as u64,
        None => named.is_some() && cores < threads,
    };
    if must_share {
        let workers = scene.job.workers.map_or("the job".to_owned(), |workers| format!("{workers} workers"));
        let says = format!("{workers} on {threads} CPUs that are {cores} cores: some share a core");
        return Ok(seen.warn_for(&[Latency, Repeatability], says));
    }
    Ok(seen.info(format!("{threads} CPUs are {cores} cores; put one worker on each core")))
}

/// The number of cores that these CPUs belong to, and the file of the first CPU
/// that has a sibling among them.
fn cores(scene: &Scene<'_>, cpus: &CpuSet) -> Result<(usize, Option<Raw>), Unknown> {
    let mut cores = BTreeSet::new();
    let mut shown = None;
    for cpu in cpus.iter() {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let (siblings, raw) = scene.value::<CpuSet>(path)?;
        if siblings.len() > 1 {
            shown.get_or_insert(raw);
        }
        cores.insert(siblings);
    }
    Ok((cores.len(), shown))
}
