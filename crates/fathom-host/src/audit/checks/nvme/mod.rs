//! Drives: NVMe, and SATA or SAS.

mod drive;
mod health;
mod namespace;
mod power;
mod queues;

use super::Family;
use crate::audit::Observe::{Several, Watch};
use drive::{each_drive, each_namespace};

/// The checks of the families `nvme` and `scsi`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("nvme.apst", Several(|scene| each_drive(scene, power::apst))),
        ("nvme.ps", Several(|scene| each_drive(scene, power::ps))),
        ("nvme.temp", Watch(&["/.fathom/asked/nvme#/log-02"], &Several(health::temp))),
        ("nvme.health", Several(|scene| each_drive(scene, health::health))),
        (
            "nvme.errors",
            Watch(&["/.fathom/asked/nvme#/log-02"], &Several(|scene| each_drive(scene, health::errors))),
        ),
        ("nvme.firmware", Several(health::firmware)),
        ("nvme.lbaf", Several(|scene| each_namespace(scene, namespace::lbaf))),
        ("nvme.cache", Several(|scene| each_namespace(scene, namespace::cache))),
        ("nvme.utilisation", Several(|scene| each_namespace(scene, namespace::utilisation))),
        ("nvme.ns_share", Several(namespace::ns_share)),
        (
            "nvme.poll_queues",
            Several(|scene| each_namespace(scene, |scene, disk, _| queues::poll_queues(scene, disk))),
        ),
        ("nvme.qdepth", Several(|scene| each_namespace(scene, queues::qdepth))),
        ("nvme.background", Several(health::background)),
        ("nvme.multipath", Several(queues::multipath)),
        ("nvme.wear_budget", Several(|scene| each_drive(scene, health::wear_budget))),
        ("nvme.mdts", Several(|scene| each_namespace(scene, |scene, disk, _| namespace::mdts(scene, disk)))),
        ("scsi.qdepth", Several(queues::scsi_qdepth)),
    ],
);
