//! The rest of a disk's queue: sizes, merging, placing, accounting.

use super::Knob;
use super::scheduler::queue_files;
use crate::codec::Codec;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::scope::Scope;
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
