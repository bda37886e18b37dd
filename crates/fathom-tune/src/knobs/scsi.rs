//! SCSI and SATA: queue depth, link power.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Requirement, Risk};
use crate::scope::{Scope, ScopeDisk};
use crate::setting::Setting;
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::device::DiskKind;

/// What NCQ can hold (Serial ATA 3.x: tags 0 to 31). The kernel clamps it to
/// what the drive has.
const QUEUE_DEPTH: i64 = 32;

pub(super) const KNOBS: &[Knob] = &[
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
