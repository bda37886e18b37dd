//! `fs.barrier`: does a flush reach the drive?

use super::mounted::{each_mounted, has, seen, value};
use crate::audit::{Check, Needs, Observation, Observe, Scene};

pub(super) const CHECK: Check = Check {
    id: "fs.barrier",
    title: "Write barriers switched off",
    reads: "/proc/self/mountinfo",
    why: "When a program calls fsync, the file system tells the drive to empty its volatile cache. nobarrier leaves \
          that out: fsync returns at once, and figures of databases and journals look several times better, but a \
          power failure destroys confirmed data or the whole file system. The cost of a flush belongs to an honest \
          figure of a drive.",
    judged: "nobarrier, barrier=0, barrier=none and fsync_mode=nobarrier are bad for every goal: figures of jobs with \
             fsync then do not describe durable writes. Without them: ok.",
    remedy: "mount -o remount,barrier POINT and remove the option from /etc/fstab. A drive with power-loss protection \
             completes a flush at once, and gains nothing from the option. XFS ignored the option from 4.10 on and \
             refuses it since 4.19.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["V-60", "Documentation/admin-guide/ext4.rst"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    each_mounted(scene, |target, mount| {
        let is_off = has(mount, "nobarrier")
            || matches!(value(mount, "barrier"), Some("0" | "none" | "off"))
            || value(mount, "fsync_mode") == Some("nobarrier");
        let seen = seen(target, mount);
        Ok(match is_off {
            true => seen.bad("fsync does not reach the drive: nothing is durable"),
            false => seen.ok("flushes reach the drive"),
        })
    })
}
