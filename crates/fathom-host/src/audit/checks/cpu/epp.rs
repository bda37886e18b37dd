//! `cpu.epp`: does the hardware itself prefer to save energy?

use std::path::Path;

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.epp",
    title: "Energy preference of the processor",
    reads: "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference; where there is none, \
            /sys/devices/system/cpu/cpu*/power/energy_perf_bias",
    why: "Processors since about 2015 choose their clock themselves; the system only tells them how much they should \
          care about energy. With a saving preference the clock rises late after a pause, and there is a pause between \
          any two I/Os at low depth: the same request is handled at a third of the clock or at the full clock, by \
          chance.",
    judged: "performance (or 0) is ok. The balanced preferences, default and any number between warn for latency and \
             repeatability; power (255, or 15 of the older bias) is bad for both. At high depth the cores do not \
             pause, so for IOPS and bandwidth it is a remark.",
    remedy: "For a run: fathom run --tune, or fathom tune plan. By hand: write performance into each policy's \
             energy_performance_preference. intel_pstate refuses any other word while the governor is performance, so \
             on the way back restore the governor first. x86_energy_perf_policy and the reboot that older guides \
             recommend are not needed.",
    needs: Needs::Knob("cpu.epp"),
    kernels: "preference: intel_pstate 4.10, amd-pstate 6.3; bias: 5.2",
    sources: &["H-4", "I-6", "Documentation/admin-guide/pm/intel_pstate.rst", "intel_epb.rst"],
    observe: Observe::Once(observe),
};

/// Highest numbers of the two scales: eight bits and four bits of a register.
const PREFERENCE_MAX: u8 = 255;
const BIAS_MAX: u8 = 15;

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let mut files = scene.glob("/sys/devices/system/cpu/cpufreq/policy#/energy_performance_preference");
    if files.is_empty() {
        files = scene.glob("/sys/devices/system/cpu/cpu#/power/energy_perf_bias");
    }
    let first = "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference";
    let missing = || Observation::unknown("host", Unknown::missing(first));
    each(files, missing, |file| subject(file), |file| one(scene, file))
}

/// `policy0`, or `cpu0` of `cpu0/power/energy_perf_bias`.
fn subject(file: &Path) -> String {
    let dirs = file.ancestors().skip(1).map(leaf);
    dirs.into_iter().find(|dir| dir != "power").unwrap_or_default()
}

fn one(scene: &Scene<'_>, file: &Path) -> Observed {
    let raw = scene.read(file)?;
    let seen = Observation::on(subject(file)).show(&raw);
    let most = if leaf(file) == "energy_perf_bias" { BIAS_MAX } else { PREFERENCE_MAX };
    let verdict = match (raw.text.as_str(), raw.text.parse::<u8>()) {
        ("performance", _) | (_, Ok(0)) => return Ok(seen.ok(format!("the preference is {}", raw.text))),
        ("power", _) => Grade::Bad,
        ("default" | "balance_performance" | "balance_power" | "normal", _) => Grade::Warn,
        (_, Ok(number)) if number == most => Grade::Bad,
        (_, Ok(number)) if number < most => Grade::Warn,
        _ => return Err(raw.garbled()),
    };
    let says = format!("the preference is {}: the clock rises late after a pause", raw.text);
    Ok(seen.judge(Grades::on(&[Latency, Repeatability], verdict), says))
}
