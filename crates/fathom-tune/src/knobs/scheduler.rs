//! The scheduler of a disk's queue, and the settings that it resets.

use super::Knob;
use crate::codec::Codec;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::scope::Scope;
use crate::setting::Setting;
use fathom_device::Goal::{Bandwidth, Iops, Repeatability};

/// Requests that a scheduler may hold, where one is in use.
const REQUESTS: i64 = 1024;

pub(super) const KNOBS: &[Knob] = &[
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

pub(super) fn queue_files(scope: &Scope<'_>, file: &str, codec: Codec) -> Vec<Setting> {
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
