//! `vm.dirty`: how much may be written into memory before the drive must write?

use super::meminfo;
use crate::audit::{Check, Needs, Observation, Observe, Raw, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "vm.dirty",
    title: "Limits of dirty memory",
    reads: "/proc/sys/vm/dirty_{bytes,ratio,background_bytes,background_ratio,expire_centisecs,\
            writeback_centisecs}, /proc/meminfo",
    why: "A buffered write ends in memory. The kernel's flushers start at the background limit or after the expiry (30 \
          s by default, checked every 5 s), and at the upper limit every writer must wait. The upper limit is 20 % of \
          the memory that can hold file pages by default (older guides say 40 % and mention pdflush; since 2.6.32 each \
          device has its own flusher). On a host with 1 TiB that is about 200 GiB: a test that writes less measures \
          memory, and one that writes more runs at memory speed first and then stops again and again.",
    judged: "This matters for buffered writes only; for direct I/O and for jobs that only read: n-a. An upper limit \
             above 4 GiB warns for repeatability and latency (at 1 GB/s it takes more than four seconds to write it \
             back, which leaves several one-second windows empty). A job that writes less than the background limit \
             warns for every goal, because it can end before the drive has to write anything. Without a job it is a \
             remark.",
    remedy: "Set limits in bytes for the run: fathom tune plan, or sysctl vm.dirty_bytes=1073741824 \
             vm.dirty_background_bytes=268435456. A write to one form (bytes) sets the other (ratio) to 0, so restore \
             only the form that was in use. Do not lower the limits in production because of a test, or bursts of \
             writes must wait. Or end the measurement with end_fsync=1, or use direct=1.",
    needs: Needs::NamedKnob("vm.dirty"),
    kernels: "2.6.29 and later (the forms in bytes)",
    sources: &["V-70", "V-71"],
    observe: Observe::Once(observe),
};

/// At 1 GB/s this much is written back in about four seconds.
const LIMIT_MAX_BYTES: u64 = 4 << 30;

struct Limits {
    upper_bytes: u64,
    background_bytes: u64,
    upper: Raw,
    background: Raw,
}

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let host = Observation::on("host");
    if scene.job.direct == Some(true) {
        return vec![host.not_applicable("the job does not use the page cache")];
    }
    if scene.job.writes == Some(false) {
        return vec![host.not_applicable("the job writes nothing")];
    }
    let seen = limits(scene).and_then(|limits| Ok(judge(scene, &limits, timers(scene)?)));
    vec![Observation::or_unknown("host", seen)]
}

fn limits(scene: &Scene<'_>) -> Result<Limits, Unknown> {
    let available = meminfo::bytes(&meminfo::read(scene)?, "MemAvailable")?;
    let (upper_bytes, upper) = limit(scene, "dirty", available)?;
    let (background_bytes, background) = limit(scene, "dirty_background", available)?;
    Ok(Limits { upper_bytes, background_bytes, upper, background })
}

/// The form in bytes where it is in use; otherwise the share of the available
/// memory, which is close to the kernel's own "dirtyable" memory.
fn limit(scene: &Scene<'_>, name: &str, available: u64) -> Result<(u64, Raw), Unknown> {
    let (bytes, raw) = scene.value::<u64>(format!("/proc/sys/vm/{name}_bytes"))?;
    if bytes > 0 {
        return Ok((bytes, raw));
    }
    let (percent, raw) = scene.value::<u64>(format!("/proc/sys/vm/{name}_ratio"))?;
    Ok((available / 100 * percent.min(100), raw))
}

/// Expiry and wake-up of the flushers, in hundredths of a second.
fn timers(scene: &Scene<'_>) -> Result<(u64, u64), Unknown> {
    let expire = scene.value("/proc/sys/vm/dirty_expire_centisecs")?.0;
    Ok((expire, scene.value("/proc/sys/vm/dirty_writeback_centisecs")?.0))
}

fn judge(scene: &Scene<'_>, limits: &Limits, (expire, wake): (u64, u64)) -> Observation {
    let mib = limits.upper_bytes >> 20;
    let seen = Observation::on("host").show(&limits.upper).show(&limits.background);
    let is_buffered = scene.job.direct == Some(false);
    let fits = scene.job.written_bytes.filter(|written| is_buffered && *written <= limits.background_bytes);
    if let Some(written) = fits {
        let written = written >> 20;
        let says = format!("the job's {written} MiB fit below the background limit: it measures memory");
        return seen.warn(says);
    }
    let flushers = format!("flushers look every {} s for pages older than {} s", wake / 100, expire / 100);
    if limits.upper_bytes <= LIMIT_MAX_BYTES {
        return seen.ok(format!("writers wait from {mib} MiB of dirty memory on; {flushers}"));
    }
    let says = format!("{mib} MiB may be dirty before all writers must wait; {flushers}");
    match is_buffered {
        true => seen.warn_for(&[Repeatability, Latency], says),
        false => seen.info(format!("{says}; it matters for buffered writes only")),
    }
}
