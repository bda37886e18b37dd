//! `cpu.idle_cmdline`: was sleep forbidden when the machine was started?

use crate::audit::{BootWords, Check, Needs, Observation, Scene, Verdict, Verdicts};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.idle_cmdline",
    title: "Boot parameters about idling",
    reads: "/proc/cmdline: idle=, intel_idle.max_cstate=, processor.max_cstate=, nohz=, nohz_full=",
    why: "Guides of ten years ago forbid sleep for good at boot. idle=poll keeps every idle core spinning at full \
          power: the machine runs hot, the power that would have gone into turbo is spent on waiting, and a \
          spinning thread takes half of its core from the other thread. intel_idle.max_cstate=0 does not forbid \
          sleep at all: it only hands the states to another driver, acpi_idle.",
    judged: "idle=poll, idle=halt and idle=nomwait warn for every goal. Limits of the sleep states and nohz \
             parameters are a remark. None of them is ok.",
    remedy: "Take the parameters from the boot loader's configuration and start the machine again. What they were \
             for, fathom run --tune gives for the length of a run, by holding /dev/cpu_dma_latency (see \
             cpu.cstates).",
    needs: Needs::Reboot,
    kernels: "all on x86",
    sources: &["V-6", "H-3", "Documentation/admin-guide/kernel-parameters.txt"],
    counters: &[],
    look,
};

/// Parameters that limit sleep or the tick, and are for the record.
const REMARKS: [&str; 4] = ["intel_idle.max_cstate", "processor.max_cstate", "nohz", "nohz_full"];

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    let seen = scene.boot_words().and_then(|words| one(&words));
    vec![seen.unwrap_or_else(|unknown| Observation::unknown("host", unknown))]
}

fn one(words: &BootWords) -> Result<Observation, Unknown> {
    let seen = Observation::on("host").with(&words.raw.path, &words.raw.text);
    match words.value("idle") {
        Some(way @ ("poll" | "halt" | "nomwait")) => {
            let says = format!("idle={way} was set at boot: heat, and less turbo");
            return Ok(seen.judge(Verdicts::all(Verdict::Warn), says));
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
