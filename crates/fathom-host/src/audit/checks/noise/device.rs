//! `noise.device`: do other programs use the drive?

use super::stat::{STATS, growth, ios, moved_bytes};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::diskstat::DiskCounters;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "noise.device",
    title: "I/O of others on the drive under test",
    reads: "/sys/block/D/stat, twice",
    why: "A drive under test should have one user. Mounts, monitoring, udev's probing of partitions or a forgotten \
          backup share its queues, and their writes trigger its garbage collection. The counters of the whole disk \
          see all of it: partitions, arrays and volumes on it too.",
    judged: "Before a run all I/O belongs to others: any I/O warns for latency and repeatability; a disk that is busy \
             more than 1 % of the time is bad for every goal. After a run on a single disk with direct I/O, the bytes \
             that were not the job's are compared with the job's: more than 0.1 % warns, more than 1 % is bad. With \
             arrays and caches the two cannot be separated: n-a.",
    remedy: "Find the user (iotop, or lsof on the device and its mounts) and wait for it or end it; unmount file \
             systems that need not be mounted. A system disk is never quiet: measure another disk.",
    needs: Needs::Administrator,
    kernels: "all; discards since 4.18, flushes since 5.5",
    sources: &["T-34", "I-28", "I-44"],
    observe: Observe::Watch(&[STATS], |scene| scene.each_queue(|disk| one(scene, disk))),
};

/// Shares of the job's own bytes, in thousandths.
const WARN_PER_MILLE: u64 = 1;
const BAD_PER_MILLE: u64 = 10;

/// If the first reading is older than this, it was made at the start of a run,
/// not of an audit (which waits half a second, or three seconds if it is
/// careful). Then the counters contain the job's own I/O.
const AUDIT_MAX_MS: u128 = 5_000;

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (grown, raw) = growth(scene, &disk.name)?;
    let elapsed_ms = scene.earlier.as_ref().map_or(0, |earlier| earlier.elapsed.as_millis());
    match scene.job.moved_bytes {
        Some(own) => after(scene, disk, &grown, &raw, own),
        None if elapsed_ms > AUDIT_MAX_MS => Err(Unknown::new(
            &raw.path,
            "was first read too long ago: the I/O of the run cannot be separated from that of others",
        )),
        None => Ok(before(disk, &grown, &raw, elapsed_ms)),
    }
}

fn before(disk: &Disk, grown: &DiskCounters, raw: &Raw, elapsed_ms: u128) -> Observation {
    let seen = Observation::on(&disk.name).show(raw);
    let count = ios(grown);
    if count == 0 && grown.in_flight == 0 {
        return seen.ok(format!("quiet for {elapsed_ms} ms"));
    }
    let says = format!(
        "{count} I/Os of others in {elapsed_ms} ms ({} KiB, busy {} ms, {} I/Os waiting)",
        moved_bytes(grown) >> 10,
        grown.busy_ms,
        grown.in_flight
    );
    match u128::from(grown.busy_ms) * 100 > elapsed_ms {
        true => seen.bad(says),
        false => seen.warn_for(&[Latency, Repeatability], says),
    }
}

/// Merging and splitting change the number of I/Os that reach the disk, but not
/// the bytes; redundancy and caches change the bytes too.
fn after(scene: &Scene<'_>, disk: &Disk, grown: &DiskCounters, raw: &Raw, own_bytes: u64) -> Observed {
    let is_plain = scene.disks.len() == 1 && scene.stacked.is_empty() && scene.job.direct == Some(true);
    if !is_plain {
        let reason = "counts the job's own I/O too, changed by an array, a cache or its spread over disks";
        return Err(Unknown::new(&raw.path, reason));
    }
    let foreign = moved_bytes(grown).saturating_sub(own_bytes);
    let seen = Observation::on(&disk.name).show(raw);
    let says = format!("others moved {} KiB, the job {} KiB", foreign >> 10, own_bytes >> 10);
    let exceeds = |per_mille: u64| u128::from(foreign) * 1000 > u128::from(own_bytes) * u128::from(per_mille);
    Ok(match () {
        () if exceeds(BAD_PER_MILLE) => seen.bad(says),
        () if exceeds(WARN_PER_MILLE) => seen.warn_for(&[Latency, Repeatability], says),
        () => seen.ok(says),
    })
}
