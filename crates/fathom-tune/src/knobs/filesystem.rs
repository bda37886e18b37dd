//! Options of the mounts that hold a target.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Requirement, Risk};
use crate::place::RelativePlace;
use crate::setting::Setting;
use fathom_device::Goal::{Iops, Latency, Repeatability};
use fathom_device::mounts::Mount;

/// File systems whose remount keeps every option that it does not name. Others
/// (f2fs) go back to their defaults, which nobody asked for.
const KEEPS_OPTIONS: [&str; 3] = ["ext4", "xfs", "btrfs"];

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "fs.atime",
        title: "no times of last access (noatime)",
        why: "a read then also writes; the effect is small since relatime became the default",
        risk: Risk::Others,
        needs: Requirement::SysAdmin,
        docs: "mount(2), MS_NOATIME; only the mount's flags are remounted",
        find: |scope| settings(scope.mounts.iter(), Codec::Atime),
        want: |look| look.is_for(&[Latency, Iops, Repeatability]).then(|| "noatime".to_owned()),
    },
    Knob {
        id: "fs.discard",
        title: "no trims at each deletion (nodiscard)",
        why: "deleting a file sends trims among the measured I/O; a weekly fstrim does the same outside the run",
        risk: Risk::Others,
        needs: Requirement::SysAdmin,
        docs: "mount(8), discard; fstrim(8)",
        find: |scope| {
            let is_known = |mount: &&Mount| KEEPS_OPTIONS.contains(&mount.fs_type.as_str());
            settings(scope.mounts.iter().filter(is_known), Codec::Discard)
        },
        want: |look| (look.goal == Repeatability).then(|| "nodiscard".to_owned()),
    },
];

fn settings<'a>(mounts: impl Iterator<Item = &'a Mount>, codec: Codec) -> Vec<Setting> {
    let setting = |mount: &Mount| {
        Setting::at(
            OwnerKey::Mount { point: mount.point.clone(), dev: mount.dev },
            RelativePlace::Mount,
            codec,
        )
    };
    mounts.map(setting).collect()
}
