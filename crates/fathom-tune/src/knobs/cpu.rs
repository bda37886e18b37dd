//! Sleep states, clocks, and automatic moves of memory between nodes.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, KnobInput, value};
use crate::place::RelativePlace;
use crate::scope::Scope;
use crate::setting::{Coupling, Setting};
use fathom_device::Goal::Repeatability;
use fathom_device::Root;

/// May a CPU enter a state from which it wakes more slowly than this? The check `cpu.cstates` judges by the same limit,
/// so the plan leaves alone what the check finds good.
fn sleeps_deeply(root: &Root, limit_us: u64) -> bool {
    let cpus = root.numbers("/sys/devices/system/cpu", "cpu").into_iter();
    let mut states = cpus.flat_map(|cpu| {
        let dir = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle");
        root.numbers(&dir, "state").into_iter().map(move |state| format!("{dir}/state{state}"))
    });
    let number = |path: String| root.read_text(path).ok()?.parse::<u64>().ok();
    states.any(|state| {
        let may_enter = number(format!("{state}/disable")) == Some(0);
        may_enter && number(format!("{state}/latency")) > Some(limit_us)
    })
}

pub(super) const KNOBS: &[Action] = &[
    (
        "cpu.cstates",
        |scope| {
            let path = "/dev/cpu_dma_latency";
            let idles = scope.root.exists("/sys/devices/system/cpu/cpu0/cpuidle");
            let setting = Setting::at(OwnerKey::Host, RelativePlace::Held(path.into()), Codec::Number);
            Some(setting).filter(|_| idles && scope.root.exists(path)).into_iter().collect()
        },
        |look| value(look).filter(|limit| limit.parse().is_ok_and(|us| sleeps_deeply(look.scope.root, us))),
    ),
    (
        "cpu.cstates_per_cpu",
        |scope| {
            let cpus = scope.root.numbers("/sys/devices/system/cpu", "cpu").into_iter();
            let file = "power/pm_qos_resume_latency_us";
            let setting = |cpu| Setting::file(OwnerKey::Cpu { cpu }, file, Codec::ResumeLatency);
            cpus.map(setting).collect()
        },
        value,
    ),
    (
        "numa.balancing",
        |_| vec![Setting::file(OwnerKey::Host, "proc/sys/kernel/numa_balancing", Codec::Number)],
        value,
    ),
    ("cpu.epp", |scope| policies(scope, "energy_performance_preference", Codec::Word), value),
    ("cpu.governor", |scope| policies(scope, "scaling_governor", Codec::Word), governor),
    (
        "cpu.freq_cap",
        |scope| {
            let upper = policies(scope, "scaling_max_freq", Codec::Number);
            upper.into_iter().chain(policies(scope, "scaling_min_freq", Codec::Number)).collect()
        },
        limit,
    ),
    ("cpu.turbo", turbo, turbo_value),
];

const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";

fn policies(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
    let numbers = scope.root.numbers("/sys/devices/system/cpu/cpufreq", "policy");
    let keys = numbers.into_iter().map(|n| OwnerKey::Policy { policy: format!("policy{n}") });
    keys.map(|key| Setting::file(key, file, codec)).collect()
}

/// Where a driver chooses clocks by EPP, its `powersave` is not a slow governor.
fn governor(look: &KnobInput<'_>) -> Option<String> {
    let follows_epp = look.beside("energy_performance_preference").is_some();
    let offered = look.offered_beside("scaling_available_governors");
    offered.filter(|_| !(follows_epp && look.now.typed == "powersave"))
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
    let on = look.goal != Repeatability;
    Some(if on == is_negated { "0" } else { "1" }.to_owned())
}
