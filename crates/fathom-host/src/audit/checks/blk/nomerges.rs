//! `blk.nomerges`: may the kernel join neighbouring I/Os?

use super::setting::setting;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "blk.nomerges",
    title: "Merging of neighbouring requests",
    reads: "/sys/block/D/queue/nomerges",
    why: "Before an I/O becomes a request, the kernel checks whether it continues one that is waiting, and joins the \
          two. Sequential small blocks and everything from the page cache need this: sixteen writes of 512 bytes can \
          be one of 8 KiB. For random I/O the search finds nothing. With 0 the kernel searches, with 1 it tries the \
          cheap cases only, with 2 it does not search.",
    judged: "2 is ok for random direct I/O, where 0 is a remark. 2 is bad for bandwidth where the job is buffered or \
             is sequential with blocks of up to 64 KiB; where the job is not known it warns.",
    remedy: "For random direct I/O fathom run --tune may write 2; for everything else echo 0 > \
             /sys/block/D/queue/nomerges. Beware of IOPS figures from sequential jobs: with merging the drive does \
             fewer I/Os than the job (compare the merges in /sys/block/D/stat).",
    needs: Needs::Knob("blk.nomerges"),
    kernels: "2.6.25 and later; 2 since 2010",
    sources: &["V-29", "T-34", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

/// Blocks larger than this fill a request well enough without merging.
const SMALL_BLOCK_BYTES_MAX: u64 = 64 << 10;

/// How much a job depends on merging.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    LivesOnIt,
    NeverMeetsIt,
    Large,
    Unknown,
}

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (value, raw) = setting(scene, disk, "nomerges", 2)?;
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match (value, job(scene)) {
        (2, Job::LivesOnIt) => {
            seen.bad_for(&[Bandwidth], "merging is off, and this job's small neighbouring blocks need it")
        }
        (2, Job::Unknown) => seen.warn_for(&[Bandwidth], "merging is off: right for random direct I/O only"),
        (2, Job::NeverMeetsIt) => seen.ok("merging is off, and random I/O does not need it"),
        (2, Job::Large) => seen.ok("merging is off, and the blocks are large enough without it"),
        (_, Job::NeverMeetsIt) => {
            seen.info("the kernel searches for a neighbour of every random I/O and finds none")
        }
        _ => seen.ok("neighbouring requests are joined"),
    })
}

fn job(scene: &Scene<'_>) -> Job {
    let job = &scene.job;
    match (job.direct, job.random, job.block_bytes_max) {
        (Some(false), _, _) => Job::LivesOnIt,
        (Some(true), Some(true), _) => Job::NeverMeetsIt,
        (Some(true), Some(false), Some(block)) if block > SMALL_BLOCK_BYTES_MAX => Job::Large,
        (Some(true), Some(false), Some(_)) => Job::LivesOnIt,
        _ => Job::Unknown,
    }
}
