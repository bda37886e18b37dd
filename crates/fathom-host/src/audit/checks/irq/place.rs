//! Which CPU a drive interrupts, and how much that CPU has to do.

use std::collections::{BTreeMap, BTreeSet};

use super::{INTERRUPTS, Interrupt, Row};
use crate::audit::Ticks;
use crate::audit::checks::noise::process::Process;
use crate::audit::checks::prelude::*;

/// `irq.managed`: who decides which CPU a drive interrupts?
pub(super) fn managed(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let interrupts = super::of_disk(scene, disk)?;
    let speaks = super::mode_speaks(scene);
    let is_managed = |one: &&Interrupt| one.is_read_only || (!speaks && one.is_nvme_queue());
    let managed = interrupts.iter().filter(is_managed).count();
    let admin = interrupts.iter().filter(|one| one.is_admin()).count();
    let free = interrupts.len() - managed - admin;
    let observation = interrupts.iter().take(4).fold(Observation::on(&disk.name), |observation, one| {
        let mode = if one.is_read_only { "0444" } else { "0644" };
        observation.with(&one.file, format!("mode {mode}, on CPUs {}", one.cpus))
    });
    let how = if speaks { "" } else { ", as always for NVMe since 4.8 (this kernel's files do not show it)" };
    Ok(match (managed, free) {
        (0, 0) => observation.info("its only interrupt is that of the admin queue"),
        (_, 0) => {
            let all = if managed == 1 { "the interrupt" } else { "all interrupts" };
            observation.ok(format!("the kernel places {all} of its {}{how}", counted(managed, "queue")))
        }
        (0, _) => {
            observation.info(format!("{} may be placed by hand or by irqbalance", counted(free, "interrupt")))
        }
        _ => {
            let managed = counted(managed, "interrupt");
            observation.info(format!("the kernel places {managed}, {free} may be placed by hand{how}"))
        }
    })
}

