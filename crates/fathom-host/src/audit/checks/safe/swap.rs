//! `safe.swap`: is active swap on it?

use super::view::of_kinds;
use crate::audit::{Check, Needs, Observe};
use fathom_guard::FindingKind::Swap;

pub(super) const CHECK: Check = Check {
    id: "safe.swap",
    title: "Active swap",
    reads: "/proc/swaps",
    why: "Active swap holds pages of running programs. A write to it changes their memory; a measurement on the same \
          drive shares it with the pages that the kernel moves.",
    judged: "Active swap on the target, or on anything that shares bytes with it, is bad for a job that writes, and \
             fathom refuses it even with consent; for a job that reads it is a remark. None: ok.",
    remedy: "swapoff DEVICE (there must be enough free memory), and swapon afterwards; or measure another drive.",
    needs: Needs::Administrator,
    kernels: "all; a kernel without swap has no such table",
    sources: &["V-2", "V-68"],
    observe: Observe::Once(|scene| of_kinds(scene, &[Swap], |_| "/proc/swaps".into(), "no swap is on it")),
};
