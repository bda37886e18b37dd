//! Sleep states, and automatic moves of memory between nodes.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Requirement, Risk};
use crate::place::RelativePlace;
use crate::setting::Setting;
use fathom_device::Goal::{Latency, Repeatability};
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
