//! Background noise: other work on the host, before a run and during it.

mod device;
mod process;
mod timers;

use super::Family;
use crate::audit::Observe::{EachQueue, Of, Several, Watch};

/// The checks of the family `noise`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("noise.device", Watch(&[device::STATS], &EachQueue(device::device))),
        (
            "noise.siblings",
            Watch(&[device::STATS, device::RECEIVED, device::SENT], &Several(device::siblings)),
        ),
        ("noise.load", Watch(&["/proc/stat", process::PROCESSES], &Several(process::load))),
        ("noise.timers", Several(timers::timers)),
        ("noise.kthreads", Watch(&["/proc/stat", process::PROCESSES], &Several(process::kthreads))),
        ("noise.cv", Of("probes", |scene| device::cv(&scene.job.probe_iops))),
    ],
);
