//! The rest of a disk's queue: sizes, merging, placing, accounting.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::scope::{Scope, ScopeDisk};
use crate::setting::Setting;
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::device::DiskKind;

const DOCS: &str = "Documentation/ABI/stable/sysfs-block";

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "blk.max_sectors",
        title: "the largest I/O that the hardware takes",
        why: "larger I/Os of the job are cut into pieces of this size (M-14)",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/stable/sysfs-block, max_sectors_kb",
        find: |scope| limits(scope, "queue/max_sectors_kb"),
        want: |look| {
            let hardware = look.number_beside("queue/max_hw_sectors_kb")?;
            (look.goal == Bandwidth).then(|| hardware.to_string())
        },
    },
    Knob {
        id: "blk.rq_affinity",
        title: "completions on the CPU that asked",
        why: "with fewer queues than CPUs, one CPU completes for many; 2 sends each completion to the CPU that asked",
        risk: Risk::None,
        needs: Requirement::SettingsFile,
        docs: DOCS,
        find: |scope| queue_files(scope, "queue/rq_affinity", Codec::Number),
        want: affinity,
    },
    Knob {
        id: "blk.nomerges",
        title: "no search for neighbours to merge with",
        why: "random I/O has no neighbours, so the search is wasted time; small sequential I/O gains by merging",
        risk: Risk::None,
        needs: Requirement::SettingsFile,
        docs: DOCS,
        find: |scope| queue_files(scope, "queue/nomerges", Codec::Number),
        want: |look| (!spins(look) && look.is_for(&[Latency, Iops])).then(|| "2".to_owned()),
    },
    Knob {
        id: "blk.add_random",
        title: "no entropy from I/O times",
        why: "each completion feeds the random pool, to which a drive without moving parts adds nothing",
        risk: Risk::None,
        needs: Requirement::SettingsFile,
        docs: DOCS,
        find: |scope| limits(scope, "queue/add_random"),
        want: |look| (!spins(look)).then(|| "0".to_owned()),
    },
    Knob {
        id: "blk.iostats",
        title: "the kernel's own count of I/O",
        why: "fathom checks its figures, and looks for other people's I/O, by the kernel's counters; \
              blk.iostats=0 is for a declared peak only",
        risk: Risk::None,
        needs: Requirement::SettingsFile,
        docs: DOCS,
        find: |scope| limits(scope, "queue/iostats"),
        want: |look| (look.goal == Repeatability).then(|| "1".to_owned()),
    },
    Knob {
        id: "blk.rotational",
        title: "no rules for spinning disks on drives that do not spin",
        why: "schedulers, swap and file systems choose other methods for a disk that claims to spin",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: DOCS,
        find: |scope| {
            let solid =
                [DiskKind::Nvme, DiskKind::Paravirtual, DiskKind::Pmem, DiskKind::Ram, DiskKind::Null];
            let keys = scope.disk_keys(|disk| solid.contains(&disk.device.kind));
            keys.map(|key| limit(Setting::file(key, "queue/rotational", Codec::Number))).collect()
        },
        want: |_| Some("0".to_owned()),
    },
    Knob {
        id: "blk.read_ahead",
        title: "read-ahead of buffered reading, in KiB",
        why: "decides buffered sequential reading and nothing else; there is no value that is right for all: \
              name one (blk.read_ahead=4096)",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/stable/sysfs-block, read_ahead_kb (blockdev --setra counts 512-byte units)",
        find: |scope| queue_files(scope, "queue/read_ahead_kb", Codec::Number),
        want: |_| None,
    },
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

/// 2 only where CPUs share queues: with one queue each, nothing is sent.
fn affinity(look: &KnobInput<'_>) -> Option<String> {
    let dir = look.setting.key.dir(look.scope.root).ok()?;
    let queues = look.scope.root.list(dir.join("mq")).map_or(1, |names| names.len());
    let cpus = look.scope.root.numbers("/sys/devices/system/cpu", "cpu").len();
    (look.goal == Iops && queues < cpus).then(|| "2".to_owned())
}

/// Requests that a scheduler may hold, where one is in use.
const REQUESTS: i64 = 1024;

