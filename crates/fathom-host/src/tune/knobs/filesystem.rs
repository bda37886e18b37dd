//! Options of the mounts that hold a target.

use super::Knob;
use crate::Goal::{Iops, Latency, Repeatability};
use crate::tune::codec::Codec;
use crate::tune::key::Key;
use crate::tune::knob::{Need, Risk};
use crate::tune::place::At;
use crate::tune::scope::Scope;
use crate::tune::setting::Setting;

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "fs.atime",
        title: "no times of last access (noatime)",
        why: "a read that writes; small since relatime became the default",
        risk: Risk::Others,
        needs: Need::SysAdmin,
        docs: "mount(2), MS_NOATIME; only the mount's flags are remounted",
        restores_first: false,
        find: |scope| mounts(scope, Codec::Atime),
        want: |look| look.is_for(&[Latency, Iops, Repeatability]).then(|| "noatime".to_owned()),
    },
    Knob {
        id: "fs.discard",
        title: "no trims at each deletion (nodiscard)",
        why: "deleting a file sends trims among the I/O that is measured; a weekly fstrim does the same in peace",
        risk: Risk::Others,
        needs: Need::SysAdmin,
        docs: "mount(8), discard; fstrim(8)",
        restores_first: false,
        find: |scope| mounts(scope, Codec::Discard),
        want: |look| (look.goal == Repeatability).then(|| "nodiscard".to_owned()),
    },
];

fn mounts(scope: &Scope<'_>, codec: Codec) -> Vec<Setting> {
    let setting = |point: &std::path::Path, dev| Setting {
        key: Key::Mount { point: point.to_owned(), dev },
        at: At::Mount,
        codec,
        twin: None,
        disturbs: Vec::new(),
    };
    scope.mounts.iter().map(|mount| setting(&mount.point, mount.dev)).collect()
}
