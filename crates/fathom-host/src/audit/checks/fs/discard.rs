//! `fs.discard`: does deleting a file send trims during a run?

use super::mounted::{each_mounted, has, seen, value};
use crate::audit::{Check, Needs, Observation, Observe, Scene};
use fathom_device::Goal::Repeatability;
use fathom_device::ask::Question;

pub(super) const CHECK: Check = Check {
    id: "fs.discard",
    title: "Trims at each deletion",
    reads: "/proc/self/mountinfo; the state of fstrim.timer",
    why: "Mounted with discard, a file system tells the drive of every block as it becomes free. Deleting the test \
          file of the last run then sends a burst of trims into the next one, and on many drives a trim delays the I/O \
          that is queued with it. Guides of 2013 recommended the option; today the authors of the tools recommend one \
          fstrim a week, at a time when nobody measures.",
    judged: "discard warns for repeatability. btrfs's discard=async, which holds trims back and spreads them, is a \
             remark. Without either: ok.",
    remedy: "fathom run --tune --tune-knob fs.discard (remounts, and restores the option afterwards), or mount -o \
             remount,nodiscard POINT; and systemctl enable fstrim.timer, which must not start during a run (see \
             noise.timers).",
    needs: Needs::NamedKnob("fs.discard"),
    kernels: "all",
    sources: &["V-60", "V-61", "fstrim(8)"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    each_mounted(scene, |target, mount| {
        let seen = seen(target, mount);
        let timer = scene.ask(&Question::Unit { unit: "fstrim.timer".to_owned() });
        let seen = timer.iter().fold(seen, Observation::show);
        let weekly = match timer.is_ok_and(|raw| raw.text.starts_with("active")) {
            true => "; fstrim.timer trims once a week anyway",
            false => "",
        };
        Ok(if has(mount, "discard") || value(mount, "discard") == Some("sync") {
            seen.warn_for(&[Repeatability], format!("every deletion sends trims{weekly}"))
        } else if value(mount, "discard").is_some() {
            seen.info(format!("deletions send trims later, a few at a time{weekly}"))
        } else {
            seen.ok("deletions send no trims")
        })
    })
}
