//! `cpu.cstates`: how deep may a core sleep between two I/Os?

use std::path::{Path, PathBuf};

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

const USAGE: &str = "/sys/devices/system/cpu/cpu#/cpuidle/state#/usage";

pub(super) const CHECK: Check = Check {
    id: "cpu.cstates",
    title: "Sleep states of the processor",
    reads: "/sys/devices/system/cpu/cpu*/cpuidle/state*/{name,latency,disable,usage}, power/pm_qos_resume_latency_us",
    why: "A core without work sleeps, more deeply when it expects a longer pause, and needs time to wake up: a few \
          microseconds from the light states, a hundred and more from the deep states, in which the caches are \
          emptied. A core that waits for one I/O at a time sleeps between any two I/Os, so the wake-up is part of each \
          latency: 100 µs in addition to the 10 to 80 µs of the drive.",
    judged: "A state with an exit latency above 10 µs that may be used warns for latency and repeatability; above 100 \
             µs it is bad for latency. With two readings, only the states that were entered between them count, on the \
             CPUs of the job if it names any; a state that no CPU entered is a remark. At the end of a run, the states \
             entered during the run are a remark too. For IOPS and bandwidth it is a remark: cores under load do not \
             sleep.",
    remedy: "For a run: fathom run --tune, which holds /dev/cpu_dma_latency open; the kernel removes the limit when \
             the run ends, however it ends. The boot parameters intel_idle.max_cstate=0 and idle=poll of older guides \
             are not needed and do harm (see cpu.idle_cmdline). C1E and package states (sleep of the whole processor) \
             are limited in BIOS.",
    needs: Needs::Knob("cpu.cstates"),
    kernels: "all with cpuidle",
    sources: &["V-5", "V-6", "V-17", "H-3", "I-6", "Documentation/admin-guide/pm/cpuidle.rst"],
    observe: Observe::Watch(&[USAGE], |scene| match states(scene) {
        Err(unknown) => vec![Observation::unknown("host", unknown)],
        Ok(states) => states.iter().map(|state| judge(state, scene.job.has_run)).collect(),
    }),
};

/// Exit latencies from which a state matters (host catalogue: the latency of
/// flash drives is between about 10 us and 100 us).
const LIGHT_US_MAX: u64 = 10;
const MIDDLE_US_MAX: u64 = 100;

/// The same state of all CPUs that may use it.
struct State {
    name: String,
    latency_us: u64,
    cpus: CpuSet,
    /// How often they entered it between the two readings, where there were two.
    entered: Option<u64>,
    evidence: (PathBuf, String),
}

fn judge(state: &State, has_run: bool) -> Observation {
    let State { name, latency_us, cpus, entered, evidence: (path, raw) } = state;
    let seen = Observation::on(name).with(path, raw);
    if cpus.is_empty() {
        return seen.ok("disabled, or excluded by a latency limit");
    }
    let times = entered.map_or(String::new(), |times| format!(", entered {times} times while we looked"));
    let says = format!("wakes in {latency_us} µs on CPUs {cpus}{times}");
    let deep = Grades::on(&[Latency, Repeatability], Grade::Warn);
    match *latency_us {
        us if us <= LIGHT_US_MAX => seen.ok(says),
        // Sleep states do not disturb a run, and were judged before it.
        _ if has_run || *entered == Some(0) => seen.info(says),
        us if us <= MIDDLE_US_MAX => seen.judge(deep, says),
        _ => seen.judge(deep.and(&[Latency], Grade::Bad), says),
    }
}

fn states(scene: &Scene<'_>) -> Result<Vec<State>, Unknown> {
    let dirs = scene.glob("/sys/devices/system/cpu/cpu#/cpuidle/state#");
    if dirs.is_empty() {
        return Err(Unknown::missing("/sys/devices/system/cpu/cpu0/cpuidle/state0/latency"));
    }
    let mut states: Vec<State> = Vec::new();
    for dir in dirs {
        let cpu = number(&dir, 2).ok_or_else(|| Unknown::garbled(&dir, "no CPU's number"))?;
        if scene.job.cpus.as_ref().is_none_or(|cpus| cpus.contains(cpu)) {
            add(scene, &mut states, cpu, &dir)?;
        }
    }
    Ok(states)
}

/// The number at the end of the name of the directory `up` levels above.
fn number(dir: &Path, up: usize) -> Option<u32> {
    let name = dir.ancestors().nth(up)?.file_name()?.to_str()?;
    name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

fn add(scene: &Scene<'_>, states: &mut Vec<State>, cpu: u32, dir: &Path) -> Result<(), Unknown> {
    let name = scene.read(dir.join("name"))?;
    let (latency_us, latency) = scene.value::<u64>(dir.join("latency"))?;
    // A user sets bit 0; drivers set higher bits for their own reasons.
    let (disable, _) = scene.value::<u64>(dir.join("disable"))?;
    let may = disable == 0 && latency_limit_us(scene, dir).is_none_or(|limit| latency_us <= limit);
    let grown = scene.earlier.as_ref().map(|_| scene.growth(dir.join("usage")).map_or(0, |(grown, _)| grown));
    let at = states.iter().position(|state| state.name == name.text && state.latency_us == latency_us);
    let at = at.unwrap_or_else(|| {
        let evidence = (latency.path, latency.text);
        let (name, cpus) = (name.text, CpuSet::default());
        states.push(State { name, latency_us, cpus, entered: None, evidence });
        states.len() - 1
    });
    if may {
        let state = &mut states[at];
        state.cpus = state.cpus.iter().chain([cpu]).collect();
        state.entered = grown.map(|grown| grown + state.entered.unwrap_or(0));
    }
    Ok(())
}

/// The highest exit latency that the CPU's own limit allows. The file has
/// unusual values: 0 means no limit, and `n/a` allows no latency at all
/// (Documentation/ABI/testing/sysfs-devices-power).
fn latency_limit_us(scene: &Scene<'_>, dir: &Path) -> Option<u64> {
    let cpu = dir.ancestors().nth(2)?;
    let text = scene.read(cpu.join("power/pm_qos_resume_latency_us")).ok()?.text;
    if text == "n/a" { Some(0) } else { text.parse().ok().filter(|limit| *limit > 0) }
}