pub(super) const SCHEDULER_KNOBS: &[Knob] = &[
    Knob {
        id: "blk.scheduler",
        title: "no I/O scheduler on SSDs, mq-deadline on spinning disks",
        why: "reordering costs a lock and CPU time per I/O, which pays off only on a drive with a moving head",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/block/switching-sched.rst",
        // Switching sets these two to the new scheduler's defaults.
        find: |scope| {
            let setting = |s: Setting| s.disturbing(&["queue/nr_requests", "queue/wbt_lat_usec"]);
            queue_files(scope, "queue/scheduler", Codec::Selected).into_iter().map(setting).collect()
        },
        want: scheduler,
    },
    Knob {
        id: "blk.nr_requests",
        title: "requests that the scheduler may hold",
        why: "old guides raise it for one queue per disk; today the job's depth decides, and without a scheduler \
              the driver's tags are the limit (EINVAL above them)",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/stable/sysfs-block, nr_requests",
        find: |scope| queue_files(scope, "queue/nr_requests", Codec::Number),
        want: requests,
    },
    Knob {
        id: "blk.wbt",
        title: "no throttling of buffered writes",
        why: "write-back is slowed to keep reads fast, by a control loop that changes the figure",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/stable/sysfs-block, wbt_lat_usec (0 is off, -1 the default)",
        find: |scope| queue_files(scope, "queue/wbt_lat_usec", Codec::Number),
        want: |look| {
            let is_on = look.number()? > 0;
            (is_on && look.is_for(&[Bandwidth, Repeatability])).then(|| "0".to_owned())
        },
    },
];

fn queue_files(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
    let has = |disk: &crate::scope::ScopeDisk| scope.root.exists(disk.device.sys_dir.join(file));
    scope.disk_keys(has).map(|key| Setting::file(key, file, codec)).collect()
}

/// If there is no scheduler, none is set. One that suits a spinning disk stays where the kernel
/// believes that the drive spins: hypervisors set that flag on any drive.
fn scheduler(look: &KnobInput<'_>) -> Option<String> {
    let spins = look.beside("queue/rotational").as_deref() == Some("1");
    match (look.now.typed.as_str(), spins) {
        ("none", _) | ("mq-deadline" | "bfq", true) => None,
        (_, true) => look.offered("mq-deadline"),
        (_, false) => look.offered("none"),
    }
}

fn requests(look: &KnobInput<'_>) -> Option<String> {
    let scheduler = Codec::Selected.typed(&look.beside("queue/scheduler")?)?;
    let is_useful = scheduler != "none" && look.is_for(&[Iops, Bandwidth]);
    is_useful.then(|| look.number().map(|now| now.max(REQUESTS).to_string()))?
}

/// What NCQ can hold (Serial ATA 3.x: tags 0 to 31). The kernel clamps it to
/// what the drive has.
const QUEUE_DEPTH: i64 = 32;

pub(super) const SCSI_KNOBS: &[Knob] = &[
    Knob {
        id: "scsi.qdepth",
        title: "command queueing of SCSI and SATA drives",
        why: "with a depth of 1 the drive sees one command at a time, whatever the job's depth is",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/scsi/scsi_mid_low_api.rst, queue_depth; libata NCQ",
        find: |scope| {
            let keys = scope.disk_keys(|disk| disk.device.kind == DiskKind::Scsi);
            keys.map(|key| Setting::file(key, "device/queue_depth", Codec::Number)).collect()
        },
        want: |look| {
            let is_shallow = look.number()? < QUEUE_DEPTH;
            (is_shallow && look.is_for(&[Iops, Bandwidth])).then(|| QUEUE_DEPTH.to_string())
        },
    },
    Knob {
        id: "scsi.alpm",
        title: "no link power saving on SATA ports",
        why: "a SATA link that sleeps takes up to 10 ms (slumber) to wake",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/testing/sysfs-class-scsi_host, link_power_management_policy",
        find: |scope| {
            let keys = scope.disks.iter().filter_map(|disk| host(scope, disk));
            keys.map(|key| Setting::file(key, "link_power_management_policy", Codec::Word)).collect()
        },
        want: |look| look.is_for(&[Latency, Repeatability]).then(|| "max_performance".to_owned()),
    },
];

/// The host that a disk hangs on, by its path among the devices.
fn host(scope: &Scope<'_>, disk: &ScopeDisk) -> Option<OwnerKey> {
    let host = format!("host{}", disk.device.part("host")?);
    let path = scope.root.resolve(format!("/sys/class/scsi_host/{host}")).ok()?;
    Some(OwnerKey::ScsiHost { host, path })
}
