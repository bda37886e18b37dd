//! `irq.queue_map`: does each CPU have its own queue of the drive?

use std::collections::{BTreeMap, BTreeSet};

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene, leaf};
use fathom_device::Goal::Iops;
use fathom_device::cpus::CpuSet;
use fathom_device::device::DiskKind;
use fathom_device::root::Unknown;
use fathom_text::words::counted;

pub(super) const CHECK: Check = Check {
    id: "irq.queue_map",
    title: "Queues of the drive and CPUs",
    reads: "/sys/block/D/mq/*/cpu_list, /sys/devices/system/cpu/online",
    why: "The kernel gives each CPU one of the drive's queues. Workers on CPUs with a queue each do not disturb each \
          other; workers on CPUs that share one wait for its lock and its doorbell, and their completions arrive on \
          the same CPU. Older drivers had threads for this work, which old guides pin with taskset; today you choose \
          the queues by choosing the job's CPUs.",
    judged: "NVMe and virtio with a queue for each CPU are ok. With fewer queues than the job's workers (without a \
             job: than CPUs) they warn for IOPS. Job CPUs that share a queue although there are enough queues are a \
             remark. A SATA or SAS drive always has one queue: a remark.",
    remedy: "Choose CPUs of different queues for the workers (cpus_allowed=, one of each cpu_list). A virtual disk \
             gets more queues from the hypervisor (num-queues); NVMe may have given some to polling (poll_queues, \
             write_queues of the nvme module).",
    needs: Needs::Job,
    kernels: "3.13 and later; for all drivers since 5.0",
    sources: &["M-1", "M-22", "V-13"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let online = scene.cpus_online()?;
    let (queues, raw) = queues(scene, disk)?;
    let (groups, _) = groups_of(&queues, &online);
    let seen = Observation::on(&disk.name).show(&raw);
    let counts = format!("{} for {}", counted(groups, "queue"), counted(online.len(), "CPU"));
    if groups == online.len() {
        return Ok(seen.ok(counts));
    }
    if !matches!(disk.kind, DiskKind::Nvme | DiskKind::Paravirtual) {
        return Ok(seen.info(format!("{counts}, as usual for such a drive")));
    }
    let job = scene.job.cpus.as_ref().map_or_else(|| online.clone(), |cpus| cpus.intersection(&online));
    let (of_job, sharing) = groups_of(&queues, &job);
    let workers = scene.job.workers.map(|workers| usize::try_from(workers).unwrap_or(usize::MAX));
    let workers = workers.unwrap_or(job.len());
    if of_job < workers {
        let says = format!("{counts}; {workers} workers on CPUs {job} share {of_job}");
        let says = if scene.job.workers.is_none() && scene.job.cpus.is_none() { counts } else { says };
        return Ok(seen.warn_for(&[Iops], says));
    }
    Ok(match sharing.is_empty() {
        true => seen.ok(format!("{counts}; CPUs {job} of the job have {of_job}")),
        false => seen.info(format!("{counts}; CPUs {sharing} of the job share queues with each other")),
    })
}

/// The CPUs of each queue.
fn queues(scene: &Scene<'_>, disk: &Disk) -> Result<(BTreeMap<String, CpuSet>, Raw), Unknown> {
    let dirs = scene.glob(&format!("{}/mq/#", disk.sys_dir.display()));
    let mut first = None;
    let mut queues = BTreeMap::new();
    for dir in dirs {
        let (cpus, raw) = scene.value::<CpuSet>(dir.join("cpu_list"))?;
        first.get_or_insert(raw);
        queues.insert(leaf(&dir), cpus);
    }
    let first = first.ok_or_else(|| Unknown::missing(disk.sys_dir.join("mq/0/cpu_list")))?;
    Ok((queues, first))
}

/// How many groups of `cpus` use different queues, and the CPUs that share
/// theirs with another one. Where a drive has separate queues for reading and
/// polling, a CPU has several queues, so CPUs with the same set of queues are a
/// group.
fn groups_of(queues: &BTreeMap<String, CpuSet>, cpus: &CpuSet) -> (usize, CpuSet) {
    let mut groups: BTreeMap<BTreeSet<&str>, Vec<u32>> = BTreeMap::new();
    for cpu in cpus.iter() {
        let of_cpu = queues.iter().filter(|(_, cpus)| cpus.contains(cpu)).map(|(name, _)| name.as_str());
        groups.entry(of_cpu.collect()).or_default().push(cpu);
    }
    let shared = groups.values().filter(|cpus| cpus.len() > 1).flatten().copied().collect();
    (groups.len(), shared)
}
