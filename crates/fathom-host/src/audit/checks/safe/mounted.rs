//! `safe.mounted`: is a file system on it mounted?

use super::view::of_kinds;
use crate::audit::{Check, Needs, Observe};
use fathom_guard::FindingKind::{Mounted, PoolMember};

pub(super) const CHECK: Check = Check {
    id: "safe.mounted",
    title: "Mounted",
    reads: "/proc/self/mountinfo and that of every other mount namespace, /sys/fs/btrfs/*/devices, /sys/fs/bcachefs",
    why: "The kernel keeps parts of a mounted file system in memory and writes them back at any time. A program that \
          writes to the device below destroys the file system, even if the bytes looked free, and often crashes the \
          machine. fathom searches for mounts by device number, not by name: of the target, of every partition and \
          volume on it and of everything it is part of, also in containers. Several devices of one btrfs count as one.",
    judged: "A mount of any of these devices is bad for a job that writes, and fathom refuses it even with consent. \
             For a job that reads it is a remark: others may be using the drive (noise.device). None: ok.",
    remedy: "umount it (findmnt -S DEVICE shows where it is mounted, lsof +f -- POINT which programs use it), or give \
             a file on the mounted file system as the target.",
    needs: Needs::Administrator,
    kernels: "2.6.26 and later (mountinfo)",
    sources: &["V-2", "T-54"],
    observe: Observe::Once(|scene| {
        let table = |_: &_| "/proc/self/mountinfo".into();
        of_kinds(scene, &[Mounted, PoolMember], table, "nothing on it is mounted")
    }),
};
