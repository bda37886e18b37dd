//! `safe.partition_table`: is there a partition table?

use super::view::{of_signatures, with_kind};
use crate::audit::{Check, Needs, Observe};
use fathom_device::signature::{Class, Signature};
use fathom_guard::FindingKind::Partition;

pub(super) const CHECK: Check = Check {
    id: "safe.partition_table",
    title: "Partition table",
    reads: "both ends of the device, /sys/block/D/*/partition",
    why: "A partition table shows that somebody divided the drive, so it probably holds data. Writing from offset 0 \
          destroys the table first; the kernel continues with the old partitions until it reads the table again, so \
          the damage shows at the next boot. There may also be a table that the kernel has not read, or partitions \
          whose table no longer exists.",
    judged: "A table or partitions that the kernel knows are a warning for a job that writes to the whole disk: the \
             job needs consent by serial number. For a job that reads: a remark. Neither: ok.",
    remedy: "Give a partition as the target instead of the disk (consent names it SERIAL-partN), or, if the drive may be \
             emptied: fathom purge.",
    needs: Needs::Purge,
    kernels: "all",
    sources: &["V-2", "V-57", "I-21"],
    observe: Observe::Once(|scene| {
        let table = |signature: &Signature| signature.class == Class::PartitionTable;
        let seen = of_signatures(scene, table, "no partition table");
        with_kind(scene, seen, Partition, |node| format!("/sys/class/block/{node}/partition").into())
    }),
};
