//! `cpu.idle_cmdline`: do boot parameters forbid the sleep states of the CPUs?

use crate::audit::{BootWords, Check, Needs, Observation, Observe, Observed};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.idle_cmdline",
    title: "Boot parameters about idling",
    reads: "/proc/cmdline: idle=, intel_idle.max_cstate=, processor.max_cstate=, nohz=, nohz_full=",
    why: "Guides of ten years ago forbid sleep states with boot parameters. idle=poll keeps every idle core spinning \
          at full power: the machine runs hot, the power that would have gone into turbo is spent on waiting, and a \
          spinning thread takes half of its core from the other thread. intel_idle.max_cstate=0 does not forbid sleep \
          at all: it only selects another driver for the states, acpi_idle.",
    judged: "idle=poll, idle=halt and idle=nomwait warn for every goal. Limits of the sleep states and nohz parameters \
             are a remark. It is ok if none of them is set.",
    remedy: "Remove the parameters from the boot loader's configuration and restart the machine. fathom run --tune has \
             the same effect for the duration of a run: it holds /dev/cpu_dma_latency open (see cpu.cstates).",
    needs: Needs::Reboot,
    kernels: "all on x86",
    sources: &["V-6", "H-3", "Documentation/admin-guide/kernel-parameters.txt"],
    observe: Observe::Once(|scene| {
        let seen = scene.boot_words().and_then(|words| one(&words));
        vec![Observation::or_unknown("host", seen)]
    }),
};

/// Parameters that limit sleep states or the tick; they are only recorded.
const REMARKS: [&str; 4] = ["intel_idle.max_cstate", "processor.max_cstate", "nohz", "nohz_full"];

fn one(words: &BootWords) -> Observed {
    let seen = Observation::on("host").show(&words.raw);
    match words.value("idle") {
        Some(way @ ("poll" | "halt" | "nomwait")) => {
            return Ok(seen.warn(format!("idle={way} was set at boot: heat, and less turbo")));
        }
        Some(other) => return Err(Unknown::garbled(&words.raw.path, &format!("idle={other}"))),
        None => {}
    }
    let remark = |name: &&str| Some(format!("{name}={}", words.value(name)?));
    let remarks: Vec<String> = REMARKS.iter().filter_map(remark).collect();
    Ok(match remarks.as_slice() {
        [] => seen.ok("nothing about idling was set at boot"),
        _ => seen.info(format!("set at boot: {}", remarks.join(" "))),
    })
}
