//! `safe.mounted`: is a file system in use on it?

use super::view::of_kinds;
use crate::audit::{Check, Needs, Observation, Scene};
use fathom_guard::FindingKind::{Mounted, PoolMember};

pub(super) const CHECK: Check = Check {
    id: "safe.mounted",
    title: "Mounted",
    reads: "/proc/self/mountinfo and that of every other mount namespace, /sys/fs/btrfs/*/devices, /sys/fs/bcachefs",
    why: "The kernel keeps parts of a mounted file system in memory and will write them back when it likes. Whoever \
          writes to the device below destroys it even where the bytes looked free, and often the machine with it. The \
          mount is looked for by device number, not by name, on the target, on every partition and volume of it and \
          on everything it is part of, in containers too; several devices of one btrfs count as one.",
    judged: "A mount anywhere in that family is bad for a job that writes, and no consent outweighs it. For a job that \
             reads it is a remark: others may be using the drive (noise.device). None: ok.",
    remedy: "umount it (findmnt -S DEVICE shows where, lsof +f -- POINT who uses it), or give a file on the mounted file \
             system as the target.",
    needs: Needs::Administrator,
    kernels: "2.6.26 and later (mountinfo)",
    sources: &["V-2", "T-54"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    let table = |_: &_| "/proc/self/mountinfo".into();
    of_kinds(scene, &[Mounted, PoolMember], table, "nothing of it is mounted")
}
