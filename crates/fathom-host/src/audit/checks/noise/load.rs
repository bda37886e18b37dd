//! `noise.load`: do other programs keep the processors busy?

use super::process::{PROCESSES, Process, Worked, share, worked};
use crate::audit::{Check, CpuTimes, Needs, Observation, Observe, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "noise.load",
    title: "Other programs on the processors",
    reads: "/proc/stat and /proc/PID/stat, twice; /proc/loadavg",
    why: "A worker that shares its CPU waits for its turn: up to a few milliseconds, which at low depth is a \
          hundred times the latency of the drive. The high percentiles of a run on a busy host describe the \
          process scheduler.",
    judged: "A program other than fathom that used more than 10 % of one CPU between the two readings warns for \
             latency and repeatability, if it ran on a CPU of the job or the job may run anywhere; elsewhere it is a \
             remark. Kernel threads are judged by noise.kthreads. No such program: ok.",
    remedy: "End or pause it, wait for it, or give the job CPUs that it does not use (cpus_allowed), and keep other \
             programs away from them (cgroup cpuset, isolcpus).",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["M-18", "I-39"],
    observe: Observe::Watch(&["/proc/stat", PROCESSES], |scene| {
        judge(scene).unwrap_or_else(|unknown| vec![Observation::unknown("host", unknown)])
    }),
};

/// A tenth of a CPU: five ticks of the half second that an audit waits.
const SHARE_MIN: f64 = 0.10;

/// At most this many programs are reported, the busiest first.
const TOLD_MAX: usize = 5;

fn judge(scene: &Scene<'_>) -> Result<Vec<Observation>, Unknown> {
    let (times, raw) = scene.cpu_growth()?;
    let mut busy: Vec<Worked> = worked(scene)?;
    busy.retain(|one| !one.process.is_kernel && !is_us(scene, &one.process));
    busy.retain(|one| share(one, &times) > SHARE_MIN);
    busy.sort_by_key(|one| std::cmp::Reverse(one.ticks));
    if busy.is_empty() {
        let idle = times.idle as f64 * 100.0 / times.total as f64;
        let mut seen = Observation::on("host").with(&raw.path, raw.text.lines().next().unwrap_or_default());
        if let Ok(load) = scene.read("/proc/loadavg") {
            seen = seen.show(&load);
        }
        return Ok(vec![seen.ok(format!("no other program is busy; the processors were {idle:.0} % idle"))]);
    }
    Ok(busy.iter().take(TOLD_MAX).map(|one| tell(scene, one, &times)).collect())
}

/// Whether the process is fathom itself. In a capture it is recognised by its name.
fn is_us(scene: &Scene<'_>, process: &Process) -> bool {
    if scene.root.is_live() { process.pid == std::process::id() } else { process.name == "fathom" }
}

fn tell(scene: &Scene<'_>, one: &Worked, times: &CpuTimes) -> Observation {
    let Process { pid, name, cpu, .. } = &one.process;
    let at = cpu.map(|cpu| format!(", last on CPU {cpu}")).unwrap_or_default();
    // The one that looks is not in the list.
    let name = if name == "fathom" { "another fathom" } else { name.as_str() };
    let says = format!("{name} used {:.0} % of a CPU{at}", share(one, times) * 100.0);
    let seen = Observation::on(format!("pid {pid}")).show(&one.raw);
    let shares = scene.job.cpus.as_ref().is_none_or(|cpus| cpu.is_none_or(|cpu| cpus.contains(cpu)));
    match shares {
        true => seen.warn_for(&[Latency, Repeatability], says),
        false => seen.info(format!("{says}, which is not one of the job's")),
    }
}
