//! A disk's queue: scheduler, sizes, merging, placing, accounting, link.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, KnobInput, at_least, value};
use crate::scope::{Scope, ScopeDisk};
use crate::setting::Setting;
use fathom_device::device::DiskKind;

pub(super) const KNOBS: &[Action] = &[
    (
        "blk.max_sectors",
        |scope| limits(scope, "queue/max_sectors_kb"),
        |look| {
            let hardware = look.number_beside("queue/max_hw_sectors_kb")?;
            Some(hardware.to_string())
        },
    ),
    ("blk.rq_affinity", |scope| queue_files(scope, "queue/rq_affinity", Codec::Number), affinity),
    ("blk.nomerges", |scope| queue_files(scope, "queue/nomerges", Codec::Number), unless_it_spins),
    ("blk.add_random", |scope| limits(scope, "queue/add_random"), unless_it_spins),
    ("blk.iostats", |scope| limits(scope, "queue/iostats"), value),
    (
        "blk.rotational",
        |scope| {
            let solid =
                [DiskKind::Nvme, DiskKind::Paravirtual, DiskKind::Pmem, DiskKind::Ram, DiskKind::Null];
            let keys = scope.disk_keys(|disk| solid.contains(&disk.device.kind));
            keys.map(|key| limit(Setting::file(key, "queue/rotational", Codec::Number))).collect()
        },
        value,
    ),
    ("blk.read_ahead", |scope| queue_files(scope, "queue/read_ahead_kb", Codec::Number), value),
    (
        "blk.scheduler",
        // Switching sets these two to the new scheduler's defaults.
        |scope| {
            let setting = |s: Setting| s.disturbing(&["queue/nr_requests", "queue/wbt_lat_usec"]);
            queue_files(scope, "queue/scheduler", Codec::Selected).into_iter().map(setting).collect()
        },
        scheduler,
    ),
    ("blk.nr_requests", |scope| queue_files(scope, "queue/nr_requests", Codec::Number), requests),
    (
        "blk.wbt",
        |scope| queue_files(scope, "queue/wbt_lat_usec", Codec::Number),
        |look| {
            let is_on = look.number()? > 0;
            value(look).filter(|_| is_on)
        },
    ),
    (
        "scsi.qdepth",
        |scope| {
            let keys = scope.disk_keys(|disk| disk.device.kind == DiskKind::Scsi);
            keys.map(|key| Setting::file(key, "device/queue_depth", Codec::Number)).collect()
        },
        at_least,
    ),
    (
        "scsi.alpm",
        |scope| {
            let keys = scope.disks.iter().filter_map(|disk| host(scope, disk));
            keys.map(|key| Setting::file(key, "link_power_management_policy", Codec::Word)).collect()
        },
        value,
    ),
];

/// Settings that newer kernels keep in one block of limits: writing any of them also resets the
/// read-ahead (`blk_apply_bdi_limits`, since 6.9; seen on 6.18).
fn limits(scope: &Scope<'_>, file: &str) -> Vec<Setting> {
    queue_files(scope, file, Codec::Number).into_iter().map(limit).collect()
}

fn limit(setting: Setting) -> Setting {
    setting.disturbing(&["queue/read_ahead_kb"])
}

fn spins(look: &KnobInput<'_>) -> bool {
    look.beside("queue/rotational").as_deref() == Some("1")
}

fn unless_it_spins(look: &KnobInput<'_>) -> Option<String> {
    value(look).filter(|_| !spins(look))
}

/// 2 only where CPUs share queues: with one queue each, nothing is sent.
fn affinity(look: &KnobInput<'_>) -> Option<String> {
    let dir = look.setting.key.dir(look.scope.root).ok()?;
    let queues = look.scope.root.list(dir.join("mq")).map_or(1, |names| names.len());
    let cpus = look.scope.root.numbers("/sys/devices/system/cpu", "cpu").len();
    value(look).filter(|_| queues < cpus)
}

fn queue_files(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
    let has = |disk: &ScopeDisk| scope.root.exists(disk.device.sys_dir.join(file));
    scope.disk_keys(has).map(|key| Setting::file(key, file, codec)).collect()
}

/// If there is no scheduler, none is set. One that suits a spinning disk stays where the kernel
/// believes that the drive spins: hypervisors set that flag on any drive.
fn scheduler(look: &KnobInput<'_>) -> Option<String> {
    match (look.now.typed.as_str(), spins(look)) {
        ("none", _) | ("mq-deadline" | "bfq", true) => None,
        (_, true) => look.offered("mq-deadline"),
        (_, false) => look.offered("none"),
    }
}

fn requests(look: &KnobInput<'_>) -> Option<String> {
    let scheduler = Codec::Selected.typed(&look.beside("queue/scheduler")?)?;
    at_least(look).filter(|_| scheduler != "none")
}

/// The host that a disk hangs on, by its path among the devices.
fn host(scope: &Scope<'_>, disk: &ScopeDisk) -> Option<OwnerKey> {
    let host = format!("host{}", disk.device.part("host")?);
    let path = scope.root.resolve(format!("/sys/class/scsi_host/{host}")).ok()?;
    Some(OwnerKey::ScsiHost { host, path })
}
