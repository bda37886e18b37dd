//! Limits, platform and services, and the network if the storage is behind one.

mod network;
mod platform;

use crate::audit::checks::prelude::*;
use fathom_device::ask::Limit;
use fathom_device::counters::AioSlots;
use fathom_device::sys::has_capability;

/// The checks of the families `sys` and `net`.
pub(super) const FAMILY: Family = (
    include_str!("../sys.toml"),
    &[
        ("sys.aio", Several(aio)),
        ("sys.memlock", Of("fathom", memlock)),
        ("sys.nofile", Of("fathom", nofile)),
        ("sys.io_uring", Of("host", io_uring)),
        ("sys.virt", Several(platform::virt)),
        ("sys.steal", Watch(&["/proc/stat"], &Of("host", platform::steal))),
        ("sys.clocksource", Of("host", platform::clocksource)),
        ("sys.selinux", Of("host", platform::selinux)),
        ("sys.daemons", Several(platform::daemons)),
        ("sys.tracing", Several(platform::tracing)),
        ("sys.psi", Several(platform::psi)),
        ("net.mtu", Several(network::mtu)),
    ],
);

// What our process may use.

/// A limit of this process: soft and hard value; `None` is unlimited.
struct Limits {
    pub soft: Option<u64>,
    pub hard: Option<u64>,
    raw: Raw,
}

impl Limits {
    fn read(scene: &Scene<'_>, limit: Limit) -> Result<Self, Unknown> {
        let raw = scene.ask(&Question::Limit { limit })?;
        let (soft, hard) = raw.text.split_once(' ').ok_or_else(|| raw.garbled())?;
        let soft = value(soft).ok_or_else(|| raw.garbled())?;
        let hard = value(hard).ok_or_else(|| raw.garbled())?;
        Ok(Self { soft, hard, raw })
    }

    fn observation(&self) -> Observation {
        Observation::on("fathom").show(&self.raw)
    }

    /// Bad where even the hard limit is too low, warn where only the soft one is.
    fn judge(&self, needed: u64, what: &str) -> Observation {
        let below = |limit: Option<u64>| limit.is_some_and(|limit| limit < needed);
        let observation = self.observation();
        if below(self.hard) {
            let hard = words(self.hard);
            let says = format!("the job needs {needed} {what}, but only {hard} are possible without root");
            return observation.bad(says);
        }
        if below(self.soft) {
            let (soft, hard) = (words(self.soft), words(self.hard));
            let says =
                format!("the job needs {needed} {what}, the limit is {soft} and may be raised to {hard}");
            return observation.warn(says);
        }
        observation.ok(format!("the job needs {needed} {what}, the limit is {}", words(self.soft)))
    }
}

/// `Some(None)` is unlimited.
fn value(word: &str) -> Option<Option<u64>> {
    if word == "unlimited" { Some(None) } else { word.parse().ok().map(Some) }
}

fn words(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

/// Numbers of capabilities (linux/capability.h).
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_ADMIN: u32 = 21;

/// Whether the process has the capability; `None` where that is not known.
fn has(scene: &Scene<'_>, capability: u32) -> Option<bool> {
    has_capability(&scene.read("/proc/self/status").ok()?.text, capability)
}

/// Whether the process is in the group, as its main group or as another one.
fn is_in_group(scene: &Scene<'_>, group: &str) -> Option<bool> {
    let own = line(scene, "Gid:")?;
    let further = line(scene, "Groups:").unwrap_or_default();
    Some(own.split_whitespace().chain(further.split_whitespace()).any(|gid| gid == group))
}

/// Whether the process has a filter of system calls (`Seccomp: 2`), which
/// container runtimes install.
fn is_filtered(scene: &Scene<'_>) -> Option<bool> {
    Some(line(scene, "Seccomp:")?.trim() == "2")
}

fn line(scene: &Scene<'_>, key: &str) -> Option<String> {
    let status = scene.read("/proc/self/status").ok()?;
    status.text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned)
}

