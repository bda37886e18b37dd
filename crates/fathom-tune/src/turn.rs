//! When a setting is put back, and how long its owner may take for it.
//!
//! A write to a setting of a device can wait for that device: `queue/scheduler`
//! waits until all I/O in flight has ended, an NVMe feature is a command to the
//! drive, a remount writes dirty pages first. If the device does not answer,
//! such a write never returns, nothing can end it, and on many kernels even
//! reading the same file hangs behind it (seen on 6.18: `blk_mq_freeze_queue`
//! with the lock of the queue's limits held). So the settings that cannot hang
//! come first, and those of devices are written by a process that can be left
//! behind (see [`super::apart`]).

use std::time::Duration;

use super::key::OwnerKey;
use super::setting::Setting;

/// The order in which groups of settings are put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// The kernel alone answers: processors, memory, interrupts.
    Host,
    /// A device may have to answer.
    Device,
    /// Services. They come last because some of them set what was put back
    /// before them.
    Service,
}

/// How long a device may take for one setting.
///
/// A healthy device has nothing of this run in flight by then, and ends what
/// others have in flight within half a second, even a spinning disk with 32
/// commands queued. 5 s is ten times that. Waiting for the block layer to give
/// up a request (30 s) would take minutes for the settings of one device.
pub(super) const DEVICE_LIMIT: Duration = Duration::from_secs(5);

/// How long a device that has been silent once may take for each further
/// setting. Those that need no answer from it are written within microseconds.
pub(super) const SILENT_LIMIT: Duration = Duration::from_millis(500);

/// How long a service may take to start: longer than systemd itself waits
/// (`DefaultTimeoutStartSec`, 90 s), so that its own reason is reported.
pub(super) const SERVICE_LIMIT: Duration = Duration::from_secs(100);

impl Turn {
    pub(super) fn of(setting: &Setting) -> Self {
        match &setting.key {
            OwnerKey::Host | OwnerKey::Cpu { .. } | OwnerKey::Policy { .. } | OwnerKey::Irq { .. } => {
                Turn::Host
            }
            OwnerKey::Unit { .. } => Turn::Service,
            OwnerKey::Disk(_)
            | OwnerKey::Controller { .. }
            | OwnerKey::Subsystem { .. }
            | OwnerKey::Pci { .. }
            | OwnerKey::ScsiHost { .. }
            | OwnerKey::Mount { .. } => Turn::Device,
        }
    }
}
