//! `fs.barrier`: is a flush a flush?

use super::mounted::{each_mounted, has, seen, value};
use crate::audit::{Check, Needs, Observation, Scene, Verdict, Verdicts};

pub(super) const CHECK: Check = Check {
    id: "fs.barrier",
    title: "Write barriers switched off",
    reads: "/proc/self/mountinfo",
    why: "When a program calls fsync, the file system tells the drive to empty its volatile cache. nobarrier leaves \
          that out: fsync returns at once, figures of databases and journals look several times better, and a power \
          loss loses what was confirmed, or the whole file system. The cost of a flush is part of the truth about a \
          drive.",
    judged: "nobarrier, barrier=0, barrier=none and fsync_mode=nobarrier are bad for every goal: figures with fsync in \
             them do not describe durable writes. Without: ok.",
    remedy: "mount -o remount,barrier POINT and take the word out of /etc/fstab. A drive with power-loss protection \
             answers a flush at once, and gains nothing by it. XFS ignored the word from 4.10 and refuses it since \
             4.19.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["V-60", "Documentation/admin-guide/ext4.rst"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    each_mounted(scene, |target, mount| {
        let is_off = has(mount, "nobarrier")
            || matches!(value(mount, "barrier"), Some("0" | "none" | "off"))
            || value(mount, "fsync_mode") == Some("nobarrier");
        let seen = seen(target, mount);
        Ok(match is_off {
            true => {
                seen.judge(Verdicts::all(Verdict::Bad), "fsync does not reach the drive: nothing is durable")
            }
            false => seen.ok("flushes reach the drive"),
        })
    })
}
