//! `cpu.turbo`: may the clock rise above the nominal one?

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::{Bandwidth, Iops, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.turbo",
    title: "Turbo, or boost",
    reads: "/sys/devices/system/cpu/intel_pstate/no_turbo, else /sys/devices/system/cpu/cpufreq/boost; \
            /sys/devices/system/cpu/cpufreq/policy*/boost",
    why: "With turbo a core runs above its nominal clock, often by a third, for as long as the temperature, the power \
          limit and the load of the other cores allow it. Each I/O costs less time, and how much less differs from \
          hour to hour. Some guides switch it off, others on. Both are right, for different goals.",
    judged: "On is ok for latency, IOPS and bandwidth, and a remark for repeatability: the figure changes with \
             temperature and load. Off warns for IOPS and bandwidth and is ok for repeatability. Policies that differ \
             from each other warn for every goal: the figure then depends on which core did the work.",
    remedy: "For a run: fathom run --tune --tune-knob cpu.turbo sets it as the goal needs it. By hand: write 0 or 1 \
             into no_turbo or boost; on Intel the two are one switch with opposite signs. Where the firmware forbids \
             turbo the write fails; enable turbo in the BIOS then.",
    needs: Needs::NamedKnob("cpu.turbo"),
    kernels: "no_turbo: 3.9; boost: 3.7; boost for each policy: 6.7",
    sources: &["V-17", "I-6", "I-7", "Documentation/admin-guide/pm/cpufreq.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", whole(scene))]),
};

const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";

fn whole(scene: &Scene<'_>) -> Observed {
    let (is_on, raw) = switch(scene)?;
    let seen = Observation::on("host").show(&raw);
    let policies = policies(scene)?;
    let off: Vec<&(bool, Raw)> = policies.iter().filter(|(is_on, _)| !is_on).collect();
    // If turbo is off for the whole machine, the settings of the policies have no effect.
    if is_on && !off.is_empty() && off.len() < policies.len() {
        let says = format!("turbo is off on {} of {} policies", off.len(), policies.len());
        let seen = off.iter().take(4).fold(seen, |seen, (_, raw)| seen.show(raw));
        return Ok(seen.warn(says));
    }
    let is_on = is_on && (policies.is_empty() || off.is_empty());
    Ok(if is_on {
        let verdicts = Grades::all(Grade::Ok).and(&[Repeatability], Grade::Info);
        seen.judge(verdicts, "turbo is on: faster, but less repeatable")
    } else {
        let verdicts = Grades::on(&[Iops, Bandwidth], Grade::Warn).and(&[Repeatability], Grade::Ok);
        seen.judge(verdicts, "turbo is off: slower, but more repeatable")
    })
}

/// The switch of the whole machine.
fn switch(scene: &Scene<'_>) -> Result<(bool, Raw), Unknown> {
    if scene.root.exists(NO_TURBO) {
        let (no, raw) = flag(scene.read(NO_TURBO)?)?;
        return Ok((!no, raw));
    }
    flag(scene.read(BOOST)?)
}

fn policies(scene: &Scene<'_>) -> Result<Vec<(bool, Raw)>, Unknown> {
    let files = scene.glob("/sys/devices/system/cpu/cpufreq/policy#/boost");
    files.iter().map(|file| flag(scene.read(file)?)).collect()
}

fn flag(raw: Raw) -> Result<(bool, Raw), Unknown> {
    match raw.text.as_str() {
        "0" => Ok((false, raw)),
        "1" => Ok((true, raw)),
        _ => Err(raw.garbled()),
    }
}
