//! md arrays: threads, stripe cache, speed of the first sync.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::place::RelativePlace;
use crate::scope::Scope;
use crate::setting::Setting;
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::device::DiskKind;
use fathom_device::mounts::Mount;

/// Threads per node group: I-19 measured about 10 % with 4, and reads that
/// suffer from more.
const THREADS: &str = "4";
/// Stripes; memory is this × 4 KiB × disks. Since 4.1 the cache grows by
/// itself, so this is a floor.
const STRIPES: i64 = 4096;
/// KiB/s; I-20.
const SYNC_SPEED: &str = "5000000";

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "md.threads",
        title: "threads that compute parity",
        why: "one thread for all parity limits RAID 5 and 6 on fast drives; more than a few threads slow reads down: \
              measure both",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/md.rst, group_thread_cnt",
        find: |scope| array_files(scope, "md/group_thread_cnt", Codec::Number),
        want: |look| {
            let is_single = look.number()? == 0;
            (is_single && look.is_for(&[Iops, Bandwidth])).then(|| THREADS.to_owned())
        },
    },
    Knob {
        id: "md.stripe_cache",
        title: "stripes that RAID 5 and 6 keep",
        why: "room to gather full stripes, which need no reading before they are written; takes memory",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/md.rst, stripe_cache_size",
        find: |scope| array_files(scope, "md/stripe_cache_size", Codec::Number),
        want: |look| {
            let now = look.number()?;
            (look.goal == Bandwidth).then(|| now.max(STRIPES).to_string())
        },
    },
    Knob {
        id: "md.sync_speed",
        title: "speed limit of a sync that is running",
        why: "an array that is still being initialised cannot be measured; this ends it sooner",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/md.rst, sync_speed_max",
        find: |scope| array_files(scope, "md/sync_speed_max", Codec::SyncSpeed),
        want: syncing,
    },
];

fn array_files(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
    let has = |disk: &crate::scope::ScopeDisk| {
        disk.device.kind == DiskKind::Md && scope.root.exists(disk.device.sys_dir.join(file))
    };
    scope.disk_keys(has).map(|key| Setting::file(key, file, codec)).collect()
}

fn syncing(look: &KnobInput<'_>) -> Option<String> {
    let action = look.beside("md/sync_action")?;
    ["resync", "recover"].contains(&action.as_str()).then(|| SYNC_SPEED.to_owned())
}

/// File systems whose remount keeps every option that it does not name. Others
/// (f2fs) go back to their defaults, which nobody asked for.
const KEEPS_OPTIONS: [&str; 3] = ["ext4", "xfs", "btrfs"];

pub(super) const FILE_SYSTEM_KNOBS: &[Knob] = &[
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
