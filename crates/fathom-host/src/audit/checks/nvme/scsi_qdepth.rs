//! `scsi.qdepth`: does a SATA or SAS drive take several commands at once, and
//! is its link awake and fast?

use std::path::PathBuf;

use crate::audit::{Check, Disk, Grade, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::Goal::{Bandwidth, Iops, Latency};
use fathom_device::root::{Unknown, Why};

pub(super) const CHECK: Check = Check {
    id: "scsi.qdepth",
    title: "Command queue and link of a SATA or SAS drive",
    reads: "/sys/block/D/device/{queue_depth,queue_type}, /sys/class/ata_link/*/sata_spd, \
            /sys/class/scsi_host/*/link_power_management_policy",
    why: "A SATA drive takes up to 32 commands at once (native command queueing), a SAS drive more; with a limit of 1, \
          every queue depth of a job is 1 at the drive, and a solid-state drive reaches only a small part of its IOPS. \
          SATA links also save power: a link that sleeps between two I/Os needs tens of microseconds up to \
          milliseconds to wake up. With a bad cable or an old port, a link runs at 3 or 1.5 Gb/s instead of 6.",
    judged: "A depth of 1, or no queueing at all, is bad for IOPS. A link power policy other than max_performance \
             warns for latency. A solid-state drive at less than 6 Gb/s warns for bandwidth.",
    remedy: "For a run: fathom run --tune. By hand: echo 32 > /sys/block/D/device/queue_depth, echo max_performance > \
             /sys/class/scsi_host/hostN/link_power_management_policy, and restore the old values afterwards. If the \
             depth stays at 1, the reason is the controller's mode (IDE instead of AHCI, set in the BIOS) or a USB \
             bridge. If the link is slow, check the cable, the backplane and the port.",
    needs: Needs::Knob("scsi.qdepth"),
    kernels: "all; link policy: SATA hosts (AHCI)",
    sources: &["Documentation/scsi/scsi_mid_low_api", "Documentation/ABI/testing/sysfs-class-scsi_host"],
    observe: Observe::Once(observe),
};

/// Words of `link_power_management_policy` (drivers/ata/libata-sata.c).
const POLICIES: [&str; 6] = [
    "max_performance",
    "medium_power",
    "med_power_with_dipm",
    "min_power_with_partial",
    "min_power",
    "keep_firmware_settings",
];

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let none = || Observation::on("host").not_applicable("there is no SATA or SAS drive below the target");
    let disks: Vec<&Disk> = scene.disks.iter().filter(|disk| is_scsi(disk)).collect();
    if disks.is_empty() {
        return vec![none()];
    }
    let name = |disk: &&&Disk| disk.name.clone();
    let mut seen = each(&disks, none, name, |disk| queue(scene, disk));
    for optional in [policy, speed] {
        let found = each(&disks, none, name, |disk| optional(scene, disk));
        seen.extend(
            found.into_iter().filter(|seen| seen.verdicts.worst() != Grade::NotApplicable || is_told(seen)),
        );
    }
    seen
}

/// SAS drives have no link policy and no SATA speed, so we do not report that
/// they are missing, only that they are garbled or denied.
fn is_told(seen: &Observation) -> bool {
    !seen.says.ends_with("is not there")
}

fn is_scsi(disk: &Disk) -> bool {
    disk.part("host").is_some() && disk.part("target").is_some()
}

fn queue(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (depth, raw) = scene.value::<u32>(disk.sys_dir.join("device/queue_depth"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let kind = scene.read(disk.sys_dir.join("device/queue_type"));
    let has_no_queue = kind.as_ref().is_ok_and(|kind| kind.text == "none");
    let seen = kind.into_iter().fold(seen, |seen, raw| seen.show(&raw));
    Ok(match depth {
        0 => return Err(raw.garbled()),
        1 => seen.bad_for(&[Iops], "one command at a time"),
        _ if has_no_queue => seen.bad_for(&[Iops], format!("depth {depth}, but command queueing is off")),
        _ => seen.ok(format!("up to {depth} commands at once")),
    })
}

fn missing(path: PathBuf) -> Unknown {
    Unknown { why: Why::Missing, ..Unknown::missing(path) }
}

fn policy(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let host = disk.part("host").ok_or_else(|| missing(disk.sys_dir.clone()))?;
    let raw = scene.read(format!("/sys/class/scsi_host/host{host}/link_power_management_policy"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    Ok(match raw.text.as_str() {
        "max_performance" => seen.ok("the link stays awake"),
        word if POLICIES.contains(&word) => {
            seen.warn_for(&[Latency], format!("the link may sleep between I/Os ({word})"))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}

fn speed(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let ata = disk.part("ata").ok_or_else(|| missing(disk.sys_dir.clone()))?;
    let raw = scene.read(format!("/sys/class/ata_link/link{ata}/sata_spd"))?;
    let seen = Observation::on(&disk.name).show(&raw);
    let is_rotational = scene.value::<u8>(disk.queue("rotational")).is_ok_and(|(value, _)| value == 1);
    Ok(match raw.text.as_str() {
        "6.0 Gbps" => seen.ok("the link runs at 6 Gb/s"),
        slow @ ("3.0 Gbps" | "1.5 Gbps") if is_rotational => seen.info(format!("the link runs at {slow}")),
        slow @ ("3.0 Gbps" | "1.5 Gbps") => {
            seen.warn_for(&[Bandwidth], format!("the link runs at {slow}; current drives run at 6.0 Gbps"))
        }
        other => return Err(Unknown::garbled(&raw.path, other)),
    })
}