/// `irq.unmanaged_place`: do free interrupts arrive near the drive?
pub(super) fn unmanaged_place(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let free = super::free(scene, disk)?;
    let observation = Observation::on(&disk.name);
    if free.is_empty() {
        return Ok(observation.not_applicable("all interrupts that carry its I/O are placed by the kernel"));
    }
    let show = |observation: Observation, one: &super::Interrupt| {
        observation.with(one.file.with_file_name("effective_affinity_list"), one.cpus.to_string())
    };
    let observation = free.iter().take(4).fold(observation, show);
    let nodes = scene.nodes_with_cpus()?;
    if nodes.len() == 1 {
        return Ok(observation.ok("the machine has one node: every CPU is near the drive"));
    }
    let (observation, near) = scene.near_of(disk, nodes, observation)?;
    let Some((node, near)) = near else {
        return Ok(observation
            .not_applicable("the firmware does not report the drive's node (see numa.device_node)"));
    };
    let off: Vec<String> =
        free.iter().filter(|one| !one.cpus.is_within(&near)).map(|one| one.irq.to_string()).collect();
    if off.is_empty() {
        return Ok(observation.ok(format!("{} free interrupts are handled on node {node}", free.len())));
    }
    let says = format!(
        "{} of {} free interrupts (irq {}) may be handled on another node than {node}",
        off.len(),
        free.len(),
        off.join(", ")
    );
    Ok(observation.warn_for(&[Latency], says))
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
    let mut observation = Observation::on(&disk.name);
    for row in interrupts.iter().filter(|one| !one.is_admin()).filter_map(|one| grown.get(&one.irq)) {
        let counts: Vec<String> = row.counts.values().map(u64::to_string).collect();
        observation = observation.with(INTERRUPTS, format!("{} +{}", row.name, counts.join(" +")));
        row.counts.iter().for_each(|(cpu, count)| *by_cpu.entry(*cpu).or_default() += count);
    }
    let total: u64 = by_cpu.values().sum();
    let busiest = by_cpu.iter().max_by_key(|(cpu, count)| (**count, u32::MAX - **cpu));
    let Some((cpu, most)) = busiest.filter(|_| total >= COUNT_MIN) else {
        return Ok(observation
            .not_applicable(format!("{total} of its interrupts came while we looked: too few to judge")));
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
        (true, true) => observation.warn_for(&[Iops], says),
        (true, false) => observation.info(says),
        (false, _) => observation.ok(says),
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
    let observation = Observation::on("host").show(&raw);
    if !is_running {
        return Ok(observation.ok("irqbalance is not running"));
    }
    let has_free = |disk| super::free(scene, disk).is_ok_and(|free| !free.is_empty());
    let movable: Vec<&str> =
        scene.disks.iter().filter(|disk| has_free(disk)).map(|disk| disk.name.as_str()).collect();
    if movable.is_empty() {
        return Ok(observation.info("irqbalance is running, and cannot move the interrupts of the targets"));
    }
    let says = format!("irqbalance is running, and may move the interrupts of {}", movable.join(", "));
    Ok(observation.warn_for(&[Repeatability], says))
}

/// By the names of the processes; `None` where none can be seen.
fn process(scene: &Scene<'_>) -> Option<(bool, Raw)> {
    let names = scene.process_names();
    let daemon = names.iter().find(|name| name.text == "irqbalance");
    Some((daemon.is_some(), daemon.or(names.first())?.clone()))
}

/// `irq.queue_map`: does each CPU have its own queue of the drive?
pub(super) fn queue_map(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let online = scene.cpus_online()?;
    let (queues, raw) = queues(scene, disk)?;
    let (groups, _) = groups_of(&queues, &online);
    let observation = Observation::on(&disk.name).show(&raw);
    let counts = format!("{} for {}", counted(groups, "queue"), counted(online.len(), "CPU"));
    if groups == online.len() {
        return Ok(observation.ok(counts));
    }
    if !matches!(disk.kind, DiskKind::Nvme | DiskKind::Paravirtual) {
        return Ok(observation.info(format!("{counts}, as usual for such a drive")));
    }
    let job = scene.job.cpus.as_ref().map_or_else(|| online.clone(), |cpus| cpus.intersection(&online));
    let (of_job, sharing) = groups_of(&queues, &job);
    let workers = scene.job.workers.map(|workers| usize::try_from(workers).unwrap_or(usize::MAX));
    let workers = workers.unwrap_or(job.len());
    if of_job < workers {
        let says = format!("{counts}; {workers} workers on CPUs {job} share {of_job}");
        let says = if scene.job.workers.is_none() && scene.job.cpus.is_none() { counts } else { says };
        return Ok(observation.warn_for(&[Iops], says));
    }
    Ok(match sharing.is_empty() {
        true => observation.ok(format!("{counts}; CPUs {job} of the job have {of_job}")),
        false => {
            observation.info(format!("{counts}; CPUs {sharing} of the job share queues with each other"))
        }
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

// How much work interrupts make.

/// Share of a CPU from which a thread is a bottleneck (as for irq.softirq_load).
const FULL_PCT: u64 = 80;

/// Length of a tick as `/proc` counts: `USER_HZ` is 100 wherever Linux runs
/// today, x86 and Arm included.
const TICK_MS: u64 = 10;

/// With fewer milliseconds between the readings, a tick is too coarse.
const SPAN_MS_MIN: u64 = 100;

/// `irq.device_threads`: is a kernel thread of the target the bottleneck?
pub(super) fn device_threads(scene: &Scene<'_>) -> Observed {
    let missing = || Unknown::missing("/proc/1/stat");
    if scene.earlier.is_none() {
        // An audit before a run need not read them all.
        scene.before(scene.glob(PROCESSES).first().ok_or_else(missing)?)?;
    }
    let stats = scene.process_stats();
    let first = stats.first().ok_or_else(missing)?.as_ref().map_err(Clone::clone)?;
    // One file decides whether there were two readings, and whether such files
    // are understood: a thread that is new has no earlier one.
    scene.before(&first.path)?;
    Process::parse(&first.text).ok_or_else(|| first.garbled())?;
    let span_ms = scene.earlier.as_ref().map_or(0, |earlier| earlier.elapsed.as_millis() as u64);
    let observation = Observation::on("host");
    if span_ms < SPAN_MS_MIN {
        return Ok(observation.not_applicable("too little time passed between the readings"));
    }
    let names = names(scene);
    let threads: Vec<Thread<'_>> =
        stats.iter().flatten().filter_map(|stat| thread(scene, stat, &names, span_ms)).collect();
    let Some(busiest) = threads.iter().max_by_key(|thread| thread.pct) else {
        let asked = format!("{} programs and threads checked", stats.len());
        return Ok(observation.with("/proc", asked).ok("no thread of the kernel works for the target"));
    };
    let (name, pct) = (&busiest.name, busiest.pct);
    let observation = observation.show(busiest.stat);
    Ok(match pct >= FULL_PCT {
        true => observation
            .warn_for(&[Iops, Bandwidth], format!("{name} used {pct} % of a CPU, and is one thread")),
        false => observation
            .ok(format!("{}, the busiest ({name}) used {pct} % of a CPU", counted(threads.len(), "thread"))),
    })
}

struct Thread<'a> {
    name: String,
    pct: u64,
    stat: &'a Raw,
}

/// Parts of the names of such threads. Names of md threads and of threaded
/// interrupts begin with them; names of workers contain them after the dash
/// (`kworker/u8:1-loop0`).
fn names(scene: &Scene<'_>) -> Vec<String> {
    let arrays = scene.stacked.iter().map(|array| format!("{}_", array.name));
    let workers = scene.stacked.iter().map(|array| format!("-{}", array.name));
    let crypts = scene.stacked.iter().map(|array| format!("kcryptd/{}", array.number));
    let interrupts = scene.disks.iter().filter_map(|disk| super::of_disk(scene, disk).ok()).flatten();
    let interrupts = interrupts.map(|one| format!("irq/{}-", one.irq));
    arrays.chain(workers).chain(crypts).chain(interrupts).collect()
}

fn thread<'a>(scene: &Scene<'_>, stat: &'a Raw, names: &[String], span_ms: u64) -> Option<Thread<'a>> {
    let Process { name, ticks, .. } = Process::parse(&stat.text)?;
    let is_ours = |part: &String| match part.starts_with('-') {
        true => name.ends_with(part.as_str()),
        false => name.starts_with(part.as_str()) || name.contains(&format!("-{part}")),
    };
    if !names.iter().any(is_ours) {
        return None;
    }
    let used = ticks.saturating_sub(Process::parse(scene.before(&stat.path).ok()?)?.ticks);
    Some(Thread { name, pct: used * TICK_MS * 100 / span_ms, stat })
}

/// The feature, and the unit of its time.
const FEATURE: u8 = 8;
const TIME_UNIT_US: u32 = 100;

/// `irq.coalescing`: does the drive delay its interrupts?
pub(super) fn coalescing(scene: &Scene<'_>) -> Vec<Observation> {
    let controllers: Vec<&String> = scene.disks.iter().flat_map(|disk: &Disk| &disk.controllers).collect();
    let none = || Observation::on("host").not_applicable("no target is an NVMe drive");
    each(
        controllers,
        none,
        |controller| controller.to_string(),
        |controller| coalescing_of(scene, controller),
    )
}

fn coalescing_of(scene: &Scene<'_>, controller: &str) -> Observed {
    let question = Question::NvmeFeature { controller: controller.to_owned(), feature: FEATURE };
    let bytes = scene.root.ask(&question)?;
    let garbled = || Unknown::garbled(&question.path(), &String::from_utf8_lossy(&bytes));
    let word = u32::from_le_bytes(bytes.as_slice().try_into().map_err(|_| garbled())?);
    // Threshold in bits 7:0, one less than the number of entries; time in 15:8.
    let (threshold, time_us) = ((word & 0xff) + 1, (word >> 8 & 0xff) * TIME_UNIT_US);
    let observation = Observation::on(controller).with(question.path(), format!("0x{word:08x}"));
    if time_us == 0 {
        return Ok(observation.ok("no completion is held back"));
    }
    let says = format!("a completion may be held back for {time_us} µs, until there are {threshold}");
    Ok(observation.warn_for(&[Latency], says))
}

const MODULE: &str = "/sys/module/nvme/parameters/use_threaded_interrupts";
const REALTIME: &str = "/sys/kernel/realtime";

/// `irq.threaded`: does a completion wait for a thread to be scheduled?
pub(super) fn threaded(scene: &Scene<'_>) -> Vec<Observation> {
    let mut observations = vec![Observation::or_unknown("boot", boot(scene))];
    // Without the module, or without a real-time kernel, the files do not
    // exist, which is not an error. The kernel command line always exists.
    if scene.root.exists(MODULE) {
        observations.push(Observation::or_unknown(
            "nvme",
            flag(scene, "nvme", MODULE, "the nvme module handles interrupts in threads"),
        ));
    }
    if scene.root.exists(REALTIME) {
        observations.push(Observation::or_unknown(
            "kernel",
            flag(scene, "kernel", REALTIME, "this is a real-time kernel"),
        ));
    }
    observations
}

fn boot(scene: &Scene<'_>) -> Observed {
    let words = scene.boot_words()?;
    let observation = Observation::on("boot").show(&words.raw);
    Ok(match words.has("threadirqs") {
        true => observation.warn_for(&[Latency], "threadirqs was set at boot"),
        false => observation.ok("threadirqs was not set at boot"),
    })
}

fn flag(scene: &Scene<'_>, subject: &str, path: &str, says: &str) -> Observed {
    let raw = scene.read(path)?;
    let observation = Observation::on(subject).show(&raw);
    match raw.text.as_str() {
        "0" => Ok(observation.ok("interrupts are handled where they arrive")),
        "1" => Ok(observation.warn_for(&[Latency], says)),
        _ => Err(raw.garbled()),
    }
}

/// Shares of a CPU's time (host catalogue).
const FULL_LOAD_PCT: u64 = 80;
const HALF_LOAD_PCT: u64 = 50;

/// Ticks of 10 ms that must have passed: one tick more or less is then 10 %.
const TICKS_MIN: u64 = 10;

/// `irq.softirq_load`: is a CPU busy with interrupts only?
pub(super) fn softirq_load(scene: &Scene<'_>) -> Observed {
    let (spent, raw) = scene.ticks_spent()?;
    let share = |ticks: &Ticks| ticks.pct(ticks.interrupts + ticks.stolen);
    let long_enough = spent.iter().filter(|(_, ticks)| ticks.total >= TICKS_MIN);
    let Some((cpu, ticks)) = long_enough.max_by_key(|(_, ticks)| share(ticks)) else {
        return Ok(Observation::on("host").not_applicable("too little time passed between the readings"));
    };
    let line = raw.text.lines().find(|line| line.starts_with(&format!("cpu{cpu} ")));
    let observation = Observation::on(format!("cpu{cpu}")).with(&raw.path, line.unwrap_or_default());
    let says = format!(
        "{} % of its time went into interrupts and {} % was stolen, the most of all CPUs",
        ticks.pct(ticks.interrupts),
        ticks.pct(ticks.stolen)
    );
    Ok(match share(ticks) {
        share if share > FULL_LOAD_PCT => observation.bad(says),
        share if share > HALF_LOAD_PCT => observation.info(says),
        _ => observation.ok(says),
    })
}
