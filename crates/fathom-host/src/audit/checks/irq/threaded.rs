//! `irq.threaded`: does a completion wait for a thread to be scheduled?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Latency;

pub(super) const CHECK: Check = Check {
    id: "irq.threaded",
    title: "Threaded interrupts",
    reads: "/proc/cmdline: threadirqs; /sys/module/nvme/parameters/use_threaded_interrupts; /sys/kernel/realtime",
    why: "A threaded interrupt only wakes a kernel thread, which then handles the completion when the scheduler lets \
          it run. That costs a wake-up and a context switch on each I/O, a few microseconds, and the completion \
          competes with the job's own threads for the CPU. Real-time kernels always work like that.",
    judged: "threadirqs at boot, the nvme module's parameter, or a real-time kernel warns for latency and is a remark \
             for the other goals. It is ok if none of them is set.",
    remedy: "Remove threadirqs from the kernel command line, or load the nvme module without \
             use_threaded_interrupts=1. Both need a restart of the machine if the system is on such a drive. Measure \
             on the kind of kernel that will be used.",
    needs: Needs::Reload,
    kernels: "threadirqs: 2.6.39; use_threaded_interrupts: 3.3",
    sources: &["M-1", "M-22", "Documentation/admin-guide/kernel-parameters.txt"],
    observe: Observe::Once(observe),
};

const MODULE: &str = "/sys/module/nvme/parameters/use_threaded_interrupts";
const REALTIME: &str = "/sys/kernel/realtime";

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let mut seen = vec![said("boot", boot(scene))];
    // Without the module, or without a real-time kernel, the files do not
    // exist, which is not an error. The kernel command line always exists.
    if scene.root.exists(MODULE) {
        seen.push(said("nvme", flag(scene, "nvme", MODULE, "the nvme module handles interrupts in threads")));
    }
    if scene.root.exists(REALTIME) {
        seen.push(said("kernel", flag(scene, "kernel", REALTIME, "this is a real-time kernel")));
    }
    seen
}

fn said(subject: &str, seen: Observed) -> Observation {
    Observation::or_unknown(subject, seen)
}

fn warn(seen: Observation, says: &str) -> Observation {
    seen.warn_for(&[Latency], says)
}

fn boot(scene: &Scene<'_>) -> Observed {
    let words = scene.boot_words()?;
    let seen = Observation::on("boot").show(&words.raw);
    Ok(match words.has("threadirqs") {
        true => warn(seen, "threadirqs was set at boot"),
        false => seen.ok("threadirqs was not set at boot"),
    })
}

fn flag(scene: &Scene<'_>, subject: &str, path: &str, says: &str) -> Observed {
    let raw = scene.read(path)?;
    let seen = Observation::on(subject).show(&raw);
    match raw.text.as_str() {
        "0" => Ok(seen.ok("interrupts are handled where they arrive")),
        "1" => Ok(warn(seen, says)),
        _ => Err(raw.garbled()),
    }
}
