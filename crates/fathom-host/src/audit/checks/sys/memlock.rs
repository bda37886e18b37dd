//! `sys.memlock`: may the job lock its buffers?

use super::limit::{Limits, words};
use super::rights::{CAP_IPC_LOCK, has};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::ask::Limit;

pub(super) const CHECK: Check = Check {
    id: "sys.memlock",
    title: "Limit of locked memory",
    reads: "getrlimit(RLIMIT_MEMLOCK), /proc/self/status (CapEff)",
    why: "Buffers that are registered with io_uring are pinned once instead of for every I/O, which saves a part of \
          the cost of small I/O. Pinned memory counts against this limit of the user (64 KiB by default up to 5.15, 8 \
          MiB since), for all processes together; above it the kernel returns ENOMEM and the job runs without \
          registered buffers. Since 5.12 the rings themselves do not count.",
    judged: "For a job that registers buffers: bad for every goal where they exceed the hard limit, warn where they \
             exceed the soft one. With the capability CAP_IPC_LOCK (root) nothing is counted: ok. Other jobs: a remark.",
    remedy: "ulimit -l in the shell that starts fathom, LimitMEMLOCK= of its unit, or a line with memlock in \
             /etc/security/limits.conf (takes effect at the next login). Or switch registered buffers off, which costs \
             a few per cent.",
    needs: Needs::Administrator,
    kernels: "5.1 and later; rings do not count since 5.12",
    sources: &["io_uring_register(2)", "getrlimit(2)"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("fathom", judge(scene))]),
};

fn judge(scene: &Scene<'_>) -> Observed {
    let limits = Limits::read(scene, Limit::MemLock)?;
    if has(scene, CAP_IPC_LOCK) == Some(true) {
        return Ok(limits.seen().ok("the limit does not apply: CAP_IPC_LOCK"));
    }
    let needed = scene.job.buffer_bytes.filter(|_| scene.job.registers_buffers == Some(true));
    Ok(match needed {
        Some(needed) => limits.judge(needed, "bytes of locked memory"),
        None if limits.soft.is_none() => limits.seen().ok("any amount of memory may be locked"),
        None => limits.seen().info(format!("{} bytes may be locked in memory", words(limits.soft))),
    })
}
