//! Which CPU a drive interrupts.

use std::collections::{BTreeMap, BTreeSet};

use super::{INTERRUPTS, Interrupt, Row};
use crate::audit::checks::prelude::*;

/// `irq.managed`: who decides which CPU a drive interrupts?
pub(super) fn managed(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let interrupts = super::of_disk(scene, disk)?;
    let speaks = super::mode_speaks(scene);
    let is_managed = |one: &&Interrupt| one.is_read_only || (!speaks && one.is_nvme_queue());
    let managed = interrupts.iter().filter(is_managed).count();
    let admin = interrupts.iter().filter(|one| one.is_admin()).count();
    let free = interrupts.len() - managed - admin;
    let seen = interrupts.iter().take(4).fold(Observation::on(&disk.name), |seen, one| {
        let mode = if one.is_read_only { "0444" } else { "0644" };
        seen.with(&one.file, format!("mode {mode}, on CPUs {}", one.cpus))
    });
    let how = if speaks { "" } else { ", as always for NVMe since 4.8 (this kernel's files do not show it)" };
    Ok(match (managed, free) {
        (0, 0) => seen.info("its only interrupt is that of the admin queue"),
        (_, 0) => {
            let all = if managed == 1 { "the interrupt" } else { "all interrupts" };
            seen.ok(format!("the kernel places {all} of its {}{how}", counted(managed, "queue")))
        }
        (0, _) => seen.info(format!("{} may be placed by hand or by irqbalance", counted(free, "interrupt"))),
        _ => {
            let managed = counted(managed, "interrupt");
            seen.info(format!("the kernel places {managed}, {free} may be placed by hand{how}"))
        }
    })
}

