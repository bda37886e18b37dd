//! md arrays: threads, stripe cache, speed of the first sync.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, KnobInput, at_least, value};
use crate::place::RelativePlace;
use crate::scope::Scope;
use crate::setting::Setting;
use fathom_device::device::DiskKind;
use fathom_device::mounts::Mount;

pub(super) const KNOBS: &[Action] = &[
    (
        "md.threads",
        |scope| array_files(scope, "md/group_thread_cnt", Codec::Number),
        |look| value(look).filter(|_| look.number() == Some(0)),
    ),
    ("md.stripe_cache", |scope| array_files(scope, "md/stripe_cache_size", Codec::Number), at_least),
    ("md.sync_speed", |scope| array_files(scope, "md/sync_speed_max", Codec::SyncSpeed), syncing),
    ("fs.atime", |scope| settings(scope.mounts.iter(), Codec::Atime), value),
    (
        "fs.discard",
        |scope| {
            let is_known = |mount: &&Mount| KEEPS_OPTIONS.contains(&mount.fs_type.as_str());
            settings(scope.mounts.iter().filter(is_known), Codec::Discard)
        },
        value,
    ),
];

fn array_files(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
    let has = |disk: &crate::scope::ScopeDisk| {
        disk.device.kind == DiskKind::Md && scope.root.exists(disk.device.sys_dir.join(file))
    };
    scope.disk_keys(has).map(|key| Setting::file(key, file, codec)).collect()
}

fn syncing(look: &KnobInput<'_>) -> Option<String> {
    let action = look.beside("md/sync_action")?;
    value(look).filter(|_| ["resync", "recover"].contains(&action.as_str()))
}

/// File systems whose remount keeps every option that it does not name. Others
/// (f2fs) go back to their defaults, which nobody asked for.
const KEEPS_OPTIONS: [&str; 3] = ["ext4", "xfs", "btrfs"];

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
