//! How much was written to a device, as the drive and the kernel count it.
//!
//! The drive's own counter lasts across reboots and sees other hosts. The kernel's is exact, and begins at
//! zero with each boot and each time that the device appears.

use fathom_device::Root;
use fathom_device::boot::boot_id;
use fathom_device::device::{DiskKind, Identity};
use fathom_device::diskstat::DiskCounters;
use fathom_device::inventory::Disk;
use fathom_device::nvme::Health;
use fathom_text::number::bytes;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// An NVMe drive counts in units of 1,000 times 512 bytes, rounded up (base specification 2.0, figure "SMART / Health
/// Information Log Page").
const DRIVE_UNIT_BYTES: u64 = 512_000;
const SECTOR_BYTES: u64 = 512;

/// Where the counters stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WriteCounters {
    /// Bytes that hosts have written since the drive was made; `None` where it does not say.
    drive_bytes: Option<u64>,
    kernel: Option<KernelCount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KernelCount {
    boot: String,
    /// The number of this appearance of the device in this boot.
    diskseq: Option<u64>,
    /// Sectors written and discarded.
    sectors: u64,
}

impl WriteCounters {
    /// Whether the drive may have a counter that lasts across reboots.
    pub fn last(device: &Identity) -> bool {
        device.kind == DiskKind::Nvme && device.partition.is_none()
    }

    pub fn read(root: &Root, device: &Identity) -> WriteCounters {
        let health = Self::last(device).then(|| health(root, device)).flatten();
        let counted = DiskCounters::read(root, &device.kernel_name).ok();
        let kernel = boot_id(root).zip(counted).map(|(boot, counted)| KernelCount {
            boot: boot.trim().to_owned(),
            diskseq: device.diskseq,
            sectors: counted.write_sectors.saturating_add(counted.discard_sectors),
        });
        WriteCounters {
            drive_bytes: health.map(|health| u64::try_from(health.written_bytes).unwrap_or(u64::MAX)),
            kernel,
        }
    }

    /// Why something else may have written between the two readings, as a clause; `None` where nothing has.
    pub fn moved_until(&self, now: &WriteCounters) -> Option<String> {
        let drive = self.drive_bytes.zip(now.drive_bytes).map(|(then, now)| now.abs_diff(then));
        if let Some(written) = drive.filter(|written| *written > DRIVE_UNIT_BYTES) {
            return Some(format!(
                "the drive has counted {} since that fathom did not write",
                bytes(written as f64)
            ));
        }
        let is_same_time =
            |then: &KernelCount, now: &KernelCount| (&then.boot, then.diskseq) == (&now.boot, now.diskseq);
        match (&self.kernel, &now.kernel) {
            (Some(then), Some(now)) if is_same_time(then, now) => {
                let sectors = now.sectors.abs_diff(then.sectors);
                (sectors > 0).then(|| {
                    let written = bytes((sectors * SECTOR_BYTES) as f64);
                    format!("something else has written or discarded {written} since")
                })
            }
            _ if drive.is_some() => None,
            _ => Some("the machine was restarted or the device was detached since, so it is not known whether something else wrote to it".to_owned()),
        }
    }
}

/// What the first of the controllers of a namespace reports.
fn health(root: &Root, device: &Identity) -> Option<Health> {
    let sys_dir = Path::new("/sys/class/block").join(&device.kernel_name);
    let disk = Disk::at(root, device.dev, &sys_dir);
    Health::read(root, disk.controllers.first()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(drive_bytes: Option<u64>, boot: &str, diskseq: u64, sectors: u64) -> WriteCounters {
        let kernel = KernelCount { boot: boot.to_owned(), diskseq: Some(diskseq), sectors };
        WriteCounters { drive_bytes, kernel: Some(kernel) }
    }

    #[test]
    fn what_something_else_wrote_is_seen() {
        let unit = DRIVE_UNIT_BYTES;
        let before = counters(None, "b1", 4, 1_000);
        let of_drive = counters(Some(10 * unit), "b1", 4, 1_000);
        for (then, now, moved) in [
            (&before, counters(None, "b1", 4, 1_000), None),
            (
                &before,
                counters(None, "b1", 4, 1_008),
                Some("something else has written or discarded 4.10 kB since"),
            ),
            (&before, counters(None, "b2", 4, 1_000), Some("the machine was restarted or")),
            (&before, counters(None, "b1", 5, 1_000), Some("the machine was restarted or")),
            (&of_drive, counters(Some(11 * unit), "b2", 1, 7), None),
            (&of_drive, counters(Some(12 * unit), "b2", 1, 7), Some("the drive has counted 1.02 MB since")),
            (&of_drive, counters(Some(10 * unit), "b1", 4, 1_001), Some("something else has written")),
            (&of_drive, counters(None, "b2", 4, 1_000), Some("the machine was restarted or")),
        ] {
            let found = then.moved_until(&now);
            match moved {
                None => assert_eq!(found, None, "{now:?}"),
                Some(words) => {
                    assert!(found.as_ref().is_some_and(|said| said.starts_with(words)), "{found:?}")
                }
            }
        }
    }
}
