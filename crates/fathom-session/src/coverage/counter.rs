//! How much was written to a device, as the drive and the kernel count it.
//!
//! The drive's own counter lasts across reboots and sees other hosts. The kernel's is exact, and begins at
//! zero with each boot and each time that the device appears. Of what changes the file behind a loop device, neither sees
//! anything: there the times of the file are compared too.

use fathom_device::Root;
use fathom_device::counters::boot_id;
use fathom_device::device::{DiskKind, Identity};
use fathom_device::diskstat::DiskCounters;
use fathom_device::inventory::Disk;
use fathom_device::nvme::Health;
use fathom_text::quantity::bytes;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
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
    /// The file behind a loop device; `None` for other devices, and where it cannot be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    backing: Option<BackingTimes>,
}

/// What a run that was killed may have done to its targets, which nobody noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unnoted {
    /// Nothing: no run was killed, or it only read.
    Nothing,
    /// It may have written.
    Writes,
    /// It may have written and discarded.
    WritesAndTrims,
}

const REPLACED_BENEATH: &str = "another file is behind the loop device since";
const CHANGED_BENEATH: &str = "the file behind the loop device was changed or replaced since";

/// The file behind a loop device, and when it was last changed. The kernel sets the times when data is written or holes are
/// made, also for what it writes back later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BackingTimes {
    /// Its file system.
    dev: u64,
    inode: u64,
    /// Change of the data, seconds and ns.
    modified: (i64, i64),
    /// Change of the data or of what is noted of the file: a program can set the other time back, and not this one.
    changed: (i64, i64),
}

