//! Synthetic runs, and the machine on which they are judged.

pub use fathom_figures::fixture::{DirectionLoad, MACHINE, RunBuilder, disk, planned};

use crate::surrounds::Surrounds;
use fathom_job::plan::TargetKind;

/// A bare machine with a real disk, `sda`, of which little is known.
pub fn surrounds() -> Surrounds {
    Surrounds {
        kind: TargetKind::File,
        disk_name: Some("sda".to_owned()),
        is_virtual: Some(false),
        is_loop: false,
        fs_type: Some("ext4".to_owned()),
        hypervisor: None,
        memory: MACHINE.memory,
        cpus: MACHINE.cpus,
        direct: true,
        results_on_same_fs: false,
        steal_percent: None,
    }
}
