//! `fs.atime`: do reads cause writes?

use super::mounted::{each_mounted, has, seen};
use crate::audit::{Check, Needs, Observation, Observe, Scene};
use fathom_device::Goal::{Iops, Latency, Repeatability};

pub(super) const CHECK: Check = Check {
    id: "fs.atime",
    title: "Times of last access",
    reads: "/proc/self/mountinfo",
    why: "With strictatime every read sets the file's time of last access, and so writes its inode sooner or later: a \
          read test then writes too. relatime, the default since 2.6.30, does it at most once a day, or after the file \
          was written; noatime gains little over it.",
    judged: "noatime is ok, and so is a read-only mount. relatime is a remark. Neither of them (strictatime) warns for \
             latency, IOPS and repeatability.",
    remedy: "fathom run --tune --tune-knob fs.atime (remounts, and restores the option afterwards), or mount -o \
             remount,noatime POINT.",
    needs: Needs::NamedKnob("fs.atime"),
    kernels: "all; relatime by default since 2.6.30",
    sources: &["V-59", "mount(8)"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    each_mounted(scene, |target, mount| {
        let seen = seen(target, mount);
        // mountinfo does not show strictatime.
        Ok(if has(mount, "noatime") {
            seen.ok("reads do not change the inode")
        } else if has(mount, "ro") {
            seen.ok("mounted read-only: nothing is written")
        } else if has(mount, "relatime") {
            seen.info("reads change the inode once a day at most")
        } else {
            seen.warn_for(
                &[Latency, Iops, Repeatability],
                "every read sets the time of last access, and so writes",
            )
        })
    })
}
