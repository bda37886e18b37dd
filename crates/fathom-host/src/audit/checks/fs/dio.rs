//! `fs.dio`: does the file support direct I/O, also with the job's block size?

use super::mounted::{each_mounted, seen};
use crate::audit::{Check, Needs, Observe, Observed, Scene, Target};
use fathom_device::ask::Question;
use fathom_device::mounts::Mount;

pub(super) const CHECK: Check = Check {
    id: "fs.dio",
    title: "Direct I/O on the test file",
    reads: "statx(2) of the file (STATX_DIOALIGN); before 6.1 an open with O_DIRECT",
    why: "Direct I/O bypasses the page cache, so that the drive is measured and not memory. Some file systems, and \
          some files (encrypted, compressed, with data in a journal), refuse it or quietly fall back to the cache. \
          Where it works, offsets and lengths must be multiples of the file's alignment, mostly the logical block: on \
          a drive of 4,096-byte blocks a job of 512 bytes fails with EINVAL (invalid argument).",
    judged: "Refused is bad for every goal, unless the job is buffered anyway. So are blocks or offsets of the job \
             that are not a multiple of the alignment. Direct I/O that works with an unknown alignment is a remark.",
    remedy: "Put the file on xfs or ext4 without data=journal; choose block sizes that are multiples of the alignment. \
             Buffered I/O (direct=0) measures the page cache, and is right only where that is wanted.",
    needs: Needs::Job,
    kernels: "the alignment: 6.1 and later (ext4, f2fs, xfs, block devices)",
    sources: &["V-11", "V-44", "H-9", "statx(2)"],
    observe: Observe::Once(|scene| each_mounted(scene, |target, mount| one(scene, target, mount))),
};

fn one(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    if scene.job.direct == Some(false) {
        return Ok(seen(target, mount).not_applicable("the job is buffered"));
    }
    let raw = scene.ask(&Question::DirectIo { path: target.path.clone() })?;
    let seen = seen(target, mount).show(&raw);
    match raw.text.as_str() {
        "refused" => return Ok(seen.bad(format!("{} refuses direct I/O here", mount.fs_type))),
        "accepted" => return Ok(seen.info("takes direct I/O; the kernel does not report the alignment")),
        _ => {}
    }
    let alignment = raw.text.split_once(' ').and_then(|(memory, offset)| {
        memory.parse::<u64>().ok()?;
        offset.parse::<u64>().ok().filter(|offset| *offset > 0)
    });
    let alignment = alignment.ok_or_else(|| raw.garbled())?;
    let job = &scene.job;
    let needs = [job.block_bytes_min, job.block_bytes_max, job.align_bytes];
    Ok(match needs.into_iter().flatten().find(|bytes| !bytes.is_multiple_of(alignment)) {
        Some(bytes) => seen.bad(format!(
            "direct I/O in steps of {bytes} bytes fails: they must be multiples of {alignment}"
        )),
        None => seen.ok(format!("takes direct I/O in multiples of {alignment} bytes")),
    })
}
