//! `cpu.freq_cap`: may the clock reach what the hardware can?

use std::path::Path;

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Raw, Scene, each, leaf};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.freq_cap",
    title: "Limits of the CPU clock",
    reads: "/sys/devices/system/cpu/cpufreq/policy*/{scaling_max_freq,scaling_min_freq,cpuinfo_max_freq,bios_limit,\
            scaling_governor}, /sys/devices/system/cpu/intel_pstate/max_perf_pct",
    why: "The clock moves between a lower and an upper limit, in kHz. An upper limit below what the hardware can makes \
          every instruction of the I/O path slower by the same ratio: at 4 KiB and one core this limits the IOPS. A \
          low lower limit lets the clock of an idle core fall, so that the figure depends on how long the core was \
          idle.",
    judged: "An upper limit (of the system, of intel_pstate, or of the firmware) that is 10 % or more below the \
             hardware's is bad for latency, IOPS and bandwidth; a smaller reduction warns. For repeatability it is a \
             remark, since a fixed lower clock repeats well. A lower limit below half the upper one warns for \
             repeatability, unless the governor is performance, which requests the upper limit all the time.",
    remedy: "For a run: fathom run --tune raises the upper limit, then the lower one. By hand: write cpuinfo_max_freq \
             into scaling_max_freq (first) and scaling_min_freq, and 100 into max_perf_pct. A limit by the firmware \
             (bios_limit) is removed in the BIOS or the management controller (BMC).",
    needs: Needs::Knob("cpu.freq_cap"),
    kernels: "all with cpufreq",
    sources: &["V-4", "V-17", "I-6", "Documentation/admin-guide/pm/cpufreq.rst"],
    observe: Observe::Once(observe),
};

const MAX_PERF_PCT: &str = "/sys/devices/system/cpu/intel_pstate/max_perf_pct";

/// Per cent of the hardware's clock below which a limit is bad and not a
/// rounding of the driver: acpi-cpufreq writes 2601000 for "2.6 GHz and
/// turbo".
const NEARLY_WHOLE_PCT: u64 = 90;

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let policies = scene.glob("/sys/devices/system/cpu/cpufreq/policy#");
    let first = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq";
    let missing = || Observation::unknown("host", Unknown::missing(first));
    let mut seen = each(policies, missing, |policy| leaf(policy), |policy| one(scene, policy));
    if scene.root.exists(MAX_PERF_PCT) {
        let whole = intel_pstate(scene);
        seen.push(Observation::or_unknown("intel_pstate", whole));
    }
    seen
}

fn intel_pstate(scene: &Scene<'_>) -> Observed {
    let (pct, raw) = scene.value::<u64>(MAX_PERF_PCT)?;
    let seen = Observation::on("intel_pstate").show(&raw);
    Ok(match pct {
        100 => seen.ok("intel_pstate may use all of the clock"),
        1..100 => capped(seen, pct, format!("intel_pstate may use {pct} % of the clock")),
        _ => return Err(raw.garbled()),
    })
}

fn capped(seen: Observation, pct: u64, says: String) -> Observation {
    let verdict = if pct < NEARLY_WHOLE_PCT { Grade::Bad } else { Grade::Warn };
    seen.judge(Grades::on(&[Latency, Iops, Bandwidth], verdict), says)
}

fn one(scene: &Scene<'_>, policy: &Path) -> Observed {
    let khz = |file: &str| {
        let (khz, raw) = scene.value::<u64>(policy.join(file))?;
        if khz == 0 { Err(raw.garbled()) } else { Ok((khz, raw)) }
    };
    let show = |seen: Observation, raw: &Raw| seen.show(raw);
    let (hardware, raw) = khz("cpuinfo_max_freq")?;
    let seen = show(Observation::on(leaf(policy)), &raw);
    let (upper, raw) = khz("scaling_max_freq")?;
    let seen = show(seen, &raw);
    if upper < hardware {
        let says = format!("the clock is limited to {} of {} MHz", upper / 1000, hardware / 1000);
        return Ok(capped(seen, upper * 100 / hardware, says));
    }
    if let Ok((firmware, raw)) = khz("bios_limit")
        && firmware < hardware
    {
        let says = format!("the firmware limits the clock to {} of {} MHz", firmware / 1000, hardware / 1000);
        return Ok(capped(show(seen, &raw), firmware * 100 / hardware, says));
    }
    let (lower, raw) = khz("scaling_min_freq")?;
    let seen = show(seen, &raw);
    let governor = scene.read(policy.join("scaling_governor"));
    let asks_for_upper = governor.is_ok_and(|governor| governor.text == "performance");
    let says = format!("the clock may be {} to {} MHz", lower / 1000, upper / 1000);
    if lower * 2 < upper && !asks_for_upper {
        return Ok(seen.warn_for(&[Repeatability], says));
    }
    Ok(seen.ok(says))
}