/// `sys.aio`: are there enough slots for libaio?
fn aio(scene: &Scene<'_>) -> Vec<Observation> {
    let engine = scene.job.engine.as_deref();
    if engine.is_some_and(|engine| engine != "libaio") {
        return vec![Observation::on("host").not_applicable("the job does not use libaio")];
    }
    let needed = engine.and(scene.job.iodepth);
    vec![Observation::or_unknown("host", judge_aio(scene, needed))]
}

fn judge_aio(scene: &Scene<'_>, needed: Option<u64>) -> Observed {
    let (used, used_raw) = scene.value::<u64>("/proc/sys/fs/aio-nr")?;
    let (max, max_raw) = scene.value::<u64>("/proc/sys/fs/aio-max-nr")?;
    let slots = AioSlots { used, max };
    let free = slots.free();
    let observation = Observation::on("host").show(&used_raw).show(&max_raw);
    Ok(match needed {
        Some(needed) if needed > free => {
            observation.bad(format!("the job needs {needed} slots, {free} of {max} are free"))
        }
        None if slots.are_few() => observation.warn(format!("only {free} of {max} slots are free")),
        _ => observation.ok(format!("{free} of {max} slots are free")),
    })
}

/// `sys.memlock`: may the job lock its buffers?
fn memlock(scene: &Scene<'_>) -> Observed {
    let limits = Limits::read(scene, Limit::MemLock)?;
    if has(scene, CAP_IPC_LOCK) == Some(true) {
        return Ok(limits.observation().ok("the limit does not apply: CAP_IPC_LOCK"));
    }
    let needed = scene.job.buffer_bytes.filter(|_| scene.job.registers_buffers == Some(true));
    Ok(match needed {
        Some(needed) => limits.judge(needed, "bytes of locked memory"),
        None if limits.soft.is_none() => limits.observation().ok("any amount of memory may be locked"),
        None => limits.observation().info(format!("{} bytes may be locked in memory", words(limits.soft))),
    })
}

/// Descriptors of the program itself, and of each worker (ring and event).
const OWN: u64 = 64;
const PER_WORKER: u64 = 2;

/// `sys.nofile`: may the job open all its files?
fn nofile(scene: &Scene<'_>) -> Observed {
    let limits = Limits::read(scene, Limit::NoFile)?;
    Ok(match scene.job.files {
        Some(files) => {
            let workers = scene.job.workers.unwrap_or(1);
            limits.judge(files + OWN + PER_WORKER * workers, "open files")
        }
        None => {
            let says =
                format!("{} files may be open, {} after raising", words(limits.soft), words(limits.hard));
            limits.observation().info(says)
        }
    })
}

/// `sys.io_uring`: may this process use io_uring?
fn io_uring(scene: &Scene<'_>) -> Observed {
    let (disabled, raw) = scene.value::<u8>("/proc/sys/kernel/io_uring_disabled")?;
    let observation = Observation::on("host").show(&raw);
    let says = match disabled {
        0 if is_filtered(scene) == Some(true) => {
            return Ok(
                observation.info("the kernel allows it to everybody, but a filter of system calls is active")
            );
        }
        0 => return Ok(observation.ok("everybody may use io_uring")),
        1 if is_admitted(scene)? => {
            return Ok(observation.ok("io_uring is allowed for some processes, and fathom is one of them"));
        }
        1 => "io_uring is allowed only for administrators and for a group that this process is not in",
        2 => "io_uring is switched off for everybody",
        _ => return Err(raw.garbled()),
    };
    let wants_ring = scene.job.engine.as_deref().is_none_or(|engine| engine == "io_uring");
    let verdict = if wants_ring { Grade::Warn } else { Grade::Info };
    Ok(observation.judge(Grades::on(&[Iops, Latency], verdict), says))
}

fn is_admitted(scene: &Scene<'_>) -> Result<bool, Unknown> {
    let (group, _) = scene.value::<i64>("/proc/sys/kernel/io_uring_group")?;
    let by_group = group >= 0 && is_in_group(scene, &group.to_string()) == Some(true);
    Ok(by_group || has(scene, CAP_SYS_ADMIN) == Some(true))
}
