//! `sys.tracing`: does a tracer record every I/O?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency};
use fathom_device::ask::Question;

pub(super) const CHECK: Check = Check {
    id: "sys.tracing",
    title: "Tracing and audit rules",
    reads: "/sys/kernel/tracing/current_tracer, events/{block,nvme,syscalls}/enable, /sys/block/D/trace/enable, unit auditd.service",
    why: "A tracer that is still on writes a record for every function, request or system call. blktrace writes \
          several records for each I/O, the function tracer can halve a system-call rate, and the kernel checks audit \
          rules at each call that they might match. The settings of the drive do not show it.",
    judged: "A tracer other than nop, enabled events of the block, nvme or syscalls groups, or blktrace on a disk \
             under the target warn for latency and IOPS. A running audit service is a remark. Only root may read the \
             tracing files: n-a without root.",
    remedy: "Find out who traces before you stop it (a monitoring agent, a forgotten session), then echo nop > \
             /sys/kernel/tracing/current_tracer, echo 0 > /sys/kernel/tracing/events/enable, blktrace -d DEVICE -k, \
             and auditctl -l to see the audit rules.",
    needs: Needs::Administrator,
    kernels: "4.1 and later (before, below /sys/kernel/debug/tracing)",
    sources: &["Documentation/trace/ftrace.rst"],
    observe: Observe::Once(|scene| {
        let host = Observation::or_unknown("host", judge(scene));
        let disks = scene.queues().filter_map(|disk| blktrace(scene, &disk.name));
        std::iter::once(host).chain(disks).chain(auditd(scene)).collect()
    }),
};

const DIRS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
const GROUPS: [&str; 3] = ["block", "nvme", "syscalls"];

fn judge(scene: &Scene<'_>) -> Observed {
    let dir = DIRS.into_iter().find(|dir| scene.root.exists(format!("{dir}/current_tracer")));
    let dir = dir.unwrap_or(DIRS[0]);
    let tracer = scene.read(format!("{dir}/current_tracer"))?;
    let seen = Observation::on("host").show(&tracer);
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if !is_name(&tracer.text) {
        return Err(tracer.garbled());
    }
    if tracer.text != "nop" {
        return Ok(seen.warn_for(&[Latency, Iops], format!("the tracer {} is on", tracer.text)));
    }
    // "1": all of the group are on, "X": some are, "0" and "?": none.
    let is_on = |group: &&str| {
        let enable = scene.read(format!("{dir}/events/{group}/enable"));
        enable.is_ok_and(|enable| matches!(enable.text.as_str(), "1" | "X"))
    };
    let on: Vec<&str> = GROUPS.into_iter().filter(is_on).collect();
    Ok(match on.is_empty() {
        true => seen.ok("nothing is being traced"),
        false => seen.warn_for(&[Latency, Iops], format!("events are being recorded: {}", on.join(", "))),
    })
}

/// The file is optional in the kernel and mostly absent, so without it there is no observation.
fn blktrace(scene: &Scene<'_>, name: &str) -> Option<Observation> {
    let enable = scene.read(format!("/sys/block/{name}/trace/enable")).ok()?;
    let seen = Observation::on(name).show(&enable);
    (enable.text == "1").then(|| seen.warn_for(&[Latency, Iops], "blktrace records every request"))
}

fn auditd(scene: &Scene<'_>) -> Option<Observation> {
    let raw = scene.ask(&Question::Unit { unit: "auditd.service".to_owned() }).ok()?;
    let seen = Observation::on("auditd").show(&raw);
    raw.text
        .starts_with("active")
        .then(|| seen.info("auditd is running; its rules cost time at every call that they check"))
}
