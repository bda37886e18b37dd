//! `blk.discard`: can the drive be told what is free?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Repeatability;

pub(super) const CHECK: Check = Check {
    id: "blk.discard",
    title: "Discard (TRIM)",
    reads: "/sys/block/D/queue/discard_granularity, discard_max_bytes",
    why: "A flash drive writes fast while it has erased blocks in reserve. What an earlier test wrote uses them up, \
          unless the system tells the drive that those blocks are free again: TRIM on SATA, UNMAP on SCSI, Deallocate \
          on NVMe. Without it each write test begins where the last one left the drive, and the same job gives another \
          figure the second time.",
    judged: "ok where the device takes discards. Where it does not (0 in either file), it warns for repeatability, and \
             is a remark for the other goals.",
    remedy: "Nothing to switch on where the hardware lacks it; use another way to empty the drive between write tests \
             (fathom purge lists those that work) or precondition each time. md RAID 5 and 6 hide it unless \
             raid456.devices_handle_discard_safely is set; dm-crypt unless allow_discards is.",
    needs: Needs::Purge,
    kernels: "2.6.33 and later",
    sources: &["V-22", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_queue(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (granularity, raw) = scene.value::<u64>(disk.queue("discard_granularity"))?;
    let (most, limit) = scene.value::<u64>(disk.queue("discard_max_bytes"))?;
    let seen = Observation::on(&disk.name).show(&raw).show(&limit);
    Ok(match (granularity, most) {
        (0, _) | (_, 0) => seen.warn_for(
            &[Repeatability],
            "takes no discards: the drive keeps what earlier tests wrote as valid data",
        ),
        _ => seen.ok(format!("takes discards in steps of {granularity} bytes")),
    })
}