/// `irq.unmanaged_place`: do free interrupts arrive near the drive?
pub(super) fn unmanaged_place(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let free = super::free(scene, disk)?;
    let seen = Observation::on(&disk.name);
    if free.is_empty() {
        return Ok(seen.not_applicable("all interrupts that carry its I/O are placed by the kernel"));
    }
    let show = |seen: Observation, one: &super::Interrupt| {
        seen.with(one.file.with_file_name("effective_affinity_list"), one.cpus.to_string())
    };
    let seen = free.iter().take(4).fold(seen, show);
    let nodes = scene.nodes_with_cpus()?;
    if nodes.len() == 1 {
        return Ok(seen.ok("the machine has one node: every CPU is near the drive"));
    }
    let (seen, near) = scene.near_of(disk, nodes, seen)?;
    let Some((node, near)) = near else {
        return Ok(
            seen.not_applicable("the firmware does not report the drive's node (see numa.device_node)")
        );
    };
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

/// Fewer interrupts are too few to judge.
const COUNT_MIN: u64 = 1000;

/// Share of the CPU's own time from which its interrupts may be the bottleneck.
const LOAD_PCT_MIN: u64 = 20;

/// Share of all interrupts above which one CPU is the bottleneck (host catalogue).
const SHARE_PCT_MAX: u64 = 60;

/// `irq.spread`: does one CPU handle most completions?
pub(super) fn spread(scene: &Scene<'_>) -> ObservedAll {
    let grown = grown(scene)?;
    Ok(scene.each_disk(|disk| spread_of(scene, disk, &grown)))
}

/// By how much each count grew.
fn grown(scene: &Scene<'_>) -> Result<BTreeMap<u32, Row>, Unknown> {
    let now = super::rows(&scene.read(INTERRUPTS)?.text)?;
    let before = super::rows(scene.before(Path::new(INTERRUPTS))?)?;
    let row = |(irq, mut row): (u32, Row)| {
        let earlier = before.get(&irq).filter(|earlier| earlier.name == row.name)?;
        for (cpu, count) in &mut row.counts {
            *count = count.saturating_sub(*earlier.counts.get(cpu)?);
        }
        Some((irq, row))
    };
    Ok(now.into_iter().filter_map(row).collect())
}

fn spread_of(scene: &Scene<'_>, disk: &Disk, grown: &BTreeMap<u32, Row>) -> Observed {
    let interrupts = super::of_disk(scene, disk)?;
    let mut by_cpu: BTreeMap<u32, u64> = BTreeMap::new();
    let mut seen = Observation::on(&disk.name);
    for row in interrupts.iter().filter(|one| !one.is_admin()).filter_map(|one| grown.get(&one.irq)) {
        let counts: Vec<String> = row.counts.values().map(u64::to_string).collect();
        seen = seen.with(INTERRUPTS, format!("{} +{}", row.name, counts.join(" +")));
        row.counts.iter().for_each(|(cpu, count)| *by_cpu.entry(*cpu).or_default() += count);
    }
    let total: u64 = by_cpu.values().sum();
    let busiest = by_cpu.iter().max_by_key(|(cpu, count)| (**count, u32::MAX - **cpu));
    let Some((cpu, most)) = busiest.filter(|_| total >= COUNT_MIN) else {
        return Ok(
            seen.not_applicable(format!("{total} of its interrupts came while we looked: too few to judge"))
        );
    };
    let may_use = scene.job.cpus.as_ref().map_or(by_cpu.len(), |cpus| cpus.len());
    let imbalance = *most as f64 * may_use as f64 / total as f64;
    let share = most * 100 / total;
    let says = format!(
        "CPU {cpu} took {share} % of {total} interrupts (imbalance {imbalance:.1}){}",
        by_node(scene, &by_cpu, total)
    );
    let must_share =
        scene.job.workers.is_some_and(|workers| workers > 1) && may_use > 1 && is_loaded(scene, *cpu);
    Ok(match (share > SHARE_PCT_MAX, must_share) {
        (true, true) => seen.warn_for(&[Iops], says),
        (true, false) => seen.info(says),
        (false, _) => seen.ok(says),
    })
}

/// Whether interrupts take so much of the CPU that it matters. The host
/// catalogue uses the share alone, but a drive with one queue always has 100 %
/// on one CPU, and at 5,000 I/Os a second that costs nothing.
fn is_loaded(scene: &Scene<'_>, cpu: u32) -> bool {
    let spent = scene.ticks_spent().ok().and_then(|(spent, _)| spent.get(&cpu).copied());
    spent.is_none_or(|ticks| ticks.pct(ticks.interrupts) >= LOAD_PCT_MIN)
}

/// V-13: the share of each node, where there are several.
fn by_node(scene: &Scene<'_>, by_cpu: &BTreeMap<u32, u64>, total: u64) -> String {
    let nodes = scene.nodes();
    if nodes.len() < 2 {
        return String::new();
    }
    let share = |(node, cpus): &(u32, fathom_device::cpus::CpuSet)| {
        let count: u64 = cpus.iter().filter_map(|cpu| by_cpu.get(&cpu)).sum();
        format!("node {node} {} %", count * 100 / total)
    };
    format!("; {}", nodes.iter().map(share).collect::<Vec<_>>().join(", "))
}

/// `irq.daemon`: does something move interrupts while we measure?
pub(super) fn daemon(scene: &Scene<'_>) -> Observed {
    let (is_running, raw) = match scene.unit("irqbalance.service") {
        Ok((true, raw)) => (true, raw),
        Ok((false, raw)) => process(scene).filter(|(runs, _)| *runs).unwrap_or((false, raw)),
        Err(unknown) => process(scene).ok_or(unknown)?,
    };
    let seen = Observation::on("host").show(&raw);
    if !is_running {
        return Ok(seen.ok("irqbalance is not running"));
    }
    let has_free = |disk| super::free(scene, disk).is_ok_and(|free| !free.is_empty());
    let movable: Vec<&str> =
        scene.disks.iter().filter(|disk| has_free(disk)).map(|disk| disk.name.as_str()).collect();
    if movable.is_empty() {
        return Ok(seen.info("irqbalance is running, and cannot move the interrupts of the targets"));
    }
    let says = format!("irqbalance is running, and may move the interrupts of {}", movable.join(", "));
    Ok(seen.warn_for(&[Repeatability], says))
}

/// By the names of the processes; `None` where none can be seen.
fn process(scene: &Scene<'_>) -> Option<(bool, Raw)> {
    let names = scene.process_names();
    let found = names.iter().find(|name| name.text == "irqbalance");
    Some((found.is_some(), found.or(names.first())?.clone()))
}

/// `irq.queue_map`: does each CPU have its own queue of the drive?
pub(super) fn queue_map(scene: &Scene<'_>, disk: &Disk) -> Observed {
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
