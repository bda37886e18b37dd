//! `irq.softirq_load`: is a CPU busy with interrupts only?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, Ticks};

pub(super) const CHECK: Check = Check {
    id: "irq.softirq_load",
    title: "CPU time in interrupts",
    reads: "/proc/stat twice: irq, softirq and steal of each CPU",
    why: "Completions are handled in interrupts, and a CPU that does nothing else cannot handle more. Averages over \
          the machine hide it: one busy CPU of 64 is 1.6 %. Time that a hypervisor took for others (steal) is added, \
          because it is missing on the same CPU.",
    judged: "More than 80 % of a CPU's time between the two readings is bad for every goal, because it limits the \
             figures. More than half is a remark, less is ok. Without two readings, or with less than a tenth of a \
             second between them: n-a.",
    remedy: "Spread the work: more queues and CPUs for the job (see irq.queue_map, irq.spread), or polled completions \
             (hipri=1 with poll_queues of the nvme module). For stolen time, ask the hypervisor's administrator.",
    needs: Needs::Job,
    kernels: "all",
    sources: &["M-18", "M-22", "M-16", "proc_stat(5)"],
    observe: Observe::Watch(&["/proc/stat"], |scene| vec![Observation::or_unknown("host", one(scene))]),
};

/// Shares of a CPU's time (host catalogue).
const FULL_PCT: u64 = 80;
const HALF_PCT: u64 = 50;

/// Ticks of 10 ms that must have passed: one tick more or less is then 10 %.
const TICKS_MIN: u64 = 10;

fn one(scene: &Scene<'_>) -> Observed {
    let (spent, raw) = scene.ticks_spent()?;
    let share = |ticks: &Ticks| ticks.pct(ticks.interrupts + ticks.stolen);
    let long_enough = spent.iter().filter(|(_, ticks)| ticks.total >= TICKS_MIN);
    let Some((cpu, ticks)) = long_enough.max_by_key(|(_, ticks)| share(ticks)) else {
        return Ok(Observation::on("host").not_applicable("too little time passed between the readings"));
    };
    let line = raw.text.lines().find(|line| line.starts_with(&format!("cpu{cpu} ")));
    let seen = Observation::on(format!("cpu{cpu}")).with(&raw.path, line.unwrap_or_default());
    let says = format!(
        "{} % of its time went into interrupts and {} % was stolen, the most of all CPUs",
        ticks.pct(ticks.interrupts),
        ticks.pct(ticks.stolen)
    );
    Ok(match share(ticks) {
        share if share > FULL_PCT => seen.bad(says),
        share if share > HALF_PCT => seen.info(says),
        _ => seen.ok(says),
    })
}