impl BackingTimes {
    fn read(root: &Root, device: &Identity) -> Option<Self> {
        let meta = std::fs::metadata(device.backing_file.as_ref()?);
        // A loop device over a disk is counted there, and a recorded machine has no files.
        let meta = meta.ok().filter(|meta| meta.is_file() && root.is_live())?;
        Some(BackingTimes {
            dev: meta.dev(),
            inode: meta.ino(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KernelCount {
    boot: String,
    /// The number of this appearance of the device in this boot.
    diskseq: Option<u64>,
    /// Sectors written.
    sectors: u64,
    /// Sectors discarded.
    discarded_sectors: u64,
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
            sectors: counted.write_sectors,
            discarded_sectors: counted.discard_sectors,
        });
        WriteCounters {
            backing: BackingTimes::read(root, device),
            drive_bytes: health.map(|health| u64::try_from(health.written_bytes).unwrap_or(u64::MAX)),
            kernel,
        }
    }

    /// Why something else may have written between the two readings, as a clause; `None` where nothing has. What a run of ours
    /// wrote without a note cannot be told from what others wrote: then only what it did not do is found.
    pub fn moved_until(&self, now: &WriteCounters, unnoted: Unnoted) -> Option<String> {
        let file = |times: &BackingTimes| (times.dev, times.inode);
        let is_replaced = self.backing.as_ref().map(file) != now.backing.as_ref().map(file);
        let is_changed = unnoted == Unnoted::Nothing && self.backing != now.backing;
        // What went through the device is told with its size, and changed the file too.
        let beneath = || is_changed.then(|| CHANGED_BENEATH.to_owned());
        let replaced = is_replaced.then(|| REPLACED_BENEATH.to_owned());
        replaced.or_else(|| self.counted_until(now, unnoted)).or_else(beneath)
    }

    fn counted_until(&self, now: &WriteCounters, unnoted: Unnoted) -> Option<String> {
        let drive = self.drive_bytes.zip(now.drive_bytes).map(|(then, now)| now.abs_diff(then));
        let by_others = |written: &u64| unnoted == Unnoted::Nothing && *written > DRIVE_UNIT_BYTES;
        if let Some(written) = drive.filter(by_others) {
            return Some(format!(
                "the drive has counted {} since that fathom did not write",
                bytes(written as f64)
            ));
        }
        let is_same_time =
            |then: &KernelCount, now: &KernelCount| (&then.boot, then.diskseq) == (&now.boot, now.diskseq);
        match (&self.kernel, &now.kernel) {
            (Some(then), Some(now)) if is_same_time(then, now) => {
                let written = now.sectors.abs_diff(then.sectors);
                let discarded = now.discarded_sectors.abs_diff(then.discarded_sectors);
                let (sectors, act) = match unnoted {
                    Unnoted::Nothing => (written + discarded, "written or discarded"),
                    Unnoted::Writes => (discarded, "discarded"),
                    Unnoted::WritesAndTrims => (0, "done"),
                };
                (sectors > 0).then(|| {
                    format!("something else has {act} {} since", bytes((sectors * SECTOR_BYTES) as f64))
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
        let boot = boot.to_owned();
        let kernel = KernelCount { boot, diskseq: Some(diskseq), sectors, discarded_sectors: 0 };
        WriteCounters { drive_bytes, kernel: Some(kernel), backing: None }
    }

    #[test]
    fn a_file_behind_a_loop_device_that_was_changed_is_seen() {
        let times = |inode, modified, changed| BackingTimes { dev: 41, inode, modified, changed };
        let with = |backing| WriteCounters { backing, ..counters(None, "b1", 4, 1_000) };
        let before = with(Some(times(7, (100, 5), (100, 5))));
        let replaced = Some(REPLACED_BENEATH);
        for (now, message, after_a_kill) in [
            (Some(times(7, (100, 5), (100, 5))), None, None),
            (Some(times(7, (100, 6), (100, 6))), Some(CHANGED_BENEATH), None),
            // Its time was set back.
            (Some(times(7, (100, 5), (101, 0))), Some(CHANGED_BENEATH), None),
            (Some(times(8, (100, 5), (100, 5))), replaced, replaced),
            (None, replaced, replaced),
        ] {
            let moved = |unnoted| before.moved_until(&with(now.clone()), unnoted);
            assert_eq!(moved(Unnoted::Nothing).as_deref(), message, "{now:?}");
            assert_eq!(moved(Unnoted::Writes).as_deref(), after_a_kill, "{now:?}");
        }
        // A note was made when the file could not be seen.
        assert!(with(None).moved_until(&before, Unnoted::Nothing).is_some());
    }

    /// A round that was killed wrote what was not noted. It did not detach the device, and discarded only if it trims.
    #[test]
    fn what_a_killed_round_did_not_do_is_seen() {
        let after = |boot: &str, diskseq, written, discarded_sectors| {
            let mut now = counters(None, boot, diskseq, written);
            now.kernel.as_mut().unwrap().discarded_sectors = discarded_sectors;
            let before = counters(None, "b1", 4, 1_000);
            move |unnoted| before.moved_until(&now, unnoted)
        };
        let detached = Some("the machine was restarted");
        for (moved, of_nothing, of_writes, of_trims) in [
            (after("b1", 4, 1_000, 0), None, None, None),
            (after("b1", 4, 1_008, 0), Some("something else has written or"), None, None),
            (
                after("b1", 4, 1_008, 8),
                Some("something else has written or"),
                Some("something else has discarded 4.10 kB"),
                None,
            ),
            (after("b1", 5, 0, 0), detached, detached, detached),
            (after("b2", 4, 1_000, 0), detached, detached, detached),
        ] {
            let expected = [of_nothing, of_writes, of_trims];
            for (unnoted, words) in
                [Unnoted::Nothing, Unnoted::Writes, Unnoted::WritesAndTrims].into_iter().zip(expected)
            {
                let message = moved(unnoted);
                let is_so = words.map_or(message.is_none(), |words| {
                    message.as_ref().is_some_and(|message| message.starts_with(words))
                });
                assert!(is_so, "{unnoted:?}: {message:?}, not {words:?}");
            }
        }
        let of_drive = |units: u64| counters(Some(units * DRIVE_UNIT_BYTES), "b1", 4, 1_000);
        assert!(of_drive(10).moved_until(&of_drive(20), Unnoted::Nothing).is_some());
        assert_eq!(of_drive(10).moved_until(&of_drive(20), Unnoted::Writes), None);
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
            let change = then.moved_until(&now, Unnoted::Nothing);
            match moved {
                None => assert_eq!(change, None, "{now:?}"),
                Some(words) => {
                    assert!(change.as_ref().is_some_and(|message| message.starts_with(words)), "{change:?}")
                }
            }
        }
    }
}
