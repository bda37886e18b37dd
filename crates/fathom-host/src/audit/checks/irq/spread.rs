//! `irq.spread`: does one CPU handle most completions?

use std::collections::BTreeMap;
use std::path::Path;

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Iops;
use fathom_device::root::Unknown;

use super::table::{self, INTERRUPTS, Row};

pub(super) const CHECK: Check = Check {
    id: "irq.spread",
    title: "Share of the busiest CPU in a drive's interrupts",
    reads: "/proc/interrupts twice, the rows of the drive's interrupts",
    why: "One CPU can handle a few hundred thousand completions a second. Where most of a drive's interrupts arrive on \
          one CPU, that CPU limits all workers together, and the other CPUs wait for it and look idle. It happens with \
          drives that have one queue, with drivers whose interrupts are not spread, and with jobs whose workers all \
          run on one CPU.",
    judged: "With 1000 or more interrupts between the two readings, a CPU that took over 60 % of them warns for IOPS, \
             if the job has several workers and several CPUs, and interrupts took 20 % of that CPU's time. With one \
             worker, or where no job is known, it is a remark, because a single worker's completions should come back \
             to its CPU. The imbalance is the busiest CPU's count over the mean of the CPUs that the job may use: 1 is \
             even.",
    remedy: "Give each worker a CPU of its own (cpus_allowed_policy=split) so that each uses a queue of its own. For \
             free interrupts see irq.unmanaged_place, for drives with fewer queues than workers irq.queue_map.",
    needs: Needs::Job,
    kernels: "all",
    sources: &["M-16", "V-13", "M-1", "M-18"],
    observe: Observe::Watch(&[INTERRUPTS], |scene| match grown(scene) {
        Err(unknown) => vec![Observation::unknown("host", unknown)],
        Ok(grown) => scene.each_disk(|disk| one(scene, disk, &grown)),
    }),
};

/// Fewer interrupts are too few to judge.
const COUNT_MIN: u64 = 1000;

/// Share of the CPU's own time from which its interrupts may be the bottleneck.
const LOAD_PCT_MIN: u64 = 20;

/// Share of all interrupts above which one CPU is the bottleneck (host catalogue).
const SHARE_PCT_MAX: u64 = 60;

/// By how much each count grew.
fn grown(scene: &Scene<'_>) -> Result<BTreeMap<u32, Row>, Unknown> {
    let now = table::rows(&scene.read(INTERRUPTS)?.text)?;
    let before = table::rows(scene.before(Path::new(INTERRUPTS))?)?;
    let row = |(irq, mut row): (u32, Row)| {
        let earlier = before.get(&irq).filter(|earlier| earlier.name == row.name)?;
        for (cpu, count) in &mut row.counts {
            *count = count.saturating_sub(*earlier.counts.get(cpu)?);
        }
        Some((irq, row))
    };
    Ok(now.into_iter().filter_map(row).collect())
}

fn one(scene: &Scene<'_>, disk: &Disk, grown: &BTreeMap<u32, Row>) -> Observed {
    let interrupts = table::of_disk(scene, disk)?;
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
