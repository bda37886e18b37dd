//! Clock rates: preference, governor, limits, turbo.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::scope::Scope;
use crate::setting::{Coupling, Setting};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};

const NO_TURBO: &str = "sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";

pub(super) const KNOBS: &[Knob] = &[
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
