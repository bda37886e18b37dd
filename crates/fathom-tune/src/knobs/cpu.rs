//! Sleep states, and automatic moves of memory between nodes.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::place::RelativePlace;
use crate::scope::Scope;
use crate::setting::{Coupling, Setting};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::Root;

/// The longest exit latency allowed. 10 µs keeps the shallow halt states: a
/// limit of 0 would make idle CPUs spin, which takes turbo headroom and power
/// from the sibling thread (the harm that `idle=poll` does).
const EXIT_LATENCY_MAX_US: &str = "10";

/// May a CPU enter a state from which it wakes more slowly than that? The check `cpu.cstates` judges by the same limit,
/// so the plan leaves alone what the check finds good.
fn sleeps_deeply(root: &Root) -> bool {
    let cpus = root.numbers("/sys/devices/system/cpu", "cpu").into_iter();
    let mut states = cpus.flat_map(|cpu| {
        let dir = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle");
        root.numbers(&dir, "state").into_iter().map(move |state| format!("{dir}/state{state}"))
    });
    let number = |path: String| root.read_text(path).ok()?.parse::<u64>().ok();
    let limit_us = EXIT_LATENCY_MAX_US.parse().ok();
    states.any(|state| {
        let may_enter = number(format!("{state}/disable")) == Some(0);
        may_enter && number(format!("{state}/latency")) > limit_us
    })
}

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "cpu.cstates",
        title: "hold /dev/cpu_dma_latency at 10 us",
        why: "a CPU in a deep idle state takes up to hundreds of microseconds to begin with a completion; the setting \
              ends with the run, also after a crash",
        risk: Risk::Speed,
        needs: Requirement::DeviceNode,
        docs: "Documentation/power/pm_qos_interface.rst",
        find: |scope| {
            let path = "/dev/cpu_dma_latency";
            let idles = scope.root.exists("/sys/devices/system/cpu/cpu0/cpuidle");
            let setting = Setting::at(OwnerKey::Host, RelativePlace::Held(path.into()), Codec::Number);
            Some(setting).filter(|_| idles && scope.root.exists(path)).into_iter().collect()
        },
        want: |look| {
            let is_useful = look.is_for(&[Latency, Repeatability]) && sleeps_deeply(look.scope.root);
            is_useful.then(|| EXIT_LATENCY_MAX_US.to_owned())
        },
    },
    Knob {
        id: "cpu.cstates_per_cpu",
        title: "limit the exit latency of each CPU",
        why: "like cpu.cstates, for a limit that must outlive the process or hold on some CPUs only",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/testing/sysfs-devices-power, pm_qos_resume_latency_us (0 is no limit, n/a is 0 us)",
        find: |scope| {
            let cpus = scope.root.numbers("/sys/devices/system/cpu", "cpu").into_iter();
            let file = "power/pm_qos_resume_latency_us";
            let setting = |cpu| Setting::file(OwnerKey::Cpu { cpu }, file, Codec::ResumeLatency);
            cpus.map(setting).collect()
        },
        want: |look| look.is_for(&[Latency, Repeatability]).then(|| EXIT_LATENCY_MAX_US.to_owned()),
    },
    Knob {
        id: "numa.balancing",
        title: "no automatic NUMA balancing",
        why: "the kernel unmaps pages to learn who uses them, which stalls pinned jobs at random",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/sysctl/kernel.rst, numa_balancing",
        find: |_| vec![Setting::file(OwnerKey::Host, "proc/sys/kernel/numa_balancing", Codec::Number)],
        want: |look| look.is_for(&[Latency, Repeatability]).then(|| "0".to_owned()),
    },
];

const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";

pub(super) const FREQUENCY_KNOBS: &[Knob] = &[
    Knob {
        id: "cpu.epp",
        title: "energy preference to performance",
        why: "drivers that choose clocks themselves follow this; \"balance\" makes short I/O run at low clocks",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/pm/intel_pstate.rst, amd-pstate.rst",
        find: |scope| policies(scope, "energy_performance_preference", Codec::Word),
        want: |look| look.is_for(&[Latency, Iops, Repeatability]).then(|| "performance".to_owned()),
    },
    Knob {
        id: "cpu.governor",
        title: "frequency governor to performance",
        why: "a clock that follows the load lags behind it: latency and IOPS depend on the last milliseconds' load",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/pm/cpufreq.rst",
        find: |scope| policies(scope, "scaling_governor", Codec::Word),
        want: governor,
    },
    Knob {
        id: "cpu.freq_cap",
        title: "frequency limits to what the hardware allows",
        why: "a cap below the hardware's maximum slows every I/O; equal limits keep the clock still",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/pm/cpufreq.rst, policy limits",
        find: |scope| {
            let upper = policies(scope, "scaling_max_freq", Codec::Number);
            upper.into_iter().chain(policies(scope, "scaling_min_freq", Codec::Number)).collect()
        },
        want: limit,
    },
    Knob {
        id: "cpu.turbo",
        title: "turbo on for speed, off for an even clock",
        why: "turbo gives more IOPS, but a clock that depends on temperature and on the neighbours: guides disagree \
              (on for bandwidth and IOPS, off for repeatability)",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/pm/intel_pstate.rst (no_turbo), cpufreq.rst (boost)",
        find: turbo,
        want: turbo_value,
    },
];

fn policies(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
    let numbers = scope.root.numbers("/sys/devices/system/cpu/cpufreq", "policy");
    let keys = numbers.into_iter().map(|n| OwnerKey::Policy { policy: format!("policy{n}") });
    keys.map(|key| Setting::file(key, file, codec)).collect()
}

/// Where a driver chooses clocks by EPP, its `powersave` is not a slow governor.
fn governor(look: &KnobInput<'_>) -> Option<String> {
    let follows_epp = look.beside("energy_performance_preference").is_some();
    let offers = look.beside("scaling_available_governors").unwrap_or_default();
    let has = offers.split_whitespace().any(|word| word == "performance");
    let wanted = look.is_for(&[Latency, Iops, Repeatability]) && has;
    (wanted && !(follows_epp && look.now.typed == "powersave")).then(|| "performance".to_owned())
}

fn limit(look: &KnobInput<'_>) -> Option<String> {
    let hardware = look.number_beside("cpuinfo_max_freq")?;
    let is_upper = look.now.place.file()?.ends_with("scaling_max_freq");
    (is_upper || look.goal == Repeatability).then(|| hardware.to_string())
}

/// One value in two files: Intel's own file is taken where there is one.
fn turbo(scope: &Scope<'_>) -> Vec<Setting> {
    let has = |file: &str| scope.root.exists(format!("/{file}"));
    let setting = |file: &str| Setting::file(OwnerKey::Host, file, Codec::Number);
    match (has(NO_TURBO), has(BOOST)) {
        (true, true) => vec![setting(NO_TURBO).with_twin(BOOST, Coupling::Mirrors)],
        (true, false) => vec![setting(NO_TURBO)],
        (false, true) => vec![setting(BOOST)],
        (false, false) => Vec::new(),
    }
}

fn turbo_value(look: &KnobInput<'_>) -> Option<String> {
    let is_negated = look.now.place.file()?.ends_with("no_turbo");
    let on = match look.goal {
        Iops | Bandwidth => true,
        Repeatability => false,
        Latency => return None,
    };
    Some(if on == is_negated { "0" } else { "1" }.to_owned())
}
