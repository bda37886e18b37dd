//! `sys.io_uring`: may this process use io_uring?

use super::rights::{CAP_SYS_ADMIN, has, is_filtered, is_in_group};
use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "sys.io_uring",
    title: "Permission to use io_uring",
    reads: "/proc/sys/kernel/io_uring_{disabled,group}, /proc/self/status",
    why: "io_uring is the interface of the kernel with the least work for an I/O: one system call for many I/Os, or \
          none. Some hosts forbid it, because attackers have used it. fathom then uses libaio or plain system calls, \
          and a figure that is limited by the processor is lower: this is the host's limit, not the drive's.",
    judged: "0 is ok. 1 admits processes with CAP_SYS_ADMIN and members of io_uring_group: ok for those, otherwise \
             like 2, which admits nobody: warn for IOPS and latency, unless the job uses another engine. A system call \
             filter (in containers) may forbid it as well, which only an attempt shows: a remark. The file exists \
             since 6.6; older kernels: n-a, and the engine tries it.",
    remedy: "This is a security decision, which fathom does not change: ask the administrator for a group (sysctl \
             kernel.io_uring_group=GID with io_uring_disabled=1), or set ioengine=libaio on every host, so that their \
             figures are comparable.",
    needs: Needs::Administrator,
    kernels: "6.6 and later",
    sources: &["V-10", "V-31", "H-9", "Documentation/admin-guide/sysctl/kernel.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", judge(scene))]),
};

fn judge(scene: &Scene<'_>) -> Observed {
    let (disabled, raw) = scene.value::<u8>("/proc/sys/kernel/io_uring_disabled")?;
    let seen = Observation::on("host").show(&raw);
    let says = match disabled {
        0 if is_filtered(scene) == Some(true) => {
            return Ok(seen.info("the kernel allows it to everybody, but a filter of system calls is active"));
        }
        0 => return Ok(seen.ok("everybody may use io_uring")),
        1 if is_admitted(scene)? => {
            return Ok(seen.ok("io_uring is allowed for some processes, and fathom is one of them"));
        }
        1 => "io_uring is allowed only for administrators and for a group that this process is not in",
        2 => "io_uring is switched off for everybody",
        _ => return Err(raw.garbled()),
    };
    let wants_ring = scene.job.engine.as_deref().is_none_or(|engine| engine == "io_uring");
    let verdict = if wants_ring { Grade::Warn } else { Grade::Info };
    Ok(seen.judge(Grades::on(&[Iops, Latency], verdict), says))
}

fn is_admitted(scene: &Scene<'_>) -> Result<bool, Unknown> {
    let (group, _) = scene.value::<i64>("/proc/sys/kernel/io_uring_group")?;
    let by_group = group >= 0 && is_in_group(scene, &group.to_string()) == Some(true);
    Ok(by_group || has(scene, CAP_SYS_ADMIN) == Some(true))
}
